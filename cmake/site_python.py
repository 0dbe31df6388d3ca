"""A hook of mkdocs: in docs/python-reference.md a line "@ FILE: NAME NAME" becomes the reference of these classes and
functions of integrations/python, from their signatures and docstrings. Nothing is imported."""

import ast
import logging
import pathlib
import re

log = logging.getLogger("mkdocs.plugins.python")
PAGE = "python-reference.md"
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "integrations/python"


def signature(node):
    given = ast.unparse(node.args)
    given = re.sub(r"^(self|cls)(, )?", "", given)
    returns = f" → {ast.unparse(node.returns)}" if node.returns and ast.unparse(node.returns) != "None" else ""
    return f"({given}){returns}"


def words_of(text, indent=""):
    """A docstring as a page has it: lines that tell of an argument ("name: ...") become a list, code stays code."""
    lines, in_list = [], False
    for line in (text or "").split("\n"):
        code = line.startswith("    ") and not in_list
        told = re.match(r"(\w+(?:, \w+)*): (.*)", line)
        if told:
            line = f"- `{told[1]}`: {told[2]}"
            if not in_list:
                lines.append("")
        elif line and not line.startswith(" "):
            in_list = False
        in_list = bool(told) or (in_list and line != "")
        if not code:
            line = re.sub(r"<(?=\w)(?![^`]*`)", "&lt;", line)
        lines.append(indent + line if line else "")
    return "\n".join(lines)


def is_property(node):
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def members(node):
    """Of a class: fields with the strings below them, properties and methods, in order."""
    body = node.body
    for at, one in enumerate(body):
        follows = body[at + 1] if at + 1 < len(body) else None
        if isinstance(one, ast.AnnAssign) and not one.target.id.startswith("_"):
            has_text = isinstance(follows, ast.Expr) and isinstance(getattr(follows.value, "value", None), str)
            default = f" = {ast.unparse(one.value)}" if one.value else ""
            yield f"{one.target.id}: {ast.unparse(one.annotation)}{default}", follows.value.value if has_text else ""
        elif isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            if is_property(one):
                kind = f": {ast.unparse(one.returns)}" if one.returns else ""
                yield one.name + kind, ast.get_docstring(one)
            else:
                yield one.name + signature(one), ast.get_docstring(one)


def described(node):
    name, text = node.name, ast.get_docstring(node)
    if isinstance(node, ast.FunctionDef):
        lines = [f"### {name}", "", f"`{name}{signature(node)}`", "", words_of(text), ""]
    else:
        makes = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
        lines = [f"### {name}", ""]
        if makes:
            lines += [f"`{name}{signature(makes)}`", ""]
        lines += [words_of(text), ""]
        inside = list(members(node))
        lines += ["Members:", ""] if inside else []
        for head, words in inside:
            lines += [f"- `{head}`", "", words_of(words, "    "), ""] if words else [f"- `{head}`", ""]
        lines.append("")
    if not text:
        log.warning("%s has no docstring", name)
    return lines


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri != PAGE:
        return markdown
    lines = []
    for line in markdown.split("\n"):
        marked = re.match(r"@ (\S+): (.*)", line)
        if not marked:
            lines.append(line)
            continue
        tree = ast.parse((SOURCES / marked[1]).read_text(encoding="utf-8"))
        found = {one.name: one for one in tree.body if isinstance(one, (ast.ClassDef, ast.FunctionDef))}
        for name in marked[2].split():
            if name in found:
                lines += described(found[name])
            else:
                log.warning("%s names %s of %s, which is not there", PAGE, name, marked[1])
    return "\n".join(lines)
