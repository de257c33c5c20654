// Tests validate as a user runs it, with the GPU file of the repository.

#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "model/rank/prediction.h"
#include "model/spec/chip_counters.h"
#include "model/spec/learned_model.h"
#include "model/spec/load_gpu.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "validate/record/example_measurement.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

constexpr const char* kConfig =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided";
constexpr const char* kSmall =
    "warp_specialized:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided";

std::vector<Measurement> example_rows() {
  return {example_measurement(kConfig, Seconds{200e-6}),
          example_measurement(kSmall, Seconds{250e-6}),
          example_measurement(std::string(kCublasltTop1), Seconds{190e-6}),
          example_measurement(std::string(kCublasltBest), Seconds{185e-6})};
}

/// A folder with a.csv.
struct Scene {
  TemporaryFolder folder;
  std::string data = (folder / "a.csv").string();

  explicit Scene(const std::vector<Measurement>& rows = example_rows()) {
    write_file(data, measurement_csv(rows));
  }

  CapturedRun validate(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"validate", "--data", data});
    return run_captured(run_validate, more);
  }
};

TEST_CASE("validate --format json writes one JSON object and nothing else") {
  const Scene scene;
  const CapturedRun run = scene.validate({"--format", "json"});
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["schema"] == 1);
  CHECK(json["rows"] == 4);
  CHECK(json["points"] == 2);
  CHECK(json["cublaslt"] == 2);
  CHECK(json["unmatched"] == 0);
  CHECK(json["baselines"]["cublaslt_top1_of_best"]["geomean"].get<double>() ==
        Approx(185.0 / 190).epsilon(1e-6));
  CHECK(json["baselines"]["roofline_mape"].get<double>() > 0);
}

TEST_CASE("validate prints a table unless told otherwise") {
  const CapturedRun run = Scene().validate();
  CHECK(run.exit_code == 0);
  CHECK(run.out.starts_with("h200_sxm, " + std::string(to_text(default_method(Op::kGemm)))));
}

TEST_CASE("validate --worst names points, in JSON without being asked to") {
  const Scene scene;
  const auto json = nlohmann::json::parse(scene.validate({"--format", "json"}).out);
  REQUIRE(json["worst"].size() == 2);
  CHECK(std::abs(std::log1p(json["worst"][0]["error"].get<double>())) >=
        std::abs(std::log1p(json["worst"][1]["error"].get<double>())));
  CHECK_FALSE(nlohmann::json::parse(scene.validate({"--format", "json", "--worst", "0"}).out)
                  .contains("worst"));
  CHECK(!contains(scene.validate().out, "worst points"));
  const std::string table = scene.validate({"--worst", "1"}).out;
  CHECK(contains(table, "worst points"));
  CHECK(contains(table, "worst picks"));
  CHECK(contains(table, "4096x4096x4096 fp16 tn, burst"));
  check_refused(scene.validate({"--worst", "-1"}), "--worst");
}

TEST_CASE("validate compares bytes with the counters of rows that have them") {
  std::vector<Measurement> rows = example_rows();
  const ChipCounters chip = load_chip_counters(config_folder(), "GH100").value();
  for (const CounterSum::Term& term : chip.l2_to_sm_sum.terms) {
    rows[0].counters[term.metric] = 0;
  }
  rows[0].counters["l1tex__m_xbar2l1tex_read_bytes.sum"] = 1e9;
  rows[0].counters["dram__bytes_read.sum"] = 2e8;
  const auto predicted = [&] {
    const CapturedRun run = run_captured(
        run_predict, {"predict", "4096x4096x4096", "--config", kConfig, "--format", "json"});
    return nlohmann::json::parse(run.out)["ranking"][0];
  }();
  const Scene scene(rows);
  const auto json = nlohmann::json::parse(scene.validate({"--format", "json"}).out);
  CHECK(json["l2_to_sm_bytes"]["points"] == 1);
  CHECK(json["l2_to_sm_bytes"]["bias"].get<double>() ==
        Approx(predicted["l2_to_sm_bytes"].get<double>() / 1e9 - 1).margin(1e-5));
  CHECK(json["dram_read_bytes"]["bias"].get<double>() ==
        Approx(predicted["dram_read_bytes"].get<double>() / 2e8 - 1).margin(1e-5));
  CHECK(json["l2_hit"]["bias_points"].get<double>() ==
        Approx(100 * (predicted["l2_hit_rate"].get<double>() - 0.8)).margin(1e-2));
  const std::string table = scene.validate().out;
  CHECK(contains(table, "  L2-to-SM bytes"));
  CHECK(contains(table, "  L2 hit rate"));
}

TEST_CASE("The fixed tiling for a test set is chosen on the training rows") {
  // Both parts have both shapes. The small tile is faster in the training set, the large one in the
  // test set.
  std::vector<Measurement> rows{example_measurement(kConfig, Seconds{300e-6}),
                                example_measurement(kSmall, Seconds{250e-6}),
                                example_measurement(kConfig, Seconds{100e-6}, {4096, 4096, 2048}),
                                example_measurement(kSmall, Seconds{125e-6}, {4096, 4096, 2048})};
  for (Measurement& row : rows) {
    row.revision = current_revision(row.point);
  }
  const Scene scene(rows);
  const std::string split = (scene.folder / "split.yaml").string();
  write_file(split, "rule: x\njudge: [4096x4096x2048]\nunfitted_tiles: [256x144]\n");
  const auto fixed = [&](const std::string& part) {
    return nlohmann::json::parse(
        scene.validate({"--format", "json", "--split", split, "--part", part})
            .out)["baselines"]["fixed_tiling"];
  };
  CHECK(fixed("judge")["config"] == kSmall);
  CHECK(fixed("judge")["chosen_on"] == "fit");
  CHECK(fixed("judge")["geomean"] == 0.8);
  CHECK(fixed("fit")["config"] == kSmall);
  CHECK(fixed("fit")["chosen_on"] == "these");
  CHECK(fixed("fit")["geomean"] == 1);
}

TEST_CASE("validate --method simulated compares simulations, the same on any number of threads") {
  const Scene scene;
  std::string outputs[2];
  for (const int threads : {1, 2}) {
    const CapturedRun run = scene.validate(
        {"--format", "json", "--method", "simulated", "--threads", std::to_string(threads)});
    CHECK(run.exit_code == 0);
    CHECK(run.err.empty());  // no progress bar without a terminal
    outputs[threads - 1] = run.out;
  }
  CHECK(outputs[0] == outputs[1]);
  const auto simulated = nlohmann::json::parse(outputs[0]);
  const auto analytic =
      nlohmann::json::parse(scene.validate({"--format", "json", "--method", "analytic"}).out);
  CHECK(simulated["method"] == "simulated");
  CHECK(simulated["simulated"] == 2);
  CHECK(analytic["method"] == "analytic");
  CHECK(analytic["simulated"] == 0);
  CHECK(simulated["cycles"]["mape"] != analytic["cycles"]["mape"]);
}

/// A model without trees: every kernel took longer by that logarithm.
LearnedModel slower_by(double cycles) {
  LearnedModel model{.scale = std::vector<FeatureScale>(std::size(kGemmFeatures))};
  model.analytic.cycles.level = cycles;
  return model;
}

TEST_CASE("validate --no-correction keeps the overlay and omits the learned correction") {
  const Scene scene;
  const std::string gpu = (scene.folder / "h200_sxm.yaml").string();
  std::filesystem::copy_file(config_folder() / "gpus" / "h200_sxm.yaml", gpu);
  write_file(scene.folder / "h200_sxm.calibrated.yaml",
             "name: h200_sxm\npower: {sustained_limit: {value: 690, unit: W, source: measured, "
             "confidence: high, ref: \"x\"}}\n");
  const LearnedModel model = slower_by(0.4);  // cycles times exp(0.4) = 1.49
  write_file(scene.folder / "h200_sxm.learned.yaml", learned_yaml("h200_sxm", model));
  write_file(scene.folder / "h200_sxm.learned.csv", learned_csv(model));
  const auto validated = [&](std::vector<std::string> more, const std::string& headline) {
    more.insert(more.begin(), {"--gpu", gpu, "--method", "analytic"});
    CHECK(scene.validate(more).out.starts_with(headline));
    more.insert(more.end(), {"--format", "json"});
    return nlohmann::json::parse(scene.validate(more).out);
  };
  const auto with = validated({}, "h200_sxm, analytic, calibrated: 2 points");
  const auto without =
      validated({"--no-correction"}, "h200_sxm, analytic, calibrated without correction: 2 points");
  const auto none = validated({"--no-calibration"}, "h200_sxm, analytic: 2 points");
  CHECK(with["residual_model"]["used"] == true);
  CHECK(without["residual_model"]["used"] == false);
  CHECK(none["residual_model"]["used"] == false);
  CHECK(without["calibrated"] == true);
  CHECK(none["calibrated"] == false);
  CHECK(with["cycles"]["bias"].get<double>() > without["cycles"]["bias"].get<double>() + 0.3);
}

TEST_CASE("A record of one method is not checked against another") {
  const Scene scene;
  const std::string record = (scene.folder / "record.json").string();
  CHECK(scene.validate({"--method", "analytic", "--record", record}).exit_code == 0);
  const CapturedRun run = scene.validate({"--method", "simulated", "--check", record});
  CHECK(run.exit_code == 2);
  CHECK(contains(run.err, "method: expected \"simulated\""));
  CHECK(scene.validate({"--check", record}).exit_code == 0);  // uses the method of the record
}

TEST_CASE("A row that the model refuses is counted and named, and the rest is compared") {
  std::vector<Measurement> rows = example_rows();
  for (const int stages : {90, 91, 92, 93, 94, 95, 96}) {
    std::string config = kConfig;
    rows.push_back(example_measurement(
        config.replace(config.find("stages=4"), 8, "stages=" + std::to_string(stages)),
        Seconds{1e-4}));
  }
  const CapturedRun run = Scene(rows).validate({"--format", "json"});
  CHECK(run.exit_code == 0);
  CHECK(nlohmann::json::parse(run.out)["unmatched"] == 7);
  CHECK(contains(run.err, "a.csv:6: "));
  CHECK(contains(run.err, "no prediction for 2 more rows\n"));
}

TEST_CASE("A recorded error passes its own check, and a better past one fails it") {
  const Scene scene;
  const std::string record = (scene.folder / "record.json").string();
  CHECK(scene.validate({"--record", record}).exit_code == 0);
  CHECK(scene.validate({"--check", record}).exit_code == 0);
  auto json = nlohmann::ordered_json::parse(read_file(record));
  json["time_mape"]["burst"] = json["time_mape"]["burst"].get<double>() - 0.01;
  write_file(record, json.dump());
  const CapturedRun worse = scene.validate({"--check", record});
  CHECK(worse.exit_code == 1);
  CHECK(contains(worse.err, "worse than recorded: time_mape/burst was "));
}

TEST_CASE("validate refuses bad input with one line and its exit code") {
  const Scene scene;
  const std::string good = read_file(scene.data);
  SECTION("malformed row") {
    write_file(scene.data, good + "1,2,3\n");
    check_refused(scene.validate(), "fields as in the header, got 3");
  }
  SECTION("cut-off file") {
    write_file(scene.data, good.substr(0, good.size() - 5));
    check_refused(scene.validate(), "a.csv:5: the file ends inside this line");
  }
  SECTION("cut-off gzip file") {
    gzFile file = gzopen(scene.data.c_str(), "wb");
    gzwrite(file, good.data(), static_cast<unsigned>(good.size()));
    gzclose(file);
    CHECK(scene.validate().exit_code == 0);
    const std::string packed = read_file(scene.data);
    write_file(scene.data, packed.substr(0, packed.size() / 2));
    check_refused(scene.validate(), "the compressed data ends early");
  }
  SECTION("header only") {
    write_file(scene.data, good.substr(0, good.find('\n') + 1));
    check_refused(scene.validate(), "no measured rows");
  }
  SECTION("empty file") {
    write_file(scene.data, "");
    check_refused(scene.validate(), "a.csv:1: expected a header");
  }
  SECTION("missing file") {
    check_refused(scene.validate({"--data", "/none.csv"}), "/none.csv: cannot read",
                  ExitCode::kFile);
  }
  SECTION("no --data") { check_refused(run_captured(run_validate, {"validate"}), "--data"); }
  SECTION("rows of another GPU") {
    check_refused(scene.validate({"--gpu", "h100_sxm"}), "a.csv:2: gpu: ");
  }
  SECTION("unknown GPU") { check_refused(scene.validate({"--gpu", "h200_smx"}), "h200_sxm"); }
  SECTION("GPU that no schedule runs on") {
    check_refused(scene.validate({"--gpu", "hipparchus"}), "hipparchus_h10");
  }
  SECTION("unknown method") { check_refused(scene.validate({"--method", "guessed"}), "guessed"); }
  SECTION("unknown format") { check_refused(scene.validate({"--format", "xml"}), "xml"); }
}

TEST_CASE("Data without a point to compare is refused with the counts") {
  std::vector<Measurement> rows = example_rows();
  rows[0].verified = false;
  rows[1].status = Status::kWrong;
  rows[1].reason = "off by 3 %";
  check_refused(Scene(rows).validate(),
                "of 4 rows 2 are excluded, 2 are cuBLASLt's and 0 have no prediction");
}

TEST_CASE("A broken record is refused") {
  const Scene scene;
  write_file(scene.folder / "r.json", "{");
  const CapturedRun run = scene.validate({"--check", (scene.folder / "r.json").string()});
  CHECK(run.exit_code == 2);
  CHECK(contains(run.err, "r.json: expected a JSON object"));
  CHECK(scene.validate({"--check", "/none.json"}).exit_code == 6);
}

TEST_CASE("--public compares forecasts with a list of sources instead of measurements") {
  const TemporaryFolder folder;
  const std::string rows = (folder / "r.csv").string(), list = (folder / "l.yaml").string();
  write_file(rows, "gpu,m,n,k,median_us\nh200_sxm,512,512,512,5\n");
  write_file(list, "sources:\n  - {name: theirs, gpu: h200_sxm, format: library, claim: c, file: " +
                       rows + ", limit_percent: 10}\n");
  const CapturedRun table = run_captured(run_validate, {"validate", "--public", list});
  CHECK(table.exit_code == 0);
  CHECK(contains(table.out, "| [theirs]("));
  const CapturedRun json =
      run_captured(run_validate, {"validate", "--public", list, "--format", "json"});
  const auto source = nlohmann::json::parse(json.out)["sources"][0];
  CHECK(source["rows"] == 1);
  CHECK(source["cases"][0]["claimed_us"] == 5);
  check_refused(run_captured(run_validate, {"validate", "--public", list, "--data", rows}),
                "--public");
}

}  // namespace
}  // namespace tilecast
