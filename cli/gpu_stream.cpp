// tilecast-gpu stream: times the memory-bound kernels. A row of CSV for each point, written as it
// is measured; the table goes to standard output at the end, fastest first.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"
#include "validate/measure/stream_bench.h"

namespace tilecast {
namespace {

struct StreamOptions {
  std::string configs, out, regime = "burst";
  std::vector<std::string> dtypes = {"fp32"};
  std::vector<std::string> shapes = {"32768x32768"};
};

/// "1000x2000", or "1000" for a vector.
StreamProblem parse_stream_shape(const std::string& text, ElementType dtype) {
  std::vector<i64> sides;
  for (const std::string_view part : split(text, 'x')) {
    sides.push_back(parse_integer(part).value_or(0));
  }
  if (sides.empty() || sides.size() > 2 || *std::min_element(sides.begin(), sides.end()) < 1) {
    throw ConfigError("shape '" + text + "': expected ROWSxCOLUMNS, or a number of elements");
  }
  return sides.size() == 1 ? StreamProblem{1, sides[0], dtype}
                           : StreamProblem{sides[0], sides[1], dtype};
}

/// The lines of the file that are not empty and no comments.
std::vector<std::string> read_configs(const std::string& path) {
  const std::string content = read_file(path);
  std::vector<std::string> configs;
  for (const std::string_view line : split(content, '\n')) {
    if (!line.empty() && line.front() != '#') {
      configs.emplace_back(line);
    }
  }
  return configs;
}

bool fits(const std::string& config, const StreamProblem& problem) {
  const bool copy = config == kRuntimeCopy || config.starts_with("memcpy");
  return copy == (problem.rows == 1);
}

void print_table(std::vector<StreamRow> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const StreamRow& x, const StreamRow& y) {
    return x.bytes_per_second() > y.bytes_per_second();
  });
  fmt::print("{:>7} {:>7} {:>9} {:>5} {:>16} {:>5}  {}\n", "TB/s", "TiB/s", "us", "MHz", "shape",
             "type", "configuration");
  for (const StreamRow& row : rows) {
    const std::string shape = fmt::format("{}x{}", row.problem.rows, row.problem.columns);
    if (!row.timed) {
      fmt::print("{:>7} {:>7} {:>9} {:>5} {:>16} {:>5}  {}: {}\n", row.status, "", "", "", shape,
                 to_text(row.problem.dtype), row.config, row.reason);
      continue;
    }
    fmt::print("{:>7.3f} {:>7.3f} {:>9.2f} {:>5.0f} {:>16} {:>5}  {}\n",
               row.bytes_per_second() / 1e12, row.bytes_per_second() / 1099511627776.0,
               row.timed->time.median.value * 1e6, row.timed->sm_clock.value / 1e6, shape,
               to_text(row.problem.dtype), row.config);
  }
}

void run_stream(const StreamOptions& options) {
  const Regime regime = parse_regime(options.regime);
  const std::vector<std::string> configs = read_configs(options.configs);
  StreamBench bench;
  std::ofstream csv(options.out, std::ios::trunc);
  csv << stream_csv_header() << std::flush;
  if (!csv) {
    throw FileError(options.out + ": cannot be written");
  }
  std::vector<StreamRow> rows;
  bool wrong = false;
  for (const std::string& dtype : options.dtypes) {
    for (const std::string& shape : options.shapes) {
      const StreamProblem problem = parse_stream_shape(shape, parse_element_type(dtype));
      for (const std::string& config : configs) {
        if (!fits(config, problem)) {
          continue;
        }
        rows.push_back(bench.measure(config, problem, regime));
        wrong = wrong || rows.back().status == "wrong";
        csv << stream_csv_line(rows.back(), bench.device().name, regime) << std::flush;
        fmt::print(stderr, "{:>7.3f} TB/s {} {} {}\n", rows.back().bytes_per_second() / 1e12, shape,
                   dtype, config);
      }
    }
  }
  print_table(rows);
  if (!csv) {
    throw FileError(options.out + ": cannot be written");
  }
  if (wrong) {
    throw Error(ExitCode::kWrong, "a kernel gave a wrong result");
  }
}

}  // namespace

void add_stream(CLI::App& app) {
  auto options = std::make_shared<StreamOptions>();
  CLI::App* command = app.add_subcommand("stream", "Times memcpy and elementwise_add kernels");
  command->add_option("--configs", options->configs, "File with a configuration on each line")
      ->required();
  command->add_option("--out", options->out, "CSV to write")->required();
  command->add_option("--dtype", options->dtypes, "fp32, fp16, bf16");
  command->add_option("--shape", options->shapes, "ROWSxCOLUMNS, or elements for memcpy");
  command->add_option("--regime", options->regime, "burst or sustained");
  command->callback([options] { run_stream(*options); });
}

}  // namespace tilecast
