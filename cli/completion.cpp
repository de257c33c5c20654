#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/commands.h"
#include "cli/list.h"
#include "model/base/shell_text.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

/// Words of an option that the model defines and the table therefore lacks: --dtype accepts the
/// words of `list dtypes`.
std::vector<std::string> words_of(const std::string& option) {
  if (option == "--gpu" || option == "NAME") {
    return known_gpus(config_folder());
  }
  const std::string one =
      option == "--out-dtype" ? "dtype" : option.substr(option.find_first_not_of('-'));
  std::vector<std::string> words;
  const std::vector<CommandOption> listed_kinds = options_of("list");
  for (const std::string& kind : listed_kinds.front().words) {
    for (const ListedWord& listed :
         kind == one || kind == one + "s" ? listed_words(kind) : std::vector<ListedWord>()) {
      words.push_back(listed.word);
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> completions(const std::vector<std::string>& words) {
  std::vector<std::string> offered;
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  std::string command = words.size() > 1 ? words[0] : "";
  for (const CommandRow& row : kCommands) {
    const std::string name(row.name);
    if (words.size() == 1 && !row.heading.empty()) {
      offered.push_back(name);
    } else if (words.size() == 2 && name.starts_with(command + " ")) {
      offered.push_back(name.substr(command.size() + 1));
    } else if (words.size() > 2 && name == command + " " + words[1]) {
      command = words[1];
      break;
    }
  }
  bool is_value = false;
  for (const CommandOption& option : options_of(command)) {
    if (option.goes_by_place() ? words.size() == 2
                               : std::ranges::find(option.names, before) != option.names.end()) {
      is_value = is_value || (!option.goes_by_place() && !option.row.value.empty());
      const std::vector<std::string>& own = option.words;
      std::ranges::copy(own.empty() ? words_of(option.name()) : own, std::back_inserter(offered));
    }
  }
  if (!is_value && words.size() > 1 && words.back().starts_with('-')) {
    offered = {"--help"};
    for (const CommandOption& option : options_of(command)) {
      if (!option.goes_by_place()) {
        std::ranges::copy(option.names, std::back_inserter(offered));
      }
    }
  }
  std::erase_if(offered, [&](const std::string& word) {
    return !word.starts_with(words.back()) || !is_plain_shell_word(word);
  });
  return offered;
}

void run_completion(const Arguments& args) {
  if (args.given("LINE")) {
    const std::string line = args.text("LINE");
    std::vector<std::string> words;
    for (const std::string_view word : split(line, ' ')) {
      words.emplace_back(word);
    }
    words.erase(words.begin());
    fmt::print("{}\n", words.empty() ? "" : join(completions(words), "\n"));
    return;
  }
  fmt::print(
      R"({}_tilecast() {{
  COMPREPLY=($("${{COMP_WORDS[0]}}" completion bash "${{COMP_WORDS[*]:0:COMP_CWORD+1}}" 2>/dev/null))
}}
complete -o default -F _tilecast tilecast
)",
      args.text("SHELL") == "zsh"
          ? "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
          : "");
}

}  // namespace tilecast
