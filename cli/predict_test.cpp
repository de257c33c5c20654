// Tests predict as a user runs it: the content of its tables, and that they fit a terminal.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/ops/short_config_text.h"
#include "model/rank/order_confidence.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

using Json = nlohmann::json;

CapturedRun predict(std::vector<std::string> more) {
  more.insert(more.begin(), "predict");
  return run_captured(run_predict, more);
}

std::string table(const std::vector<std::string>& more) {
  const CapturedRun run = predict(more);
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  return run.out;
}

/// Joins the lines of a wrapped text.
std::string unwrapped(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n' && (c != ' ' || !line.ends_with(' '))) {
      line += c;
    } else if (!line.ends_with(' ')) {
      line += ' ';
    }
  }
  return line;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    lines.emplace_back(line);
  }
  return lines;
}

/// Returns the configurations of the rows, from the column with the last title.
std::vector<std::string> configs_of(const std::string& text) {
  std::vector<std::string> configs;
  std::size_t at = std::string::npos;
  for (const std::string& line : lines_of(text)) {
    if (line.ends_with(" configuration")) {
      at = line.rfind("configuration");
    } else if (line.empty() && !configs.empty()) {
      break;
    } else if (at != std::string::npos && line.size() > at) {
      configs.push_back(line.substr(at));
    }
  }
  return configs;
}

void check_fits(const std::string& text) {
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

void check_refused(const std::vector<std::string>& more, const std::string& part) {
  const CapturedRun run = predict(more);
  CAPTURE(run.err, part);
  CHECK(run.exit_code == static_cast<int>(ExitCode::kUsage));
  CHECK(contains(run.err, part));
}

TEST_CASE("Tables fit 80 columns, and their configurations are those that --config takes") {
  for (const char* gpu : {"h200_sxm", "h100_pcie", "b200"}) {
    for (const char* shape :
         {"4096x4096x4096", "16x4096x14336", "1023x1025x1032", "64x64x64", "262144x131072x65536"}) {
      CAPTURE(gpu, shape);
      const std::string text =
          table({shape, "--gpu", gpu, "--method", "analytic", "--top", "12", "--all"});
      check_fits(text);
      const std::vector<std::string> configs = configs_of(text);
      CHECK(configs.size() == 12);
      for (const std::string& config : configs) {
        CHECK(short_text(parse_config(config)) == config);
      }
    }
  }
  for (const std::vector<std::string>& of :
       {std::vector<std::string>{"1073741824", "--op", "memcpy"},
        {"32768x32768", "--op", "elementwise_add", "--dtype", "fp32"},
        {"4096x4096x4096", "--schedule", "sk", "skh", "sp", "sph", "--method", "analytic"}}) {
    std::vector<std::string> all = of;
    all.emplace_back("--all");
    check_fits(table(all));
    CHECK(configs_of(table(all)).size() == 10);
  }
}

TEST_CASE("A row's figures equal those of --config") {
  const std::string first = configs_of(table({"2048x2048x1024", "--all"})).front();
  const Json list = Json::parse(table({"2048x2048x1024", "--format", "json", "--top", "1"}));
  const Json alone = Json::parse(table({"2048x2048x1024", "--config", first, "--format", "json"}));
  REQUIRE(alone["ranking"].size() == 1);
  CHECK(alone["ranking"][0] == list["ranking"][0]);
}

TEST_CASE("A wide table has every column and canonical configurations") {
  const std::string text =
      table({"2048x2048x1024", "--wide", "--top", "3", "--method", "analytic"});
  for (const char* title : {"time us", "TFLOP/s", "GHz", "kcycles", " W ", "bound by"}) {
    CHECK(contains(text, title));
  }
  for (const std::string& config : configs_of(text)) {
    CHECK(to_text(parse_config(config)) == config);
  }
}

TEST_CASE("The output has the best kernel of each schedule and tile once, the fastest first") {
  const Json answer = Json::parse(table({"2048x2048x1024", "--format", "json"}));
  const auto tile = [](const Json& row) {
    const std::string config = row["config"];
    return config.substr(0, config.find(','));
  };
  std::set<std::string> tiles;
  double before = 0;
  for (const Json& row : answer["by_tile"]) {
    CHECK(tiles.insert(tile(row)).second);
    CHECK(row["time_us"] >= before);
    before = row["time_us"];
  }
  CHECK(tiles.size() >= 12);
  CHECK(tiles.contains("warp_specialized:tile=128x256x64"));  // a tile that people write first
  CHECK(tiles.contains("ping_pong:tile=128x128x64"));
  CHECK(answer["by_tile"][0]["config"] == answer["ranking"][0]["config"]);
  // With the analytic model, a row equals the prediction for its tile alone.
  const auto analytic = [](std::vector<std::string> more) {
    more.insert(more.end(), {"2048x2048x1024", "--method", "analytic", "--format", "json"});
    return Json::parse(table(more));
  };
  const Json closed = analytic({});
  for (std::size_t i = 0; i < closed["by_tile"].size(); i += 3) {
    const Json& row = closed["by_tile"][i];
    CAPTURE(row.dump());
    CHECK(analytic({"--config", tile(row)})["ranking"][0]["time_us"].get<double>() <=
          row["time_us"].get<double>() * 1.0001);
  }
}

TEST_CASE("The CUTLASS kernel is the counterpart of the fastest candidate that has one") {
  const Json answer = Json::parse(table({"2048x2048x1024", "--format", "json"}));
  CHECK(answer["cutlass"]["time_us"] >= answer["ranking"][0]["time_us"]);
  const std::string name = answer["cutlass"]["kernel"];
  CHECK(name.starts_with("cutlass3x_sm90_tensorop_gemm_f16_"));
  const std::string text = table({"2048x2048x1024"});
  CHECK(contains(text, "CUTLASS"));
  CHECK(contains(text, "TileShape "));
  CHECK(contains(table({"2048x2048x1024", "--dtype", "fp8"}),
                 "No kernel of CUTLASS is named for fp8"));
  const std::vector<std::string> listed =
      lines_of(table({"2048x2048x1024", "--format", "cutlass", "--rows", "2"}));
  CHECK(listed.size() == 4);  // titles, two kernels, and the last line end
  CHECK(listed[1].starts_with(name + ","));
  CHECK(listed[1].ends_with("," + csv_field(answer["cutlass"]["config"].get<std::string>())));
}

TEST_CASE("The first row is the best kernel, also where a named kernel was simulated later") {
  const Json pingpong =
      Json::parse(table({"4096x4096x4096", "--config", "pp", "--format", "json"}));
  CHECK(pingpong["by_tile"][0]["config"] == pingpong["ranking"][0]["config"]);
  CHECK(pingpong["by_tile"][0]["time_us"] == pingpong["ranking"][0]["time_us"]);
}

TEST_CASE("A list of configurations is ranked as given, and each line has a rank or a reason") {
  const TemporaryFolder folder;
  const std::string file = (folder / "configs.txt").string();
  write_file(file,
             "# a comment\nws 128x256x64\n\"pp:tile=128x128x64\"\n"
             "pipelined:tile=128x128x64,stages=9,warpgroups=1x1,ctas=7,inflight=1,c_slots=0,"
             "raster=grouped_m,group=8\npp 320x256x64\nws 128x256\n");
  write_file(file + ".problems", "1024x1024x512\n512x512x512\n");
  const Json answer = Json::parse(table({"1024x1024x512", "--configs", file, "--format", "json"}));
  CHECK(answer["ranking"].size() == 2);
  CHECK(answer["rejected"].size() == 1);
  std::map<int, int> ranks;
  std::map<int, std::string> reasons;
  for (const Json& line : answer["listed"]) {
    line.contains("rank") ? void(ranks[line["line"]] = line["rank"])
                          : void(reasons[line["line"]] = line["error"]);
  }
  CHECK(ranks.size() == 3);
  CHECK(ranks[2] == ranks[6]);  // the same kernel
  CHECK(ranks[2] + ranks[3] == 3);
  CHECK(answer["ranking"][static_cast<std::size_t>(ranks[3] - 1)]["config_line"] == 3);
  CHECK(reasons.size() == 2);
  CHECK(contains(reasons[4], "more registers than"));
  CHECK(contains(reasons[5], "no candidate has 320x256x64"));
  const CapturedRun shown = predict({"1024x1024x512", "--configs", file});
  CHECK(contains(shown.err, "line 5: configuration 'pp 320x256x64': no candidate"));
  check_fits(shown.out);
  const CsvText csv = parse_csv(
      table({"--problems", file + ".problems", "--configs", file, "--format", "csv"}), "predict");
  CHECK(csv.records.size() == 1 + 2 * 4);
  CHECK(csv.records[4].fields.back().find("no candidate has 320x256x64") != std::string::npos);
  const auto first = static_cast<std::size_t>(ranks[2]);
  CHECK(csv.records[first].fields.end()[-2] == "2 6");
  const std::string text = table({"--problems", file + ".problems", "--configs", file});
  check_fits(text);
  CHECK(text.find("\n     5         -       -  1024x1024x512") != std::string::npos);
}

TEST_CASE("A line that cannot be read is named, and the other lines are ranked") {
  const TemporaryFolder folder;
  const std::string file = (folder / "configs").string();
  write_file(file, "ws 128x256\n128x128 stagse=4\nws 128x256x64\n");
  const std::string why =
      "configuration '128x128 stagse=4': no schedule has a key 'stagse'; did "
      "you mean stages?";
  for (const char* format : {"table", "json", "csv"}) {
    const CapturedRun run = predict({"1024x1024x512", "--configs", file, "--format", format});
    CAPTURE(format, run.out, run.err);
    CHECK(run.exit_code == 5);
    CHECK(contains(run.err, file + ":2: " + why));
    CHECK(contains(run.err, "1 line cannot be read"));
    if (std::string(format) == "json") {
      CHECK(Json::parse(run.out)["listed"][1] == Json{{"line", 2}, {"error", why}});
      CHECK(Json::parse(run.out)["listed"][2]["rank"] == 1);
    }
  }
  CHECK(contains(predict({"1024x1024x512", "--configs", file}).out, "\n1   1,3 "));
  write_file(folder / "problems", "1024x1024x512\n512x512x512\n");
  const CapturedRun both =
      predict({"--problems", (folder / "problems").string(), "--configs", file});
  CHECK(both.exit_code == 5);
  CHECK(both.out.starts_with("  line   time us TFLOP/s  problem"));
  CHECK(contains(both.out, "\n   1,3 "));
  write_file(file, "stagse=4\n");
  check_refused({"1024x1024x512", "--configs", file}, "expected a configuration on each line");
}

TEST_CASE("Several configurations are ranked as a list of them is") {
  const TemporaryFolder folder;
  write_file(folder / "configs", "ws 128x256\npp 128x128x64 s3\n128x100\n");
  const std::vector<std::string> shape{"1024x1024x512", "--format", "csv"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), shape.begin(), shape.end());
    return predict(more);
  };
  const CapturedRun run = with({"--config", "ws 128x256", "pp 128x128x64 s3", "128x100"});
  CHECK(run.out == with({"--configs", (folder / "configs").string()}).out);
  CHECK(lines_of(run.out).size() == 4);  // titles, two kernels, and the last line end
  CHECK(contains(run.err, "line 3: configuration '128x100': no candidate"));
  check_refused({"512x512", "--experts", "8", "--tokens", "64", "--config", "ws", "pp"},
                "exactly one --config");
}

TEST_CASE("SHAPE may follow an option that takes several values") {
  const auto rows = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"--format", "csv", "--method", "analytic"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return table(all);
  };
  CHECK(rows({"--schedule", "ping_pong", "1024x1024x512"}) ==
        rows({"1024x1024x512", "--schedule", "ping_pong"}));
  CHECK(rows({"--schedule", "pp", "ws", "2*1024X1024x512"}) ==
        rows({"2*1024x1024x512", "--schedule", "pp", "ws"}));
  check_refused({"--schedule", "pp", "ws"}, "expected SHAPE");
  check_refused({"--schedule", "1024x1024x512"}, "expected SHAPE");
}

TEST_CASE("Several GPUs are shown side by side, each as if alone") {
  const std::string text =
      table({"--gpu", "H200", "h100_sxm", "2048x2048x1024", "--method", "analytic", "--all"});
  check_fits(text);
  CHECK(configs_of(text).size() == 2);
  CHECK(contains(text, "\nh200_sxm "));
  CHECK(contains(text, "\nh100_sxm "));
  const Json list = Json::parse(table({"2048x2048x1024", "--gpu", "h200", "h100_sxm", "--top", "2",
                                       "--format", "json", "--method", "analytic"}));
  REQUIRE(list.size() == 2);
  const Json alone = Json::parse(table({"2048x2048x1024", "--gpu", "h100_sxm", "--top", "2",
                                        "--format", "json", "--method", "analytic"}));
  CHECK(list[1]["ranking"] == alone["ranking"]);
  const std::string rows = table(
      {"2048x2048x1024", "--gpu", "h200", "h100_sxm", "--format", "csv", "--method", "analytic"});
  CHECK(rows.starts_with("gpu,rank,config,"));
  // a header, one row per GPU, and the last line end
  CHECK(lines_of(rows).size() == 4);
  CHECK(contains(predict({"64x64x64", "--gpu", "h100"}).err, "taken as h100_sxm (NVIDIA H100 SXM"));
  check_refused({"2048x2048x1024", "--gpu", "rtx"}, "rtx_3090, rtx_4090, rtx_5090, rtx_pro");
  CHECK(contains(table({"2048x2048x1024", "--gpu", "4090", "--method", "analytic"}), "multistage"));
  check_refused({"2048x2048x1024", "--gpu", "h200", "b200", "--format", "cutlass"}, "one --gpu");
  for (const char* schedule : {"split_k", "stream_k_hybrid", "pingpong", "tcgen05_pipelined"}) {
    check_refused({"1024x1024x1024", "--gpu", "4090", "--schedule", schedule}, "this GPU is ada");
  }
  check_refused({"2048x2048x1024", "--gpu", "4090", "--format", "cutlass"},
                "expected a Hopper GPU; rtx_4090 is ada");
}

TEST_CASE("The energy objective prefers fewer joules among kernels too close to call") {
  const std::vector<std::string> asked{"4096x4096x4096", "--format", "json"};
  std::vector<std::string> saving = asked;
  saving.insert(saving.end(), {"--objective", "energy"});
  const Json fastest = Json::parse(table(asked))["ranking"][0];
  const Json first = Json::parse(table(saving))["ranking"][0];
  const double longer = first["time_us"].get<double>() / fastest["time_us"].get<double>() - 1;
  CHECK(first["energy_mj"] <= fastest["energy_mj"]);
  CHECK(longer >= 0);
  CHECK(too_close(longer, Regime::kBurst));
  const std::string text = table({"4096x4096x4096", "--objective", "energy"});
  check_fits(text);
  CHECK(contains(text, "  mJ  "));
  check_refused({"64x64x64", "--objective", "power"}, "--objective");
}

TEST_CASE("A GPU without a prediction does not affect the others") {
  const std::vector<std::string> asked{"1024x1024x512", "--layout", "nn",   "--method",
                                       "analytic",      "--gpu",    "b200", "h200",
                                       "hipparchus",    "--all"};
  const auto in = [&](const std::string& format) {
    std::vector<std::string> more = asked;
    more.insert(more.end(), {"--format", format});
    const CapturedRun run = predict(more);
    CHECK(run.exit_code == static_cast<int>(ExitCode::kPartial));
    // A line of progress may come first on a busy machine.
    CHECK(run.err.ends_with("tilecast: the problem is not supported on 2 of 3 GPUs\n"));
    return run.out;
  };
  const std::string text = in("table");
  check_fits(text);
  CHECK(configs_of(text).size() == 1);
  CHECK(contains(text, "\nb200: 1024x1024x512: layout nn: "));
  CHECK(contains(text, "\nhipparchus_h10: none of tilecast's GEMM schedules runs"));
  const Json list = Json::parse(in("json"));
  REQUIRE(list.size() == 3);  // predictions come first
  CHECK(list[0]["gpu"] == "h200_sxm");
  CHECK(list[0]["ranking"].size() == 1);
  CHECK(list[1]["gpu"] == "b200");
  CHECK(list[1]["error"].get<std::string>().starts_with("1024x1024x512: layout nn"));
  const std::vector<std::string> rows = lines_of(in("csv"));
  REQUIRE(rows.size() == 5);  // a header, three rows, and the last line end
  CHECK(rows[0].ends_with(",extrapolated,error"));
  const auto commas = [](const std::string& row) {
    return std::ranges::count(row.substr(0, row.rfind(",\"")), ',');
  };
  CHECK(commas(rows[2]) + 1 == std::ranges::count(rows[0], ','));
  check_refused({"1024x1024x512", "--layout", "nn", "--gpu", "b200", "hipparchus"},
                "no GPU has a prediction: b2");
  check_refused({"1024x1024x512", "--layout", "nn", "--gpu", "b200"},
                "tilecast: 1024x1024x512: la");
}

TEST_CASE("A kernel longer than any measured burst gets a note") {
  const auto says = [](const std::vector<std::string>& arguments) {
    return contains(table(arguments), "#1 takes longer than a burst");
  };
  CHECK(says({"32768x32768x32768", "--method", "analytic"}));  // 90 ms
  CHECK_FALSE(says({"32768x32768x32768", "--method", "analytic", "--regime", "sustained"}));
  CHECK_FALSE(says({"8192x8192x8192", "--method", "analytic"}));  // 1.4 ms
}

TEST_CASE("A problem that exceeds the GPU's memory gets a note") {
  // A, B and C of 2^18 x 2^18 fp16 need 128 GiB each, 384 GiB; the GPU has 141 GB. 3 x 0.5 GiB fit.
  const std::string most = table({"262144x262144x262144", "--method", "analytic", "--top", "1"});
  CHECK(contains(most, "\n      A, B and C need 384 GiB, this GPU has 141 GiB\n"));
  CHECK(!contains(table({"16384x16384x16384", "--method", "analytic"}), "GiB"));
  // 2^37 elements of 2 bytes are read and written.
  CHECK(contains(table({"137438953472", "--op", "memcpy"}), "inputs and result need 512 GiB"));
  CHECK(
      contains(table({"262144x262144x262144", "--method", "analytic", "--gpu", "h100_sxm", "b200"}),
               "\nb200: A, B and C need 384 GiB, this GPU has 180 GiB\n"));
}

TEST_CASE("The best ping-pong kernel is a row, simulated if it is near") {
  const Json tiles = Json::parse(table({"4096x1024x2048", "--format", "json"}))["by_tile"];
  const auto best = std::ranges::find_if(tiles, [](const Json& row) {
    return row["config"].get<std::string>().starts_with("ping_pong:");
  });
  REQUIRE(best != tiles.end());
  const double time = (*best)["time_us"];
  CHECK(((*best)["method"] == "simulated" || time > 1.1 * tiles[0]["time_us"].get<double>()));
  CHECK(contains(table({"4096x1024x2048"}), fmt::format("{:.2f} ", time)));
}

TEST_CASE("An uncalibrated interval allows for a clock up to the GPU's highest") {
  // 2 x 8192^3 FLOPs at 128 x 512 per cycle and the datasheet's 2.52 GHz take 6657.6 us.
  const Json best = Json::parse(table({"8192x8192x8192", "--gpu", "4090", "--method", "analytic",
                                       "--format", "json"}))["ranking"][0];
  CHECK(best["interval_us"][0].get<double>() == Approx(6657.6).epsilon(1e-4));
  CHECK(contains(table({"8192x8192x8192", "--gpu", "4090", "--method", "analytic"}),
                 "(not measured)"));
}

TEST_CASE("Experts take -n and -k, and a GPU that is named twice is answered once") {
  const std::vector<std::string> more{"--experts", "4",        "--tokens", "512",  "--draws", "2",
                                      "--method",  "analytic", "--gpu",    "h200", "h200_sxm"};
  std::vector<std::string> shape = more, sides = more;
  shape.insert(shape.begin(), "1024x512");
  sides.insert(sides.begin(), {"-n", "1024", "-k", "512"});
  CHECK(table(shape) == table(sides));
  CHECK(contains(table(sides), "\nBest: "));
  check_refused({"-m", "64", "-n", "64"}, "-m requires --k");
  check_refused({"64x64x64", "pingpong"}, "unexpected 'pingpong' after SHAPE");
}

TEST_CASE("The lead over the next kernel is reported with its confidence") {
  const std::string asked = "2048x2048x1024";
  const Json answer = Json::parse(table({asked, "--format", "json", "--top", "500"}));
  const Json& rows = answer["ranking"];
  const auto next = std::ranges::find_if(rows, [&](const Json& row) {
    return row["method"] == "simulated" && row["time_us"] > rows[0]["time_us"];
  });
  REQUIRE(next != rows.end());
  CHECK(answer["next_simulated"]["time_us"] == (*next)["time_us"]);
  CHECK(answer["next_simulated"]["config"] == (*next)["config"]);
  const double apart = (*next)["time_us"].get<double>() / rows[0]["time_us"].get<double>() - 1;
  CHECK(answer["lead"].get<double>() == Approx(apart).margin(1e-4));
  CHECK(answer["order_confidence"] == share_in_order(apart, Regime::kBurst));
  const std::string text = table({asked});
  CHECK((contains(text, "#1 leads #2 by") || contains(text, "too close to call")));
  CHECK(contains(text, "of such"));
  CHECK(!contains(table({asked, "--inputs", "zeros"}), "of such"));
  const Json of_zeros = Json::parse(table({asked, "--inputs", "zeros", "--format", "json"}));
  CHECK(of_zeros.count("lead") == 1);
  CHECK(of_zeros.count("order_confidence") == 0);
  const Json closed = Json::parse(table({asked, "--method", "analytic", "--format", "json"}));
  CHECK(closed["lead"] > 0);
  CHECK(closed.count("order_confidence") == 0);
  CHECK(closed["within_1_percent"] >= 1);
}

TEST_CASE("An uncalibrated interval is marked") {
  CHECK(!contains(table({"512x512x512"}), "default error"));
  const std::string zeros = table({"512x512x512", "--inputs", "zeros"});
  check_fits(zeros);
  CHECK(contains(unwrapped(zeros), "(default error: all-zero inputs were not measured"));
  CHECK(contains(unwrapped(table({"512x512x512", "--gpu", "h100_pcie", "--method", "analytic"})),
                 "(default error: docs/accuracy.md)"));
}

TEST_CASE("A default interval on a calibrated GPU is not called uncalibrated") {
  const std::string text =
      unwrapped(table({"2x8x512x512x128", "--op", "attention", "--gpu", "h100_sxm"}));
  CHECK(contains(text, "(default error: docs/accuracy.md)"));
  CHECK(!contains(text, "not calibrated"));
}

TEST_CASE("Measurements without a row of the problem get a note") {
  const CapturedRun run = predict(
      {"1024x1024x1032", "--method", "analytic", "--data", "validate/data/h200_sxm/hopper.csv.gz"});
  CHECK(run.exit_code == 0);
  CHECK(run.err ==
        "--data: no verified row of 1024x1024x1032 fp16 tn on h200_sxm, burst, normal inputs\n");
}

TEST_CASE("An extrapolated prediction names the unmeasured feature") {
  const auto note = [](const std::vector<std::string>& more) {
    std::vector<std::string> asked{"--method", "analytic"};
    asked.insert(asked.end(), more.begin(), more.end());
    const std::string text = table(asked);
    const std::size_t at = text.find(" extrapolated: ");
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  CHECK(note({"4096x4096x4096"}).empty());
  CHECK(note({"[512,511]x1024x512"}).empty());
  CHECK(note({"1024x1024x512", "--epilogue", "relu"}).empty());
  CHECK(note({"1024x1024x512", "--dtype", "fp8", "--scales", "block"}).empty());
  CHECK(note({"64x64x4000000"}).starts_with("extrapolated: K is 4000000 (measured: 8 to "));
}

TEST_CASE("--verbose explains each reason by an example") {
  const Json answer = Json::parse(table({"64x64x512", "--verbose", "--format", "json"}));
  CHECK(answer["rejected"].size() == answer["rejected_examples"].size());
  for (const auto& [reason, example] : answer["rejected_examples"].items()) {
    CAPTURE(reason);
    CHECK(answer["rejected"].contains(reason));
    CHECK(!example["why"].get<std::string>().empty());
    if (reason != "never_pays") {  // such a kernel runs and is predicted
      check_refused({"64x64x512", "--config", example["config"]}, "is not legal");
    }
  }
  CHECK(Json::parse(table({"64x64x512", "--format", "json"})).count("rejected_examples") == 0);
}

TEST_CASE("--verbose reports clamped results on standard error") {
  CHECK(contains(predict({"64x64x512", "--verbose"}).err, "h200_sxm: 0 results clamped\n"));
  CHECK(!contains(predict({"64x64x512"}).err, "clamped"));
}

TEST_CASE("Experts are ranked by the mean over random routings, which depend on the seed") {
  const std::vector<std::string> experts{"512x1024", "--experts", "8",        "--tokens",
                                         "1000",     "--routing", "zipf:1.1", "--top-k",
                                         "2",        "--draws",   "3"};
  const auto asked = [&](std::vector<std::string> more) {
    more.insert(more.begin(), experts.begin(), experts.end());
    return more;
  };
  const std::string text = table(asked({"--seed", "7"}));
  check_fits(text);
  CHECK(text.starts_with("Grouped GEMM: 8 groups, "));
  CHECK(contains(text, " rows (1,000 tokens, top 2, zipf:1.1), N 512,"));
  CHECK(contains(text, "Times are means over 3 random routings (seed 7): #1 takes "));
  const Json answer = Json::parse(table(asked({"--format", "json"})));
  CHECK(answer["routing"] ==
        Json::parse(R"({"experts":8,"tokens":1000,"top_k":2,"zipf":1.1,"seed":1,"draws":3})"));
  CHECK(answer["problem"]["m"] == 2000);
  const Json& best = answer["ranking"][0];
  double sum = 0;
  for (const Json& time : best["times_of_draws_us"]) {
    sum += time.get<double>();
  }
  CHECK(sum / 3 == Approx(best["time_us"].get<double>()).epsilon(1e-4));
  const auto rows = [&](const char* seed) {
    return Json::parse(table(
        asked({"--seed", seed, "--format", "json", "--method", "analytic"})))["problem"]["groups"];
  };
  CHECK(rows("7") == rows("7"));
  CHECK(rows("7") != rows("8"));
}

TEST_CASE("Groups can be given as an option, in a file or in the shape") {
  const TemporaryFolder folder;
  const std::string file = (folder / "groups.txt").string();
  write_file(file, "40\r\n0\n17\n");
  const auto ranking = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "json", "--method", "analytic"});
    return Json::parse(table(arguments))["ranking"];
  };
  CHECK(ranking({"512x1024", "--groups", "40,0,17"}) == ranking({"[40,0,17]x512x1024"}));
  CHECK(ranking({"512x1024", "--groups-file", file}) == ranking({"[40,0,17]x512x1024"}));
  CHECK(ranking({"512x1024", "--groups", "40,0,17", "--layout", "nt"}) ==
        ranking({"512x1024x[40,0,17]", "--layout", "nt"}));
  check_refused({"8x512x1024", "--groups", "40"}, "a grouped problem takes NxK of one group");
  check_refused({"512x1024", "--groups", "40,-1"},
                "groups '40,-1': expected the rows of each group");
  check_refused({"512x1024", "--groups", "40", "--batch", "2"},
                "cannot be combined with --experts or --batch");
  check_refused({"512x1024", "--groups", "40", "--groups-file", file},
                "cannot be combined with --groups");
  write_file(file, "\n");
  check_refused({"512x1024", "--groups-file", file}, "expected the rows of each group");
}

TEST_CASE("Every record of a CSV has the fields of its header, for any problem") {
  const TemporaryFolder folder;
  const std::string file = (folder / "problems.txt").string();
  write_file(file, "[40,0,17]x512x1024\n512x1024x512\n[1,2]x3\n");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--problems", file},
                                             {"[40,0,17]x512x1024"},
                                             {"512x512x512", "--gpu", "h200_sxm", "h100_sxm"}}) {
    std::vector<std::string> all{"--format", "csv", "--method", "analytic", "--top", "2"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const CsvText csv = parse_csv(predict(all).out, "predict");
    REQUIRE(csv.records.size() > 2);
    for (const CsvRecord& record : csv.records) {
      CAPTURE(record.line, record.fields.front());
      CHECK(record.fields.size() == csv.records.front().fields.size());
    }
  }
  const auto json = [&](const std::string& format, const std::string& shard) {
    return predict(
               {"--problems", file, "--format", format, "--method", "analytic", "--shard", shard})
        .out;
  };
  const Json all = Json::parse(json("json", "1/1"));
  CHECK(all.size() == 3);
  CHECK(all[2].contains("error"));
  CHECK(Json::parse(lines_of(json("jsonl", "2/2"))[0]) == all[1]);
  CHECK(Json::parse(json("json", "4/4")).empty());
}

TEST_CASE("Names of torch, CUTLASS and vLLM are accepted") {
  const auto ranking = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "json", "--method", "analytic"});
    return Json::parse(table(arguments))["ranking"];
  };
  const Json asked = ranking({"256x512x1024", "--dtype", "e4m3", "--epilogue", "scale_row+relu"});
  CHECK(ranking({"256", "512", "1024", "--dtype", "fp8", "--scales", "row", "--epilogue",
                 "relu"}) == asked);
  CHECK(ranking({"-m", "256", "-n", "512", "-k", "1024", "--dtype", "fp8", "--scales", "row",
                 "--epilogue", "relu"}) == asked);
  CHECK(ranking({"256x512x1024", "--dtype", "fp8", "--no-fast-accum", "--out-dtype", "fp16"}) ==
        ranking({"256x512x1024", "--dtype", "e4m3", "--accumulate", "exact", "--dtype-c", "fp16"}));
  for (const std::vector<std::string>& shape : std::vector<std::vector<std::string>>{
           {"256 x 512 x 1024"}, {"256", "x", "512", "x", "1024"}, {"256,", "512,1024"}}) {
    CHECK(ranking(shape) == ranking({"256x512x1024"}));
  }
  CHECK(ranking({"1024x1024x512", "--schedule", "pingpong", "cooperative", "stream-k"}) ==
        ranking({"1024x1024x512", "--schedule", "ping_pong", "warp_specialized", "stream_k"}));
  CHECK(ranking({"1024x1024x512", "--config", "cooperative 128x256"}) ==
        ranking({"1024x1024x512", "--config", "ws:tile=128x256x64"}));
  const std::string any = ranking({"1024x1024x512", "--config", "128x128x64"})[0]["config"];
  CHECK(contains(any, ":tile=128x128x64,"));
  check_refused({"-m", "256", "-n", "512"}, "requires --k");
  check_refused({"1024x1024x512", "--config", "100x100"}, "no candidate has 100x100");
}

TEST_CASE("The output for problems of all kinds fits 80 columns and 24 lines") {
  std::vector<std::vector<std::string>> asked;
  for (const char* shape : {"64x64x64", "16x4096x14336", "128x128x65536", "1023x1025x1031",
                            "4096x4096x4096", "262144x131072x65536", "1x1x8", "4096x24x4104"}) {
    for (const char* gpu : {"h200", "h100_pcie", "b200"}) {
      asked.push_back({shape, "--gpu", gpu});
    }
    asked.push_back({shape, "--dtype", "bf16", "--regime", "sustained", "--inputs", "zeros"});
  }
  const std::vector<std::vector<std::string>> others{
      {"4096x4096x4096", "--layout", "nt", "--out-dtype", "fp32", "--epilogue", "residual"},
      {"4096x4096x4095", "--dtype", "bf16", "--layout", "nn"},
      {"4096x4096x4096", "--lda", "8192", "--ldc", "8192"},
      {"32*1024x128x1024", "--dtype", "bf16"},
      {"4096x16384x4096", "--epilogue", "bias_n+gelu"},
      {"4096x28672x4096", "--dtype", "bf16", "--epilogue", "swiglu"},
      {"4096x7168x16384", "--dtype", "fp8", "--scales", "block"},
      {"4096x7168x16384", "--dtype", "fp8", "--scales", "tensor", "--no-fast-accum"},
      {"4096x7168x2048", "--dtype", "e5m2", "--out-dtype", "e4m3", "--scales", "row"},
      {"[256,0,17]x4096x7168", "--dtype", "bf16"},
      {"4096x7168", "--groups", "64*64", "--dtype", "fp8", "--scales", "block"},
      {"512x1024x[256,0,17]", "--layout", "nt"},
      {"4096x7168", "--experts", "64", "--tokens", "4096", "--dtype", "fp8", "--scales", "block"},
      {"512x1024", "--experts", "128", "--tokens", "4096", "--top-k", "8", "--routing", "zipf:1.1"},
      {"512x1024", "--experts", "16", "--tokens", "512", "--layout", "nt"},
      {"1073741824", "--op", "memcpy"},
      {"32768x32768", "--op", "elementwise_add", "--dtype", "fp32"},
      {"4096x4096x4096", "--config", "ws 128x256x64"}};
  asked.insert(asked.end(), others.begin(), others.end());
  CHECK(asked.size() == 50);
  for (std::vector<std::string>& arguments : asked) {
    CAPTURE(join(arguments, " "));
    arguments.insert(arguments.end(), {"--method", "analytic"});
    const std::string text = table(arguments);
    check_fits(text);
    CHECK(lines_of(text).size() <= 24 + 1);  // plus the last line end
    CHECK(contains(text, "\nBest: "));
  }
}

TEST_CASE("An invalid routing is refused") {
  check_refused({"512x1024", "--experts", "8"}, "--experts requires --tokens");
  check_refused({"512x1024", "--top-k", "8"}, "--top-k requires --experts");
  check_refused({"512x1024", "--draws", "8"}, "--draws requires --experts");
  const auto refuses = [](std::vector<std::string> more, const std::string& part) {
    more.insert(more.end(), {"--experts", "8", "--tokens", "10"});
    check_refused(more, part);
  };
  refuses({"1000x512x1024"}, "a grouped problem takes NxK of one group");
  refuses({"512x1024", "--routing", "even"}, "routing 'even': expected uniform");
  refuses({"512x1024", "--top-k", "9"}, "top-k 9: there are only 8 experts");
  refuses({"1024", "--op", "memcpy"}, "not to memcpy");
}

}  // namespace
}  // namespace tilecast
