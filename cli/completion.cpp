#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/forward.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "model/tile/schedule_text.h"

namespace tilecast {
namespace {

std::vector<std::string> commands_of(const std::vector<OptionRow>& rows) {
  std::vector<std::string> commands;
  for (const OptionRow& row : rows) {
    if (row.option.empty()) {
      commands.push_back(row.command);
    }
  }
  return commands;
}

/// Fit to stand between single quotes in a shell.
std::string shell_quoted(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return "'" + result + "'";
}

/// And in zsh's lists of `word:description`.
std::string described(std::string_view word, std::string_view description) {
  std::string plain;
  for (const char c : description) {
    plain += c == ':' ? "\\:" : std::string(1, c);
  }
  return shell_quoted(fmt::format("{}:{}", word, plain));
}

OptionWords known_words() {
  OptionWords words{{"completion", {"bash", "zsh"}},
                    {"list", {"gpus", "schedules", "dtypes", "epilogues", "layouts"}},
                    {"--gpu", known_gpus(config_folder())},
                    {"--dtype", {"fp16", "bf16", "fp32"}},
                    {"--layout", {"tn", "nn"}},
                    {"--op", {"gemm", "memcpy", "elementwise_add"}},
                    {"--regime", {"burst", "sustained"}},
                    {"--inputs", {"normal", "uniform", "ternary", "zeros"}},
                    {"--method", {"analytic", "simulated"}},
                    {"--format", {"table", "json", "csv", "jsonl"}}};
  for (const Schedule schedule : kEverySchedule) {
    words["--schedule"].emplace_back(to_text(schedule));
  }
  return words;
}

/// tilecast's rows, and of the commands that it hands on this program's and tilecast-gpu's.
std::vector<OptionRow> every_row(const Program& program) {
  const auto told = [](const std::filesystem::path& other) {
    return parse_option_rows(run_child(other, {"option-table"}).output);
  };
  std::vector<OptionRow> rows = told(main_program());
  for (const std::vector<OptionRow>& others : {program.options(), told(gpu_program())}) {
    std::ranges::copy_if(others, std::back_inserter(rows),
                         [](const OptionRow& row) { return !row.option.empty(); });
  }
  return rows;
}

}  // namespace

std::string bash_completion(const std::vector<OptionRow>& rows, const OptionWords& words) {
  std::string script = fmt::format(
      "# bash completion of tilecast: source <(tilecast completion bash)\n"
      "_tilecast() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local command=${{COMP_WORDS[1]}}\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $before in\n",
      join(commands_of(rows), " "));
  for (const auto& [option, values] : words) {
    script += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                          option, join(values, " "));
  }
  script += "  esac\n  case $command in\n";
  for (const std::string& command : commands_of(rows)) {
    std::string options;
    for (const OptionRow& row : rows) {
      if (row.command == command && !row.option.empty()) {
        options += row.option + " ";
      }
    }
    script += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")) ;;\n", command,
                          options);
  }
  return script +
         "  esac\n"
         "  case $current in\n"
         "    -*) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _tilecast tilecast\n";
}

std::string zsh_completion(const std::vector<OptionRow>& rows, const OptionWords& words) {
  std::string script =
      "#compdef tilecast\n"
      "# zsh completion of tilecast: source <(tilecast completion zsh)\n"
      "_tilecast() {\n"
      "  local -a found\n"
      "  if (( CURRENT == 2 )); then\n"
      "    found=(\n";
  for (const OptionRow& row : rows) {
    if (row.option.empty()) {
      script += "      " + described(row.command, row.command_help) + "\n";
    }
  }
  script +=
      "    )\n"
      "    _describe command found\n"
      "    return\n"
      "  fi\n"
      "  case ${words[CURRENT-1]} in\n";
  for (const auto& [option, values] : words) {
    script += fmt::format("    {}) found=({}); _describe value found; return ;;\n", option,
                          join(values, " "));
  }
  script +=
      "  esac\n"
      "  if [[ ${words[CURRENT]} != -* ]]; then\n"
      "    _files\n"
      "    return\n"
      "  fi\n"
      "  case ${words[2]} in\n";
  for (const std::string& command : commands_of(rows)) {
    script += "    " + command + ") found=(\n";
    for (const OptionRow& row : rows) {
      if (row.command == command && !row.option.empty()) {
        script += "      " + described(row.option, row.option_help) + "\n";
      }
    }
    script += "    ) ;;\n";
  }
  return script +
         "  esac\n"
         "  _describe option found\n"
         "}\n"
         "compdef _tilecast tilecast\n";
}

void add_completion(Program& program) {
  const Command command =
      program.command("completion", "A script by which bash or zsh completes commands and options");
  const auto shell = std::make_shared<std::string>();
  command.option("SHELL", *shell, "bash: source <(tilecast completion bash); zsh")
      .required()
      .one_of({"bash", "zsh"});
  command.runs([shell, &program] {
    const auto script = *shell == "bash" ? bash_completion : zsh_completion;
    fmt::print("{}", script(every_row(program), known_words()));
  });
}

}  // namespace tilecast
