// tilecast-gpu regime-experiment: whether a burst's rest and window are right on this card.

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "kernels/jit/device.h"
#include "model/base/error.h"
#include "model/tile/kernel_config_text.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/timing/regime_experiment.h"
#include "validate/run/gpu_lock.h"
#include "validate/run/measure_progress.h"

namespace tilecast {
namespace {

struct RegimeExperimentOptions {
  std::string out;
  std::string config =
      "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
      "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
  std::vector<i64> rests = {2, 5, 10, 20, 32, 60};
  i64 trials = 3, trials_at_rest = 30, windows = 5;
  u64 seed = 1;
};

void run_experiment(const RegimeExperimentOptions& options) {
  const std::string config = to_text(parse_kernel_config(options.config));
  FilePlan plan;
  plan.writes("--out", options.out);
  plan.check();
  const GpuLock lock(device_facts(require_hopper()).uuid, "tilecast-gpu regime-experiment");
  std::ofstream csv(options.out, std::ios::trunc);
  MeasureProgress progress("trials");
  RegimeExperiment experiment{
      .rests = {},
      .trials = options.trials,
      .trials_at_rest = options.trials_at_rest,
      .windows = options.windows,
      .config = config,
      .seed = options.seed,
      .sink = [&](const std::string& line) { csv << line << std::flush; },
      .progress = [&](std::size_t done, std::size_t all) { progress.show(done, all, ""); }};
  for (const i64 rest : options.rests) {
    experiment.rests.emplace_back(rest);
  }
  run_regime_experiment(experiment);
  progress.finish();
  if (!csv) {
    throw FileError(options.out + ": cannot be written");
  }
}

}  // namespace

void add_regime_experiment(Program& program) {
  const Command command = program.command(
      "regime-experiment", "Bursts after rests after other loads, for tilecast regime-report");
  const auto options = std::make_shared<RegimeExperimentOptions>();
  command.option("--out", options->out, "CSV to write").required();
  command.option("--config", options->config, "Our kernel among the subjects");
  command.option("--rest", options->rests, "Milliseconds").in_range(0, 10000);
  command
      .option("--trials", options->trials,
              "Of each rest, subject and load before; but the "
              "regime's own rest has")
      .in_range(1, 10000);
  command.option("--trials-at-rest", options->trials_at_rest, "Number of trials at each rest")
      .in_range(1, 10000);
  command.option("--windows", options->windows, "Number of long loads of each subject")
      .in_range(1, 1000);
  command.option("--seed", options->seed, "Seed of the order of trials");
  command.runs([options] { run_experiment(*options); });
}

}  // namespace tilecast
