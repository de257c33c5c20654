// tilecast-gpu micro: runs the micro-benchmarks, each group several times over. A row of CSV for
// each constant, the file rewritten as each group ends; a table of the main ones at the end.
// What can be wrong with the command is found before the GPU is touched.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/micro/micro_overlay.h"
#include "validate/measure/micro/micro_suite.h"
#include "validate/run/gpu_lock.h"

namespace tilecast {
namespace {

CardFacts facts_of(const GpuSpec& gpu) {
  return {static_cast<u32>(gpu.sm.count),
          gpu.clock ? std::optional(EnergyScale{kEnergyClock, gpu.clock->energy_exponent})
                    : std::nullopt};
}

constexpr int kPasses = 3;  // over each constant, each time in fresh memory

struct MicroOptions {
  std::string out, overlay, gpu = "h200_sxm";
  std::vector<std::string> groups;
  bool energy = false;
};

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const MicroGroup& group : kMicroGroups) {
    names.emplace_back(group.name);
  }
  return names;
}

bool wanted(const MicroOptions& options, const MicroGroup& group) {
  if (!group.by_default && options.energy) {
    return true;
  }
  return options.groups.empty() ? group.by_default
                                : std::find(options.groups.begin(), options.groups.end(),
                                            group.name) != options.groups.end();
}

/// Throws ConfigError where the file is plainly another GPU's: its SMs are not as many, or its
/// product does not have the device's model, the second word of its name ("NVIDIA H200").
void check_same_gpu(const GpuSpec& file, const Device& device) {
  const std::size_t space = device.name.find(' ');
  const std::string model =
      space == std::string::npos
          ? device.name
          : device.name.substr(space + 1, device.name.find(' ', space + 1) - space - 1);
  if (file.sm.count != device.sm_count || file.product.find(model) == std::string::npos) {
    throw ConfigError(fmt::format(
        "--gpu {} is {} with {} SMs; this machine has {} with {}: name its file, or leave out "
        "--overlay",
        file.name, file.product, file.sm.count, device.name, device.sm_count));
  }
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
  FilePlan plan;
  plan.writes("--out", options.out);
  plan.writes("--overlay", options.overlay);
  plan.check();
  std::optional<GpuSpec> file;
  if (!options.overlay.empty()) {
    file = load_gpu(options.gpu, false).spec;
    if (!file->dram) {
      throw ConfigError(options.gpu + ": has no dram section, so no overlay can be made for it");
    }
  }
  const Device device = require_hopper();
  if (file) {
    check_same_gpu(*file, device);
  }
  const GpuLock lock(device_facts(device).uuid, "tilecast-gpu micro --out " + options.out);
  MicroLab lab;
  std::string csv = micro_csv_header();
  std::vector<std::string> failed;
  std::vector<MicroPoint> constants;
  for (const MicroGroup& group : kMicroGroups) {
    if (!wanted(options, group)) {
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t before = lab.points().size();
    try {
      for (int pass = 0; pass < (group.by_default ? kPasses : 1); ++pass) {
        lab.begin_pass(group.name, pass);
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
      csv += micro_csv_line(point, device.name);
    }
    write_file(options.out, csv);
    constants.insert(constants.end(), found.begin(), found.end());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print(stderr, "{}: {} in {:.1f} s\n", group.name, counted(found.size(), "point"),
               took.count());
  }
  print_table(constants);
  if (file) {
    write_file(options.overlay,
               overlay_text(file->name, measured_constants(constants, facts_of(*file))));
  }
  if (!failed.empty()) {
    throw Error(ExitCode::kPartial, "groups that failed: " + join(failed, ", "));
  }
}

}  // namespace

void add_micro(Program& program) {
  auto options = std::make_shared<MicroOptions>();
  const Command command = program.command("micro");
  command.option("--out", options->out, "CSV to write").required();
  command
      .option("--group", options->groups,
              "Only these; repeatable; default all but energy: " + join(group_names(), ", "))
      .one_of(group_names());
  command.option("--overlay", options->overlay,
                 "Overlay of the GPU file to write, of the keys that were measured; put beside "
                 "the file as NAME.calibrated.yaml it is read with it");
  command.option("--gpu", options->gpu,
                 "GPU name (`tilecast gpus`), or a path to a GPU file, that the overlay is for");
  command.flag("--energy", options->energy, "Measure energy per operation as well");
  command.runs([options] { run_micro(*options); });
}

}  // namespace tilecast
