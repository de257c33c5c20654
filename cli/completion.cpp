#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/commands.h"
#include "cli/forward.h"
#include "model/base/error.h"
#include "model/base/regime.h"
#include "model/base/shell_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/op/op.h"
#include "model/spec/load_gpu.h"
#include "validate/run/child_process.h"

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

/// Plain words for a list in a script. Others are left out, since bash expands each word again.
std::string listed(const std::vector<std::string>& words) {
  std::vector<std::string> plain;
  std::ranges::copy_if(words, std::back_inserter(plain), is_plain_shell_word);
  return join(plain, " ");
}

/// Of options whose words the model reads, and so no row has.
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

std::vector<OptionRow> told_by(const std::filesystem::path& program) {
  const ChildResult told = run_child(program, {"option-table"});
  if (!told.started || told.exit_code != 0) {
    throw FileError(fmt::format("{}: does not list its options", program.string()));
  }
  return parse_option_rows(told.output);
}

/// tilecast's rows, and of the commands that it hands on this program's and tilecast-gpu's, where
/// that was built.
std::vector<OptionRow> every_row(const Program& program) {
  std::vector<OptionRow> rows = told_by(main_program());
  std::vector<OptionRow> others = program.options();
  if (std::filesystem::exists(gpu_program())) {
    std::ranges::copy(told_by(gpu_program()), std::back_inserter(others));
  }
  std::ranges::copy_if(others, std::back_inserter(rows),
                       [](const OptionRow& row) { return !row.option.empty(); });
  return rows;
}

/// What a shell finds before a word of the row: the option, or the command where it has no dashes.
std::string before_words(const OptionRow& row) {
  return fmt::format("'{} {}'", row.command, row.has_dashes() ? row.option : row.command);
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
      "  case \"$command $before\" in\n",
      join(commands_of(rows), " "));
  for (const OptionRow& row : rows) {
    if (!row.words.empty()) {
      script += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                            before_words(row), listed(row.words));
    }
  }
  for (const auto& [option, values] : words) {
    script += fmt::format("    *' {}') COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                          option, listed(values));
  }
  script += "  esac\n  case $command in\n";
  for (const std::string& command : commands_of(rows)) {
    std::string options;
    for (const OptionRow& row : rows) {
      if (row.command == command && row.has_dashes()) {
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
  return "# zsh completion of tilecast: source <(tilecast completion zsh)\n"
         "autoload -U +X compinit && compinit\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion(rows, words);
}

void add_completion(Program& program) {
  const Command command = program.command("completion");
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
