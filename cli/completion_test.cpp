#include "cli/completion.h"

#include "tests/catch.h"

namespace tilecast {

TEST_CASE("The script has every command, option and word, but none that a shell would expand") {
  const std::string bash = bash_completion({{"--gpu", {"$(id)", "b200", "h200_sxm", "x'; id"}}});
  CHECK(bash.find("compgen -W 'predict explain ") != std::string::npos);
  const auto offers = [&](const std::string& before, const std::string& offered) {
    return bash.find(before + ") COMPREPLY=($(compgen -W '" + offered) != std::string::npos;
  };
  CHECK(offers("*' --gpu'", "b200 h200_sxm'"));
  // Words of one option differ from command to command; those of a place follow the command.
  CHECK(offers("'predict --format'", "table json csv jsonl cutlass'"));
  CHECK(offers("'doctor --format'", "table json'"));
  CHECK(offers("'completion completion'", "bash zsh'"));
  CHECK(offers("'campaign campaign'", "expand plan status merge slurm'"));
  CHECK(offers("doctor", "--format --write-gpu --help'"));
  CHECK(bash.find("probe") == std::string::npos);
}

}  // namespace tilecast
