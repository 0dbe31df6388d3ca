#include "cli/shell.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace hipsight::cli {
namespace {

std::vector<const CLI::App*> commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}
std::vector<const CLI::Option*> options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* one) { return one->nonpositional(); });
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// "run", "kpi record": each command that takes options, by its words.
void list(const CLI::App& app, const std::string& name,
          std::vector<std::pair<std::string, const CLI::App*>>& all) {
  for (const CLI::App* one : commands(app)) {
    const std::string words = name.empty() ? one->get_name() : name + " " + one->get_name();
    all.emplace_back(words, one);
    list(*one, words, all);
  }
}
std::vector<std::pair<std::string, const CLI::App*>> list(const CLI::App& app) {
  std::vector<std::pair<std::string, const CLI::App*>> all;
  list(app, "", all);
  return all;
}

/// The words that may come behind a command: options and further commands.
std::string next_words(const CLI::App& app) {
  std::string words;
  for (const CLI::App* one : commands(app)) words += one->get_name() + " ";
  for (const CLI::Option* one : options(app))
    for (const std::string& name : one->get_lnames()) words += "--" + name + " ";
  return words.substr(0, words.find_last_not_of(' ') + 1);
}

/// Text for man: no line may begin with a dot, and a hyphen is a minus.
std::string roff(const std::string& text) {
  std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  out = replaced(out, "\n.", "\n\\&.");
  return out.starts_with('.') ? "\\&" + out : out;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string cases;
  for (const auto& [name, command] : list(app))
    cases += fmt::format("    \"{}\") words=\"{}\" ;;\n", name, next_words(*command));
  return fmt::format(
      R"(# bash completion for hipsight: source <(hipsight completion bash)
_hipsight() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command= words= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word != -- ]] || {{ # the program's own
      COMPREPLY=($(compgen -f -- "$current"))
      return
    }}
    case $word in
      -*) ;;
      record | check | diff) [[ $command != kpi ]] && command=${{command:-$word}} || command="kpi $word" ;;
      *) command=${{command:-$word}} ;;
    esac
  done
  case $command in
    "") words="{}" ;;
{}  esac
  if [[ $current == -* || -z $command ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _hipsight hipsight
)",
      next_words(app), cases);
}

std::string zsh_completion(const CLI::App& app) {
  const auto quoted = [](const std::string& text) {
    std::string out = replaced(text, "'", "'\\''");
    for (const char* c : {"[", "]", ":"}) out = replaced(out, c, std::string("\\") + c);
    return replaced(out, "\n", " ");
  };
  std::string names, cases;
  for (const CLI::App* command : commands(app))
    names += fmt::format("    '{}:{}'\n", command->get_name(), quoted(command->get_description()));
  for (const CLI::App* command : commands(app)) {
    std::string words;
    for (const CLI::Option* one : options(*command))
      for (const std::string& name : one->get_lnames())
        words += fmt::format(" \\\n        '--{}[{}]{}'", name, quoted(one->get_description()),
                             one->get_items_expected_max() ? ":value:_files" : "");
    cases += fmt::format("    {}) _arguments{} \\\n        '*:file:_files' ;;\n",
                         command->get_name(), words);
  }
  return fmt::format(
      R"(#compdef hipsight
# zsh completion for hipsight: source <(hipsight completion zsh)
_hipsight() {{
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
compdef _hipsight hipsight
)",
      names, cases);
}

std::string man_page(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH HIPSIGHT 1 \"\" \"hipsight\"\n.SH NAME\nhipsight \\- {}\n.SH SYNOPSIS\n.B hipsight\n"
      ".I COMMAND\n[\\fIOPTIONS\\fR] [\\-\\-] [\\fIPROGRAM\\fR [\\fIARGUMENTS\\fR]]\n"
      ".SH COMMANDS\n",
      roff("run, check, explain and predict AMD GPU kernels without a GPU"));
  for (const auto& [name, command] : list(app)) {
    out += fmt::format(".SS hipsight {}\n{}\n", roff(name), roff(command->get_description()));
    for (const CLI::Option* one : options(*command)) {
      if (one->get_lnames().empty() || one->get_lnames().front() == "help") continue;
      std::string names;
      for (const std::string& letter : one->get_snames()) names += fmt::format("\\-{}, ", letter);
      names += "\\-\\-" + roff(one->get_lnames().front());
      const std::string value = one->get_items_expected_max() ? one->get_type_name() : "";
      out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", names,
                         value.empty() ? "" : " \\fI" + roff(value) + "\\fR",
                         roff(one->get_description()));
    }
    if (const std::string footer = command->get_footer(); !footer.empty())
      out += ".PP\n.nf\n" + roff(footer) + "\n.fi\n";
  }
  return out +
         ".SH EXIT STATUS\nThe program's own. If that is 0: 86 after a kernel error, 87 after a "
         "finding or a condition that holds, 124 after a kernel that ran too long. 125 for a wrong "
         "command line; 126 and 127 as in shells.\n"
         ".SH ENVIRONMENT\nEach option is a variable, too: \\-\\-gpu is HIPSIGHT_GPU. "
         "\\fBhipsight config\\fR lists all of them and their values.\n";
}

}  // namespace hipsight::cli
