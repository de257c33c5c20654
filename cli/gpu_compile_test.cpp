// Tests compile as a user runs it, on a few kernels.

#include <stdlib.h>

#include "cli/commands.h"
#include "model/base/file.h"
#include "model/gemm/rules/compiler_rejections.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "tests/seed.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

const std::vector<std::string> kOne{"--random", "1", "--first", "1"};

/// Compiles with a separate cubin cache.
CapturedRun compile(const TemporaryFolder& folder, std::vector<std::string> more) {
  ::setenv("TILECAST_CACHE_DIR", (folder / "cache").c_str(), 1);
  more.insert(more.begin(), {"compile", "--out", (folder / "table.csv").string()});
  const CapturedRun run = run_captured(run_compile, more);
  ::unsetenv("TILECAST_CACHE_DIR");
  return run;
}

}  // namespace

TEST_CASE("compile writes a table that can be read, and finds its kernels in the cache again") {
  const TemporaryFolder folder;
  const std::vector<std::string> some{"--random", "1", "--first", "2"};
  const CapturedRun first = compile(folder, some);
  CAPTURE(first.err);
  CHECK(first.exit_code == 0);
  CHECK(contains(first.out, "2 kernels, 2 compiled now"));
  CHECK(parse_compiler_rejections(read_file(folder / "table.csv"), "table.csv").size() <= 2);
  CHECK(contains(compile(folder, some).out, "2 kernels, 0 compiled now"));
}

TEST_CASE("compile keeps the rows of other kernels") {
  const TemporaryFolder folder;
  CHECK(compile(folder, kOne).exit_code == 0);
  const std::string row =
      "hopper,pipelined,128,192,64,4,1,1,1,1,1,1,2,0,192,shared,bands,tile_end,in_order,,,,tn,none,"
      "one,nvrtc 1.0,spills\n";
  const std::string before = read_file(folder / "table.csv") + row;
  write_file(folder / "table.csv", before);
  CHECK(compile(folder, kOne).exit_code == 0);
  CHECK(read_file(folder / "table.csv") == before);
}

TEST_CASE("The fastest forecast kernels of random problems compile without a rejection") {
  const TemporaryFolder folder;
  const std::string seed = std::to_string(daily_seed("problems whose kernels are compiled"));
  const CapturedRun run = compile(folder, {"--random", "3", "--first", "4", "--seed", seed});
  CAPTURE(seed, run.err, run.out);
  CHECK(run.exit_code == 0);
  CHECK(run.out.starts_with("usable: "));  // a rejection would be printed first
  CHECK(read_file(folder / "table.csv").find('\n') + 1 == read_file(folder / "table.csv").size());
}

TEST_CASE("compile refuses an invalid table and an unknown schedule") {
  const TemporaryFolder folder;
  CHECK(compile(folder, {"--schedule", "blokced"}).exit_code == 2);
  write_file(folder / "table.csv", "m,n,k\n");
  const CapturedRun run = compile(folder, kOne);
  CHECK(run.exit_code == 2);
  CHECK(contains(run.err, "table.csv:1: expected the columns"));
}

}  // namespace tilecast
