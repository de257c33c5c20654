#include "cli/completion.h"

#include "tests/catch.h"

namespace tilecast {

TEST_CASE("The last word is completed by commands, verbs, options or the words of an option") {
  using Words = std::vector<std::string>;
  CHECK(completions({"pre"}) == Words{"predict"});
  CHECK(completions({"prob"}).empty());  // not listed
  CHECK(completions({"campaign", "s"}) == Words{"status", "slurm"});
  CHECK(completions({"completion", ""}) == Words{"bash", "zsh"});
  CHECK(completions({"predict", "--gpu", "h200"}) == Words{"h200_sxm"});
  // Allowed words of one option differ between commands.
  CHECK(completions({"predict", "--format", "c"}) == Words{"csv", "cutlass"});
  CHECK(completions({"doctor", "--format", "c"}).empty());
  CHECK(completions({"predict", "--method", "--a"}).empty());  // a value, not an option
  CHECK(completions({"campaign", "slurm", "--gpus"}) == Words{"--gpus-per-node"});
  CHECK(completions({"doctor", "-"}) == Words{"--help", "--format", "--write-gpu"});
  CHECK(completions({"predict", "1x1x8", "--la"}) == Words{"--layout"});
  CHECK(completions({"predict", "--out-dtype", "bf"}) == Words{"bf16"});
}

}  // namespace tilecast
