#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/commands.h"
#include "model/base/regime.h"
#include "model/base/shell_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/op/op.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

/// Words of options that the model parses, which therefore have no row.
OptionWords known_words() {
  OptionWords words{{"--gpu", known_gpus(config_folder())}};
  const auto add = [&](const char* option, auto... values) {
    words[option] = {std::string(to_text(values))...};
  };
  for (i32 i = 0; i < kElementTypes; ++i) {
    words["--dtype"].emplace_back(to_text(static_cast<ElementType>(i)));
  }
  add("--dtype-c", ElementType::kFp16, ElementType::kBf16, ElementType::kFp32, ElementType::kE4m3);
  words["--out-dtype"] = words["--dtype-c"];
  add("--accumulate", Accumulate::kFast, Accumulate::kExact);
  add("--layout", Layout::kTn, Layout::kNn, Layout::kNt, Layout::kTt);
  words["--epilogue"] = {"none"};
  for (const StepRow& step : output_steps()) {
    words["--epilogue"].emplace_back(step.word);
  }
  add("--op", Op::kGemm, Op::kMemcpy, Op::kElementwiseAdd, Op::kAttention);
  add("--regime", Regime::kBurst, Regime::kSustained);
  add("--inputs", Inputs::kNormal, Inputs::kUniform, Inputs::kTernary, Inputs::kZeros);
  for (const Schedule schedule : kEverySchedule) {
    words["--schedule"].emplace_back(to_text(schedule));
  }
  return words;
}

/// A line of a `case`: the words offered after `before`.
std::string offer(const std::string& before, const std::vector<std::string>& words) {
  std::vector<std::string> plain;
  std::ranges::copy_if(words, std::back_inserter(plain), is_plain_shell_word);
  return fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n", before,
                     join(plain, " "));
}

}  // namespace

std::string bash_completion(const OptionWords& words) {
  std::vector<std::string> commands;
  std::map<std::string, std::vector<std::string>> verbs, options;
  std::string by_option, by_command;
  for (const CommandRow& row : kCommands) {
    const std::string name(row.name), command = name.substr(0, name.find(' ')),
                                      own = name.substr(name.rfind(' ') + 1);
    if (row.heading.empty() && own == command) {
      continue;  // for other programs
    }
    if (own == command) {
      commands.push_back(command);
    } else {
      verbs[command].push_back(own);
    }
    for (const CommandOption& option : options_of(own)) {
      for (const std::string& option_name : option.names) {
        const bool dashes = option_name.starts_with("--");
        if (!option.words.empty()) {
          by_option +=
              offer(fmt::format("'{} {}'", command, dashes ? option_name : command), option.words);
        }
        if (dashes) {
          options[command].push_back(option_name);
        }
      }
    }
  }
  for (const auto& [command, own] : verbs) {
    by_option += offer(fmt::format("'{} {}'", command, command), own);
  }
  for (const auto& [option, own] : words) {
    by_option += offer(fmt::format("*' {}'", option), own);
  }
  for (const std::string& command : commands) {
    options[command].emplace_back("--help");
    by_command += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")) ;;\n",
                              command, join(options[command], " "));
  }
  return fmt::format(R"(# bash completion of tilecast: source <(tilecast completion bash)
_tilecast() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=${{COMP_WORDS[1]}}
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  case "$command $before" in
{}  esac
  case $command in
{}  esac
  case $current in
    -*) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _tilecast tilecast
)",
                     join(commands, " "), by_option, by_command);
}

void run_completion(const Arguments& args) {
  if (args.text("SHELL") == "zsh") {
    fmt::print(
        "# zsh completion of tilecast: source <(tilecast completion zsh)\n"
        "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n");
  }
  fmt::print("{}", bash_completion(known_words()));
}

}  // namespace tilecast
