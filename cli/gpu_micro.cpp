// tilecast-gpu micro: runs the micro-benchmarks, each group several times over. A row of CSV for
// each constant, written as its group ends; a table of the main ones at the end.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "validate/measure/micro_overlay.h"
#include "validate/measure/micro_suite.h"

namespace tilecast {
namespace {

struct MicroOptions {
  std::string out, overlay, gpu = "h200_sxm";
  std::vector<std::string> groups;
  bool energy = false;
  int passes = 3;
};

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const MicroGroup& group : micro_groups()) {
    names.emplace_back(group.name);
  }
  return names;
}

bool wanted(const MicroOptions& options, const MicroGroup& group) {
  if (options.groups.empty()) {
    return group.by_default || options.energy;
  }
  for (const std::string& name : options.groups) {
    if (name == group.name) {
      return true;
    }
  }
  return false;
}

void print_table(const std::vector<MicroPoint>& points) {
  fmt::print("{:<30} {:<46} {:>11} {:<9} {:>11} {:<7} {:>7} {:>6}\n", "key", "variant", "value",
             "unit", "in time", "unit", "spread", "MHz");
  for (const MicroPoint& point : points) {
    if (point.key.ends_with("_of_sm") || point.key.ends_with("_of_cta")) {
      continue;  // maps of the chip: in the file
    }
    const double spread =
        point.value.median != 0 ? (point.value.q3 - point.value.q1) / point.value.median : 0;
    fmt::print("{:<30} {:<46} {:>11.5g} {:<9} {:>11} {:<7} {:>6.2f}% {:>6.0f}\n", point.key,
               point.variant, point.value.median, point.unit,
               point.time_unit.empty() ? "" : fmt::format("{:.5g}", point.in_time.median),
               point.time_unit, spread * 100, point.clock_mhz);
  }
}

void run_micro(const MicroOptions& options) {
  for (const std::string& name : options.groups) {
    const std::vector<std::string> known = group_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw ConfigError("unknown group '" + name + "': expected one of " + join(known, ", ") +
                        did_you_mean(name, known));
    }
  }
  std::string gpu;
  std::ofstream csv;
  if (!options.overlay.empty() && !load_gpu(options.gpu, false).spec.dram) {
    throw ConfigError(options.gpu + ": has no dram section, so no overlay can be made for it");
  }
  MicroLab lab;
  gpu = lab.device().name;
  csv.open(options.out, std::ios::trunc);
  csv << micro_csv_header() << std::flush;
  if (!csv) {
    throw FileError(options.out + ": cannot be written");
  }
  std::vector<std::string> failed;
  std::vector<MicroPoint> constants;
  for (const MicroGroup& group : micro_groups()) {
    if (!wanted(options, group)) {
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t before = lab.points().size();
    try {
      for (int pass = 0; pass < (group.by_default ? options.passes : 1); ++pass) {
        lab.begin_pass(pass);
        group.measure(lab);
      }
    } catch (const Error& error) {
      // A fault of the GPU ends every later group the same way; each says so.
      failed.emplace_back(group.name);
      fmt::print(stderr, "{}: {}\n", group.name, error.what());
    }
    const std::vector<MicroPoint> found =
        joined_passes(std::span<const MicroPoint>(lab.points()).subspan(before));
    for (const MicroPoint& point : found) {
      csv << micro_csv_line(point, gpu) << std::flush;
    }
    constants.insert(constants.end(), found.begin(), found.end());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print(stderr, "{}: {} points in {:.1f} s\n", group.name, found.size(), took.count());
  }
  print_table(constants);
  if (!csv) {
    throw FileError(options.out + ": cannot be written");
  }
  if (!options.overlay.empty()) {
    const LoadedGpu file = load_gpu(options.gpu, false);
    write_file(
        options.overlay,
        overlay_text(file.spec.name, measured_constants(constants, file.spec.dram->bandwidth)));
  }
  if (!failed.empty()) {
    throw Error(ExitCode::kPartial, "groups that failed: " + join(failed, ", "));
  }
}

}  // namespace

void add_micro(CLI::App& app) {
  auto options = std::make_shared<MicroOptions>();
  CLI::App* command = app.add_subcommand("micro", "Measures the constants of this GPU");
  command->add_option("--out", options->out, "CSV to write")->required();
  command->add_option("--group", options->groups, "Only these: " + join(group_names(), ", "));
  command->add_option("--overlay", options->overlay,
                      "Overlay of the GPU file to write, of the keys that were measured");
  command->add_option("--gpu", options->gpu, "GPU file that the overlay is for");
  command->add_flag("--energy", options->energy, "Energy per operation too");
  command
      ->add_option("--passes", options->passes,
                   "Times that each constant is measured, in memory that lies elsewhere")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->callback([options] { run_micro(*options); });
}

}  // namespace tilecast
