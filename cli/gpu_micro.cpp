// tilecast-gpu micro: runs the micro-benchmarks, each group several times. Writes a CSV row for
// each constant and rewrites the file after each group; prints a table of the main constants at the
// end. Errors in the command are detected before the GPU is used.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/say.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "model/spec/product_name.h"
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

constexpr int kPasses = 3;  // passes over each constant, each in fresh memory

bool wanted(const Arguments& args, const MicroGroup& group) {
  if (!group.by_default && args.given("--energy")) {
    return true;
  }
  const std::vector<std::string>& groups = args.texts("--group");
  return groups.empty() ? group.by_default : std::ranges::find(groups, group.name) != groups.end();
}

/// Throws ConfigError if the file clearly describes another GPU: its SM count or product differs.
void check_same_gpu(const GpuSpec& file, const Device& device) {
  refuse_if(file.sm.count != device.sm_count || !is_product(device.name, file.product),
            "--gpu {} is {} with {} SMs, but this machine's GPU is {} with {} SMs: "
            "give the file of this machine's GPU, or omit --overlay",
            file.name, file.product, file.sm.count, device.name, device.sm_count);
}

void print_table(const std::vector<MicroPoint>& points) {
  fmt::print("{:<30} {:<46} {:>11} {:<9} {:>11} {:<7} {:>7} {:>6}\n", "key", "variant", "value",
             "unit", "in time", "unit", "spread", "MHz");
  for (const MicroPoint& point : points) {
    if (point.key.ends_with("_of_sm") || point.key.ends_with("_of_cta")) {
      continue;  // values per SM or per CTA are written to the file but not printed
    }
    const double spread =
        point.value.median != 0 ? (point.value.q3 - point.value.q1) / point.value.median : 0;
    fmt::print("{:<30} {:<46} {:>11.5g} {:<9} {:>11} {:<7} {:>6.2f}% {:>6.0f}\n", point.key,
               point.variant, point.value.median, point.unit,
               point.time_unit.empty() ? "" : fmt::format("{:.5g}", point.in_time.median),
               point.time_unit, spread * 100, point.clock_mhz);
  }
}

/// Throws ConfigError for an unknown word of --group.
void check_groups(const std::vector<std::string>& groups) {
  std::vector<std::string> known;
  for (const MicroGroup& group : kMicroGroups) {
    known.emplace_back(group.name);
  }
  for (const std::string& group : groups) {
    refuse_if(std::ranges::find(known, group) == known.end(),
              "--group: expected one of {}, got '{}'", join(known, ", "), group);
  }
}

}  // namespace

void run_micro(const Arguments& args) {
  const std::string out = args.text("--out"), overlay = args.text("--overlay"),
                    gpu = args.text("--gpu");
  check_groups(args.texts("--group"));
  FilePlan plan;
  plan.writes("--out", out);
  plan.writes("--overlay", overlay);
  plan.check();
  std::optional<GpuSpec> file;
  if (!overlay.empty()) {
    file = load_gpu(gpu, false).spec;
    refuse_if(!file->dram, "{}: has no section `dram`, which --overlay requires", gpu);
  }
  const Device device = require_hopper();
  if (file) {
    check_same_gpu(*file, device);
  }
  const GpuLock lock(device_facts(device).uuid, "tilecast-gpu micro --out " + out);
  MicroLab lab;
  std::string csv = micro_csv_header();
  std::vector<std::string> failed;
  std::vector<MicroPoint> constants;
  for (const MicroGroup& group : kMicroGroups) {
    if (!wanted(args, group)) {
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
      // A GPU fault ends all later groups in the same way; each is reported.
      failed.emplace_back(group.name);
      say("{}: {}", group.name, error.what());
    }
    const std::vector<MicroPoint> found =
        joined_passes(std::span<const MicroPoint>(lab.points()).subspan(before));
    for (const MicroPoint& point : found) {
      csv += micro_csv_line(point, device.name);
    }
    write_file(out, csv);
    constants.insert(constants.end(), found.begin(), found.end());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    say("{}: {} in {:.1f} s", group.name, counted(found.size(), "point"), took.count());
  }
  print_table(constants);
  if (file) {
    write_file(overlay, overlay_text(file->name, measured_constants(constants, facts_of(*file))));
  }
  if (!failed.empty()) {
    throw Error(ExitCode::kPartial, "groups that failed: " + join(failed, ", "));
  }
}

}  // namespace tilecast
