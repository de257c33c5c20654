// Tests calibrate as a user runs it, on synthetic rows from the analytic model.

#include <algorithm>
#include <iterator>

#include "cli/commands.h"
#include "model/base/hash.h"
#include "model/base/text.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "validate/calibrate/example_rows.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

/// Rows in a separate folder, and another folder for output.
struct Scene {
  TemporaryFolder folder;
  std::string data = (folder / "rows.csv").string();
  std::string out = (folder / "out/mine.calibrated.yaml").string();

  explicit Scene(int problems = 1) {
    std::filesystem::create_directory(folder / "out");
    write(example_gemm_rows(load_gpu("h200_sxm", false).spec, 0, problems, 12, as_predicted));
  }
  void write(const std::vector<Measurement>& rows) const {
    write_file(data, measurement_csv(rows));
  }
  CapturedRun calibrate(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"calibrate", "--no-simulation", "--threads", "2", "--data", data});
    if (std::ranges::find(more, "--out") == more.end()) {
      more.insert(more.end(), {"--out", out});
    }
    return run_captured(run_calibrate, more);
  }
  std::ptrdiff_t written() const {
    return std::distance(std::filesystem::directory_iterator(folder / "out"), {});
  }

  /// Checks that there is one line on standard error, this exit code, and no file.
  void check_refused(const std::vector<std::string>& more, const std::string& part,
                     ExitCode code = ExitCode::kUsage) const {
    tilecast::check_refused(calibrate(more), part, code);
    CHECK(written() == 0);
  }
};

TEST_CASE("calibrate writes an overlay and a learned correction, and prints a summary") {
  const Scene scene(26);
  const CapturedRun run = scene.calibrate();
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  // There is one line after ten seconds, and so on.
  for (const std::string_view line : split(run.err, '\n')) {
    CHECK((line.empty() || line.starts_with("tilecast: calibrate: ")));
  }
  CHECK(run.out.starts_with("312 rows of 26 problems, 0 excluded."));
  CHECK(scene.written() == 3);
  const std::string overlay = read_file(scene.out);
  CHECK(overlay.starts_with("# Made by `tilecast calibrate --gpu h200_sxm --data " + scene.data +
                            " --out " + scene.out + " --no-simulation`:\n"));
  CHECK(contains(overlay, "\nname: h200_sxm\n"));
  const LearnedModel learned = load_learned(scene.folder / "out/mine.learned.yaml", "h200_sxm");
  CHECK(learned.rows == 312);
  CHECK(learned.overlay == hash_text(overlay));  // so that neither file is used with another
  // Calibrates again with the same overlay: its constants are kept, and it is not rewritten.
  const CapturedRun again = scene.calibrate({"--keep-constants"});
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
  CHECK(read_file(scene.out) == overlay);
  const LearnedModel same = load_learned(scene.folder / "out/mine.learned.yaml", "h200_sxm");
  CHECK(same.overlay == learned.overlay);
  CHECK(same.analytic.cycles.level == Approx(learned.analytic.cycles.level).margin(0.001));
}

TEST_CASE("calibrate refuses unwritable outputs before it fits") {
  const Scene scene;
  const std::string folder = (scene.folder / "out/").string();
  scene.check_refused({"--out", folder + "mine.yaml"},
                      "--out: expected a file NAME.calibrated.yaml, got ");
  scene.check_refused({"--out", folder + ".calibrated.yaml"}, "--out: expected");
  scene.check_refused({"--out", scene.data + "/mine.calibrated.yaml"},
                      "mine.calibrated.yaml: cannot create its directory: Not a directory",
                      ExitCode::kFile);
  // A file that the user wrote is not replaced.
  write_file(scene.folder / "own.learned.yaml", "mine\n");
  scene.check_refused({"--out", (scene.folder / "own.calibrated.yaml").string()},
                      "own.learned.yaml: not written by calibrate");
  // If one of two files cannot be written, neither is.
  const Scene enough(26);
  std::filesystem::create_directory(enough.folder / "taken.calibrated.yaml");
  const CapturedRun run =
      enough.calibrate({"--out", (enough.folder / "taken.calibrated.yaml").string()});
  CHECK(run.exit_code == static_cast<int>(ExitCode::kFile));
  CHECK(contains(run.err, "taken.calibrated.yaml: cannot write: "));
  CHECK_FALSE(std::filesystem::exists(enough.folder / "taken.learned.yaml"));
}

TEST_CASE("calibrate refuses unusable rows") {
  const Scene scene;
  scene.check_refused({}, "expected at least 300 measured GEMMs, got 12 (excluded rows");
  scene.check_refused({"--prior", "b200"},
                      "--prior b200: expected a GPU with a learned correction");
  scene.check_refused({"--prior", "h200_sxm"},
                      "expected at least 60 measured GEMMs, got 12 (excluded rows");
  scene.check_refused({"--gpu", "h100_sxm"},
                      "rows.csv:2: gpu: expected a row measured on h100_sxm or ");
  scene.check_refused({"--data", "/none.csv"}, "/none.csv: cannot read", ExitCode::kFile);
  scene.check_refused({"--split", "/none.yaml"}, "/none.yaml: cannot read", ExitCode::kFile);
  write_file(scene.data, "");
  scene.check_refused({}, "rows.csv:1: expected a header");
}

TEST_CASE("calibrate refuses GPUs on which tilecast's kernels never ran") {
  const Scene scene;
  scene.check_refused({"--gpu", "h200_smx"}, "did you mean h200_sxm?");
  scene.check_refused({"--gpu", "b200"}, "b200: expected a Hopper GPU");
  scene.check_refused({"--gpu", "hipparchus_h10"}, "this GPU is fictional");
}

TEST_CASE("Test problems of a split are excluded from the fit") {
  const Scene scene;
  const std::string split = (scene.folder / "split.yaml").string();
  // The rows of this split have a single problem.
  write_file(split, "rule: a test\njudge: [256x4096x512]\nunfitted_tiles: []\n");
  scene.check_refused({"--split", split}, "got 0 (excluded rows");
}

}  // namespace
}  // namespace tilecast
