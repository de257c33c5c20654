// Tests explain, and predict by both methods, as a user runs them. The tests check required parts
// and their consistency instead of stored outputs.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/commands.h"
#include "model/rank/prediction.h"
#include "tests/captured_run.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

using Json = nlohmann::json;

constexpr const char* kWide =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided";
constexpr const char* kSmall =
    "pipelined:tile=128x128x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=0,"
    "raster=grouped_m,group=8";
constexpr const char* kShape = "2048x2048x1024";

CapturedRun explain(std::vector<std::string> more, const std::string& shape = kShape) {
  more.insert(more.begin(), {"explain", shape});
  return run_captured(run_explain, more);
}

CapturedRun predict(std::vector<std::string> more, const std::string& shape = kShape) {
  more.insert(more.begin(), {"predict", shape, "--format", "json"});
  return run_captured(run_predict, more);
}

void check_shares(const Json& shares) {
  for (const auto& [name, share] : shares.items()) {
    CAPTURE(name);
    CHECK(share.get<double>() >= 0);
    CHECK(share.get<double>() <= (name == "sm_clock_mhz" ? 1980 : 1));
  }
}

void check_kernel(const Json& kernel) {
  for (const char* field : {"config", "method", "cycles", "sm_clock_mhz", "time_us", "interval_us",
                            "tflops", "power_w", "energy_mj", "limiter", "closed_form", "without",
                            "shares", "bytes", "occupancy", "waves", "energy", "clock_limiter"}) {
    CAPTURE(field);
    CHECK(kernel.contains(field));
  }
  const double time = kernel["time_us"];
  CHECK(kernel["cycles"].get<double>() / kernel["sm_clock_mhz"].get<double>() ==
        Approx(time).epsilon(1e-4));
  CHECK(kernel["interval_us"][0].get<double>() < time);
  CHECK(kernel["interval_us"][1].get<double>() > time);
  check_shares(kernel["shares"]);
  const Json& bytes = kernel["bytes"];
  CHECK(
      bytes["l2_hit_rate"].get<double>() ==
      Approx(1 - bytes["dram_read"].get<double>() / bytes["l2_to_sm"].get<double>()).epsilon(1e-3));
  const Json& energy = kernel["energy"];
  double sum = 0;
  for (const char* part : {"tensor_j", "shared_memory_j", "l2_j", "dram_j", "idle_j"}) {
    CHECK(energy[part].get<double>() >= 0);
    sum += energy[part].get<double>();
  }
  CHECK(energy["total_j"].get<double>() == Approx(sum).epsilon(1e-4));
  for (const Json& part : kernel["without"]) {
    CHECK(part["saves"].get<double>() > 0);
  }
  if (kernel["method"] == "simulated") {
    check_shares(kernel["time_of_sms"]);
    CHECK(bytes["l2_output"].get<double>() <= bytes["l2_to_sm"].get<double>());
    CHECK(bytes["l2_to_sm"].get<double>() <= bytes["sm_intake"].get<double>());
    for (Json phase : kernel["phases"]) {
      CHECK(phase["begin_us"].get<double>() < phase["end_us"].get<double>());
      phase.erase("begin_us");
      phase.erase("end_us");
      check_shares(phase);
    }
  }
}

TEST_CASE("explain --format json has its fields, and they agree with each other") {
  const CapturedRun run = explain({"--config", kWide, kSmall, "--format", "json"});
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  const Json json = Json::parse(run.out);
  CHECK(json["schema"] == 2);
  CHECK(json["problem"]["batch"] == 1);
  CHECK(json["gpu"] == "h200_sxm");
  CHECK(json["problem"]["k"] == 1024);
  REQUIRE(json["kernels"].size() == 2);
  CHECK(json["kernels"][0]["config"] == kWide);
  CHECK(json["kernels"][1]["config"] == kSmall);
  for (const Json& kernel : json["kernels"]) {
    check_kernel(kernel);
    CHECK(kernel["method"] == "simulated");
    CHECK(kernel["phases"].size() > 1);
    const Json& against = kernel["against_best"];
    CHECK(against["time"].get<double>() ==
          Approx(kernel["time_us"].get<double>() / json["best"]["time_us"].get<double>())
              .epsilon(1e-3));
    CHECK_FALSE(against["why"].empty());
  }
  check_kernel(json["best"]);
}

TEST_CASE("SMs receive at least L2's bytes, with out-of-bounds rows and a bias too") {
  for (const char* config : {kWide, kSmall}) {
    const CapturedRun run =
        explain({"--no-best", "--config", config, "--epilogue", "bias_m", "--format", "json"},
                "1000x129x520");
    const Json bytes = Json::parse(run.out)["kernels"][0]["bytes"];
    CHECK(bytes["sm_intake"] >= bytes["l2_to_sm"]);
    // Bytes are equal without multicast.
    CHECK((bytes["sm_intake"] == bytes["l2_to_sm"]) == (config == kSmall));
  }
}

TEST_CASE("L2 delivers more sectors than the SMs' bytes if rows start inside a sector") {
  for (const char* shape : {"4096x24x4104", "2048x2048x1024"}) {
    const bool narrow = shape == std::string("4096x24x4104");
    // Rows of B have 48 bytes, and half of the kernel's columns are out of bounds.
    std::vector<std::string> asked{"--no-best", "--layout", "nn"};
    if (narrow) {
      asked.insert(asked.end(), {"--config", "ws:tile=128x64x64"});
    }
    std::vector<std::string> as_json = asked;
    as_json.insert(as_json.end(), {"--format", "json"});
    const Json json = Json::parse(explain(as_json, shape).out);
    const Json bytes = (narrow ? json["kernels"][0] : json["best"])["bytes"];
    CHECK((bytes["l2_output"] > bytes["l2_to_sm"]) == narrow);
  }
}

TEST_CASE("A bottleneck that saves nothing if it costs nothing is reported as none") {
  for (const char* shape : {"4096x4096x64", "2048x2048x1024"}) {
    const Json best = Json::parse(explain({"--no-best", "--format", "json"}, shape).out)["best"];
    double saved = 0;
    for (const Json& part : best["without"]) {
      saved += part["part"] == best["limiter"] ? part["saves"].get<double>() : 0;
    }
    const std::string text = explain({"--no-best"}, shape).out;
    CHECK(contains(text, "alone is not the limit") == (saved < 0.01));
  }
}

TEST_CASE(
    "Of a kernel too large to simulate the closed form is compared, in columns of their own") {
  const std::string large =
      "persistent:tile=128x64x64,stages=6,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
      "raster=grouped_m,group=8,walk=strided";
  const std::string text = explain({"--config", large}, "262144x262144x65536").out;
  CHECK(contains(
      run_captured(run_predict, {"predict", "262144x262144x65536", "--config", large, "--verbose"})
          .err,
      "1 candidates, 0 simulated"));
  CHECK(contains(text, "A  Only #1 is simulated; by the analytic model it is "));
}

TEST_CASE("explain compares at most three configurations, and names waves of whole tiles only") {
  check_refused(explain({"--config", "ws", "pp", "pipelined", "persistent"}),
                "up to 3 configurations");
  CHECK(std::ranges::count(explain({"--config", "ws", "pp", "stream_k"}).out, '\n') <= 25);
  const std::string text = explain({"--config", "stream_k"}).out;
  CHECK(contains(text, "\nA  "));
  CHECK(!contains(text, "waves, the last"));
  CHECK(!contains(text, "extra cost"));
}

TEST_CASE("explain names waves as a reason only if the partial one explains the difference") {
  // 256 tiles are 1.94 waves on 132 SMs, and twice as many as the best kernel's 0.97, of half the
  // size each: both leave 3 % of the SMs idle.
  const std::string smaller = explain({"--config", "ws 128x128x64 c1x1 o1"}, "2048x2048x2048").out;
  CHECK(contains(smaller, " cycles: SM time "));
  CHECK(!contains(smaller, "waves, the last"));
  // 18 x 16 tiles are 2.18 waves, and take the time of three.
  const std::string idle = explain({"--config", "ws 128x256x64 c1x1"}, "2304x4096x4096").out;
  CHECK(contains(idle, "288 tiles on 132 CTAs take 2.2 waves, the last 18 % full"));
}

TEST_CASE("explain writes CSV in the columns of predict, and JSON on one line") {
  const std::string csv = explain({"--config", kWide, kSmall, "--format", "csv"}).out;
  const std::string row =
      run_captured(run_predict, {"predict", kShape, "--config", kWide, "--format", "csv"}).out;
  CHECK(csv.substr(0, csv.find('\n')) == row.substr(0, row.find('\n')));
  CHECK(std::ranges::count(csv, '\n') == 4);  // titles, the best and two kernels
  const std::string line = explain({"--config", kWide, "--format", "jsonl"}).out;
  CHECK(line.find('\n') == line.size() - 1);
  CHECK(Json::parse(line)["kernels"][0]["config"] == kWide);
}

TEST_CASE("explain gives the times that predict gives, also of kernels that predict estimates") {
  const std::vector<std::string> problem{"5120x13824x5120", "--dtype", "bf16", "--format", "json"};
  const auto answer = [&](const char* command, auto run) {
    std::vector<std::string> words = problem;
    words.insert(words.begin(), command);
    return Json::parse(run_captured(run, words).out);
  };
  const Json predicted = answer("predict", run_predict), told = answer("explain", run_explain);
  std::map<std::string, double> times;
  for (const Json& row : predicted["by_tile"]) {
    times[row["config"]] = row["time_us"];
  }
  times[predicted["cutlass"]["config"]] = predicted["cutlass"]["time_us"];
  CHECK(told["best"]["time_us"] == predicted["ranking"][0]["time_us"]);
  REQUIRE(told["kernels"].size() == 2);
  for (const Json& kernel : told["kernels"]) {
    CAPTURE(kernel["config"]);
    CHECK(kernel["time_us"].get<double>() == Approx(times.at(kernel["config"])).epsilon(1e-4));
  }
}

TEST_CASE("explain reports the share of padding rows in the tiles") {
  const std::vector<std::string> asked{"--config", kWide, "--no-best", "--method", "analytic"};
  std::vector<std::string> as_json = asked;
  as_json.insert(as_json.end(), {"--format", "json"});
  const auto waves = [&](const std::string& shape) {
    return Json::parse(explain(as_json, shape).out)["kernels"][0]["waves"];
  };
  // 273 rows take two clusters of 256 rows: 239 of 512 are empty.
  CHECK(waves("[256,0,17]x2048x512")["rows_of_no_group"].get<double>() ==
        Approx(239.0 / 512).margin(1e-4));
  CHECK(
      contains(explain(asked, "[256,0,17]x2048x512").out, "\npadding rows of tiles      46.7 %\n"));
  CHECK_FALSE(waves("273x2048x512").contains("rows_of_no_group"));
  CHECK(!contains(explain(asked, "273x2048x512").out, "padding rows"));
}

TEST_CASE("explain splits the cost of groups into parts") {
  std::vector<std::string> asked{"--config", kWide, "--no-best", "--method", "analytic"};
  CHECK(contains(explain(asked, "[257,0,200]x2048x512").out, "\ncost of partial tiles"));
  CHECK(!contains(explain(asked, "273x2048x512").out, "imbalance"));
  asked.insert(asked.end(), {"--format", "json"});
  const Json groups =
      Json::parse(explain(asked, "[257,0,200]x2048x512").out)["kernels"][0]["groups"];
  CHECK(groups["alike"].get<double>() + groups["own_b"].get<double>() +
            groups["partial"].get<double>() + groups["imbalance"].get<double>() ==
        Approx(1).margin(1e-3));
}

TEST_CASE("explain lists the contributions to a correction, which add up to it") {
  const std::string measured =
      "warp_specialized:tile=64x32x64,stages=8,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
      "c_slots=1,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
  for (const std::string method : {"analytic", "simulated"}) {
    const CapturedRun json =
        explain({"--config", measured, "--no-best", "--method", method, "--format", "json"},
                "64x4096x4096");
    const Json learned = Json::parse(json.out)["kernels"][0]["learned"];
    REQUIRE(learned["parts"].size() > 5);
    double cycles = 0, clock = 0;
    for (const Json& part : learned["parts"]) {
      cycles += part["log_cycles"].get<double>();
      clock += part["log_sm_clock"].get<double>();
      CHECK(part["of"] != "bounds");  // none applies here
    }
    CHECK(std::exp(cycles) == Approx(learned["cycles"].get<double>()).epsilon(1e-4));
    CHECK(std::exp(clock) == Approx(learned["sm_clock"].get<double>()).epsilon(1e-4));
  }
  const auto text = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--config", measured, "--no-best"});
    std::string out = explain(more, "64x4096x4096").out;
    std::ranges::replace(out, '\n', ' ');
    return out;
  };
  CHECK(contains(text({}), "of the clock"));
  CHECK(!contains(text({"--inputs", "zeros"}), "of the clock"));
  CHECK(contains(text({"--details"}), "A: learned correction"));
  std::string far = explain({"--config", kSmall, "--no-best"}, "52823x19115x4").out;
  std::ranges::replace(far, '\n', ' ');
  CHECK(contains(far, "extrapolated: K is 4 (measured: 8 to "));
  const CapturedRun physics =
      explain({"--config", measured, "--no-best", "--no-calibration"}, "64x4096x4096");
  CHECK(!contains(physics.out, "learned correction"));
}

TEST_CASE("explain's cycles are those of predict --config") {
  const Json explained =
      Json::parse(explain({"--config", kWide, "--format", "json", "--no-best"}).out);
  const Json predicted = Json::parse(predict({"--config", kWide, "--method", "simulated"}).out);
  CHECK(explained["kernels"][0]["cycles"] == predicted["ranking"][0]["cycles"]);
  CHECK(explained["kernels"][0]["limiter"] == predicted["ranking"][0]["limiter"]);
  CHECK(explained["kernels"][0]["interval_us"] == predicted["ranking"][0]["interval_us"]);
  CHECK_FALSE(explained.contains("best"));
}

TEST_CASE("explain works by closed form and for memory-bound kernels, with the known parts") {
  const Json analytic = Json::parse(
      explain({"--config", kWide, "--method", "analytic", "--format", "json"}).out)["kernels"][0];
  check_kernel(analytic);
  CHECK(analytic["method"] == "analytic");
  CHECK_FALSE(analytic.contains("phases"));
  const Json copies = Json::parse(
      run_captured(run_predict, {"predict", "67108864", "--op", "memcpy", "--format", "json"}).out);
  const std::string best = copies["ranking"][0]["config"];
  const CapturedRun run =
      explain({"--op", "memcpy", "--config", best, "--format", "json"}, "67108864");
  CHECK(run.exit_code == 0);
  const Json kernel = Json::parse(run.out)["kernels"][0];
  CHECK(kernel["limiter"] == "dram");
  CHECK(kernel["against_best"]["time"] == 1);
  CHECK(kernel["method"] == "analytic");
  CHECK(explain({"--op", "memcpy", "--config", best}, "67108864").exit_code == 0);
  CHECK(kernel["without"][0]["part"] == "dram");
  CHECK_FALSE(kernel.contains("phases"));
}

TEST_CASE("predict and explain refuse to simulate memory-bound kernels, and a timeline of them") {
  const std::string copy = "memcpy:block=1x1024,warps=4,vector=16,ctas=8,order=blocks,hint=none";
  for (const char* command : {"predict", "explain"}) {
    for (const bool whole : {false, true}) {
      std::vector<std::string> arguments{command,  "1048576",  "--op",
                                         "memcpy", "--method", "simulated"};
      if (whole) {
        arguments.insert(arguments.end(), {"--config", copy});
      }
      check_refused(
          run_captured(std::string_view(command) == "predict" ? run_predict : run_explain,
                       arguments),
          "method simulated applies only to gemm and attention: memcpy is predicted only");
    }
  }
  check_refused(
      explain({"--op", "memcpy", "--config", copy, "--trace", "unwritten.json"}, "1048576"),
      "only a simulation has a timeline");
}

TEST_CASE("explain attributes a slower copy to losses of DRAM's rate") {
  const std::string slow = "memcpy:block=1x1024,warps=4,vector=16,ctas=8,order=strided,hint=none";
  const CapturedRun run =
      explain({"--op", "memcpy", "--config", slow, "--format", "json"}, "1073741824");
  const Json kernel = Json::parse(run.out)["kernels"][0];
  const Json memory = kernel["memory"];
  CHECK(memory["dram_losses"]["walk"] > 0);   // strided CTAs drift apart
  CHECK(memory["dram_losses"]["plain"] > 0);  // plain loads
  CHECK(memory["dram_losses"]["hint"] == 0);
  CHECK(memory["of_datasheet"].get<double>() ==
        Approx(memory["tb_per_s"].get<double>() / 4.8).epsilon(0.001));
  CHECK(memory["of_measured_rates"] > memory["of_datasheet"]);
  const std::string why = kernel["against_best"]["why"].dump();
  CHECK(contains(why, "independent walks"));
  CHECK(contains(why, "plain loads"));
  const CapturedRun table =
      explain({"--op", "memcpy", "--config", slow, "--details"}, "1073741824");
  CHECK(contains(table.out, "of datasheet"));
  CHECK(!contains(table.out, "TFLOP/s"));
}

TEST_CASE("A layout is refused for an op without layouts") {
  for (const auto run_it : {run_predict, run_explain}) {
    const bool predicts = run_it == run_predict;
    std::vector<std::string> arguments{
        predicts ? "predict" : "explain", "1048576", "--op", "memcpy", "--layout", "nn"};
    if (!predicts) {
      arguments.insert(
          arguments.end(),
          {"--config", "memcpy:block=1x1024,warps=4,vector=16,ctas=8,order=blocks,hint=none"});
    }
    check_refused(run_captured(run_it, arguments), "--layout");
  }
}

TEST_CASE("The table fits 80 columns, without colour, for one kernel and for many") {
  for (const std::size_t kernels : {1, 2}) {
    std::vector<std::string> more(kernels, kSmall);
    more.insert(more.begin(), "--config");
    more.push_back(kWide);
    const CapturedRun run = explain(more);
    CHECK(run.exit_code == 0);
    std::size_t longest = 0;
    for (std::size_t at = 0; at < run.out.size();) {
      const std::size_t end = run.out.find('\n', at);
      longest = std::max(longest, end - at);
      at = end + 1;
    }
    CHECK(longest <= 80);
    CHECK(longest > 40);
    CHECK(!contains(run.out, '\033'));
    CHECK(contains(run.out, "\nA  "));
  }
}

TEST_CASE("Explanations of problems of all kinds fit 80 columns and 25 lines") {
  std::vector<std::vector<std::string>> asked;
  for (const char* shape : {"64x64x64", "16x4096x14336", "128x128x65536", "1023x1025x1031",
                            "4096x4096x4096", "262144x131072x65536", "1x1x8", "4096x24x4104"}) {
    for (const char* gpu : {"h200", "h100_pcie", "b200"}) {
      asked.push_back({shape, "--gpu", gpu});
    }
    asked.push_back({shape, "--regime", "sustained", "--config", "128x128x64"});
  }
  for (const char* epilogue : {"none", "bias_n+gelu", "swiglu", "residual"}) {
    for (const char* layout : {"tn", "nt"}) {
      asked.push_back({"4096x4096x1024", "--layout", layout, "--epilogue", epilogue});
    }
  }
  const std::vector<std::vector<std::string>> others{
      {"4096x4096x4095", "--dtype", "bf16", "--layout", "nn"},
      {"32*1024x128x1024", "--dtype", "bf16"},
      {"4096x7168x16384", "--dtype", "fp8", "--scales", "block"},
      {"4096x7168x16384", "--dtype", "e5m2", "--scales", "row", "--no-fast-accum"},
      {"[256,0,17]x4096x7168", "--dtype", "bf16"},
      {"512x1024x[256,0,17]", "--layout", "nt"},
      {"4096x7168", "--experts", "64", "--tokens", "4096", "--dtype", "fp8", "--scales", "block"},
      {"512x1024", "--experts", "16", "--tokens", "512", "--top-k", "2", "--routing", "zipf:1.1"},
      {"1073741824", "--op", "memcpy"},
      {"32768x32768", "--op", "elementwise_add", "--dtype", "fp32"}};
  asked.insert(asked.end(), others.begin(), others.end());
  CHECK(asked.size() == 50);
  for (std::vector<std::string>& arguments : asked) {
    std::string title;
    for (const std::string& word : arguments) {
      title += word + " ";
    }
    CAPTURE(title);
    arguments.insert(arguments.begin(), "explain");
    arguments.insert(arguments.end(), {"--method", "analytic"});
    const CapturedRun run = run_captured(run_explain, arguments);
    CAPTURE(run.out, run.err);
    std::istringstream lines(run.out);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      CHECK(line.size() <= 80);
    }
    CHECK(count <= 25);
    CHECK(count > 8);
  }
}

TEST_CASE("Explanations of attention's prefill report softmax and mask in 25 lines") {
  for (const char* shape : {"4x32:8x4096x4096x128", "1x16x16384x16384x64", "2x8:2x1300x1300x256"}) {
    for (const char* dtype : {"bf16", "fp16"}) {
      CAPTURE(shape, dtype);
      const CapturedRun run = explain({"--op", "attention", "--causal", "--dtype", dtype}, shape);
      CHECK(std::ranges::count(run.out, '\n') <= 25);
      CHECK(contains(run.out, "\nSoftmax: "));
      CHECK(contains(run.out, "Mask: "));
      CHECK(contains(run.out, "\ntensor cores busy "));
    }
  }
}

TEST_CASE("explain --details wraps an op's notes") {
  const CapturedRun run = explain({"--op", "attention", "--details"}, "1x32:8x1x8192x128");
  CHECK(contains(run.out, "\n#1: notes\n  Softmax: "));
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 160);
  }
}

TEST_CASE("explain --trace writes the timeline of one simulated kernel") {
  const TemporaryFolder folder;
  const std::string path = (folder / "trace.json").string();
  CHECK(explain({"--config", kWide, "--trace", path}).exit_code == 0);
  const Json trace = Json::parse(read_file(path));
  std::set<std::string> kinds;
  double end = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") {
      kinds.insert(event["cat"]);
      CHECK(event["dur"].get<double>() >= 0);
      end = std::max(end, event["ts"].get<double>() + event["dur"].get<double>());
    }
  }
  CHECK(kinds == std::set<std::string>{"load", "multiply", "store", "wait", "issue"});
  const Json kernel =
      Json::parse(explain({"--config", kWide, "--format", "json"}).out)["kernels"][0];
  CHECK(end < kernel["time_us"].get<double>() * 1.01);
  CHECK(end > kernel["time_us"].get<double>() / 2);
  check_refused(explain({"--config", kWide, kSmall, "--trace", path}), "one --config");
  check_refused(explain({"--config", kWide, "--trace", path}),
                "trace.json already exists; --replace overwrites it");
  CHECK(explain({"--config", kWide, "--trace", path, "--replace"}).exit_code == 0);
  check_refused(explain({"--config", kWide, "--method", "analytic", "--trace", path, "--replace"}),
                "is not simulated");
  check_refused(explain({"--config", kWide, "--trace", "/proc/none/trace.json"}), "/proc/none",
                ExitCode::kFile);
}

std::string traced(const std::string& config) {
  const TemporaryFolder folder;
  const std::string path = (folder / "trace.json").string();
  explain({"--config", config, "--no-best", "--trace", path});
  return read_file(path);
}

TEST_CASE("explain without a configuration compares with the best of another tile") {
  const TemporaryFolder folder;
  const std::string path = (folder / "trace.json").string();
  const Json answer = Json::parse(explain({"--format", "json", "--trace", path}).out);
  const Json predicted = Json::parse(predict({"--top", "1"}).out);
  const Json& best = predicted["ranking"];
  CHECK(answer["best"]["config"] == best[0]["config"]);
  REQUIRE(answer["kernels"].size() >= 1);
  const auto tile = [](const Json& kernel) {
    const std::string config = kernel["config"];
    const std::size_t at = config.find("tile=");
    return config.substr(at, config.find(',') - at);
  };
  CHECK(tile(answer["kernels"][0]) != tile(answer["best"]));
  const auto other = std::ranges::find_if(
      predicted["by_tile"], [&](const Json& row) { return tile(row) != tile(best[0]); });
  CHECK(answer["kernels"][0]["config"] == (*other)["config"]);
  if (answer["kernels"].size() > 1) {
    CHECK(answer["kernels"][1]["config"] == predicted["cutlass"]["config"]);
  }
  CHECK(Json::parse(read_file(path))["traceEvents"] ==
        Json::parse(traced(best[0]["config"]))["traceEvents"]);

  const Json alone = Json::parse(explain({"--no-best", "--format", "json"}).out);
  CHECK(alone["kernels"].empty());
  CHECK(alone["best"]["config"] == best[0]["config"]);
}

TEST_CASE("explain accepts partial and short configurations") {
  const Json answer =
      Json::parse(explain({"--format", "json", "--no-best", "--config", "pp:tile=128x128x64",
                           "pi 128x128x64 s3 w1x1 c1x1 o2 i1 e0 m8"})
                      .out);
  const std::string part = answer["kernels"][0]["config"];
  CHECK(part.starts_with("ping_pong:tile=128x128x64,stages="));
  CHECK(Json::parse(predict({"--config", "pp:tile=128x128x64"}).out)["ranking"][0]["config"] ==
        part);
  CHECK(answer["kernels"][1]["config"] == kSmall);
  check_refused(explain({"--config", "pp:tile=128x100x64"}), "no candidate has tile=128x100x64");
}

TEST_CASE("explain refuses impossible configurations with a one-line reason") {
  std::string many_stages = kWide;
  many_stages.replace(many_stages.find("stages=4"), 8, "stages=9");
  check_refused(explain({"--config", many_stages}),
                "its stages and C do not fit in shared memory; needs at most 4 stages");
  check_refused(explain({"--config", "warp_specialised:tile=1"}), "warp_specialised");
  check_refused(explain({"--config", kWide}, "2048x2048"), "2048x2048");
  check_refused(explain({"--config", kWide, "--gpu", "a100_sxm80"}),
                "wgmma schedules require hopper; this GPU is ampere");
  check_refused(explain({"--config", kWide, "--format", "yaml"}), "yaml");
}

TEST_CASE("predict simulates the best and ranks by time, the same on any number of threads") {
  const Json one =
      Json::parse(predict({"--method", "simulated", "--threads", "1", "--top", "30"}).out);
  const Json two =
      Json::parse(predict({"--method", "simulated", "--threads", "2", "--top", "30"}).out);
  CHECK(one["ranking"] == two["ranking"]);
  CHECK(one["simulated"] >= 4);
  const Json more = Json::parse(predict({"--simulate", "9", "--top", "1"}).out);
  CHECK(more["simulated"].get<int>() > one["simulated"].get<int>());
  CHECK(one["within_1_percent"] >= 1);
  CHECK(one["ranking"][0]["extrapolated"].is_boolean());
  check_refused(predict({"--simulate", "0"}), "simulate");
  double before = 0;
  for (const Json& row : one["ranking"]) {
    CHECK(row["time_us"].get<double>() >= before);
    before = row["time_us"];
    CHECK((row["method"] == "simulated" || row["method"] == "analytic"));
  }
  CHECK(one["ranking"][0]["method"] == "simulated");
}

TEST_CASE("predict --method analytic simulates nothing, and one configuration is one simulation") {
  const Json analytic = Json::parse(predict({"--method", "analytic"}).out);
  CHECK(analytic["simulated"] == 0);
  CHECK(analytic["closed_form_scale"] == 1);
  CHECK(analytic["ranking"][0]["method"] == "analytic");
  const Json alone = Json::parse(predict({"--method", "simulated", "--config", kWide}).out);
  CHECK(alone["simulated"] == 1);
  CHECK(alone["ranking"].size() == 1);
  const Json usual = Json::parse(predict({"--config", kWide}).out);
  CHECK(usual["ranking"][0]["method"] == to_text(default_method(Op::kGemm)));
  check_refused(predict({"--method", "guessed"}), "guessed");
  check_refused(predict({"--threads", "-1"}), "threads");
}

}  // namespace
}  // namespace tilecast
