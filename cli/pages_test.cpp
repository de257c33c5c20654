// The ladder's tables; those that are committed are checked in committed_data_test.cpp. Runs in the
// repository's root.

#include "cli/commands.h"
#include "model/tile/kernel_config_text.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "validate/compare/ladder.h"
#include "validate/record/example_measurement.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("The ladder is written between the markers, and then is up to date until data change") {
  const TemporaryFolder folder;
  const std::string data = (folder / "d.csv").string();
  const std::string readme = (folder / "R.md").string();
  const std::string config = to_text(load_ladder("kernels/gemm/ladder.yaml").rungs[0].config);
  write_file(data, measurement_csv({example_measurement(config, Seconds{250e-6})}));
  write_file(readme, "before\n<!-- results:begin -->\n<!-- results:end -->\nbehind\n");
  const std::string list = (folder / "p.yaml").string();
  write_file(list, "ladder: {gpu: h200_sxm, data: [" + data + "], pages: [" + readme + "]}\n");
  const std::vector<std::string> arguments{"pages", "--list", list};
  std::vector<std::string> check = arguments;
  check.push_back("--check");

  const CapturedRun stale = run_captured(add_pages, check);
  CHECK(stale.exit_code == 1);
  CHECK(holds(stale.err, "not up to date; run ./tilecast pages ladder"));
  CHECK(run_captured(add_pages, arguments).exit_code == 0);
  const std::string text = read_file(readme);
  CHECK(text.starts_with("before\n"));
  CHECK(text.ends_with("behind\n"));
  CHECK(holds(text, "| 1 | one buffer |"));
  CHECK(run_captured(add_pages, check).exit_code == 0);

  write_file(data, measurement_csv({example_measurement(config, Seconds{260e-6})}));
  CHECK(run_captured(add_pages, check).exit_code == 1);
}

TEST_CASE("Every rung has its section in kernels/gemm/README.md, in order") {
  const std::string readme = read_file("kernels/gemm/README.md");
  const Ladder ladder = load_ladder("kernels/gemm/ladder.yaml");
  std::size_t at = 0;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const std::string heading = "\n### " + std::to_string(i + 1) + ". " + ladder.rungs[i].name;
    CAPTURE(heading);
    at = readme.find(heading + "\n", at);
    REQUIRE(at != std::string::npos);
  }
}

}  // namespace
}  // namespace tilecast
