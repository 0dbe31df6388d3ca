"""A hook of mkdocs: pages name each other by their paths, which become links. A name that is no page is an error, as
is a page that is not in the menu (strict)."""

import logging
import posixpath
import re

log = logging.getLogger("mkdocs.plugins.links")


def on_page_markdown(markdown, page, config, files):
    here = posixpath.dirname(page.file.src_uri)

    def link(match):
        target, anchor = match["page"], match["anchor"]
        if files.get_file_from_path(target) is None:
            log.warning("%s names docs/%s, which is no page", page.file.src_uri, target)
            return match[0]
        return f"[{match['text']}]({posixpath.relpath(target, here or '.')}{anchor or ''})"

    lines = []
    for line in markdown.split("\n"):
        if not line.startswith("    "):  # code
            line = re.sub(r"(?P<text>`?docs/(?P<page>[\w/.-]+\.md)`?)(?P<anchor>#[\w-]+)?(?!\))", link, line)
        lines.append(line)
    return "\n".join(lines)
