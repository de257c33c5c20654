// tilecast-gpu compile: compiles the kernels that the candidates consist of, without a GPU, and
// keeps those that the compiler rejects in a table, which the candidates then leave out.
//
// Kernels short of registers come first, since they are the ones that are rejected. Each compiled
// kernel stays in the cubin cache and each rejection is written as it is found, so that a run that
// was stopped goes on where it was.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/rejection_table.h"
#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shown_text.h"
#include "model/predict/candidates.h"
#include "model/predict/legality.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/register_plan.h"
#include "validate/run/measure_progress.h"

namespace tilecast {
namespace {

// Between them they are small and large enough for every kernel on the menu.
constexpr GemmShape kShapes[] = {
    {8192, 8192, 8192}, {16, 4096, 4096}, {64, 4096, 4096}, {64, 64, 64}, {300, 250, 200}};

struct CompileOptions {
  std::string gpu = "h200_sxm", out;
  std::vector<std::string> schedules;
  std::optional<std::size_t> sample;  // none: all
  unsigned seed = 1;
};

struct MenuKernel {
  KernelConfig config;
  Layout layout;
};

/// Accumulators over the registers that a consumer thread has at most.
double register_pressure(const KernelConfig& config) {
  const i32 threads = threads_per_cta(config.schedule, config.tiling) * config.ctas_per_sm;
  const i32 registers = has_producer_warpgroup(config.schedule)
                            ? register_plan(consumer_warpgroups(config.schedule, config.tiling),
                                            config.ctas_per_sm, config.producer_registers)
                                  .consumer
                            : min_of(kRegistersPerSm / threads, 255);
  return static_cast<double>(accumulator_registers(config.tiling)) / registers;
}

/// Every different kernel, whatever the table says now, the shortest of registers first.
std::vector<MenuKernel> menu(GpuSpec gpu, const std::vector<Schedule>& schedules) {
  gpu.compiler_rejections.clear();
  std::vector<MenuKernel> kernels;
  std::set<std::string> seen;
  for (const Layout layout : kEveryLayout) {
    for (const GemmShape& shape : kShapes) {
      const GemmProblem problem{shape, ElementType::kFp16, layout};
      if (!why_not_solvable(gpu, problem).empty()) {
        continue;
      }
      for (const KernelConfig& config : enumerate_candidates(gpu, problem, schedules).legal) {
        if (seen.insert(rejection_key(gpu.architecture, config, std::nullopt, layout)).second) {
          kernels.push_back({config, layout});
        }
      }
    }
  }
  std::stable_sort(kernels.begin(), kernels.end(), [](const MenuKernel& a, const MenuKernel& b) {
    return register_pressure(a.config) > register_pressure(b.config);
  });
  return kernels;
}

std::vector<MenuKernel> sampled(std::vector<MenuKernel> kernels, std::size_t count, unsigned seed) {
  if (count == 0 || count >= kernels.size()) {
    return kernels;
  }
  std::vector<MenuKernel> sample;
  std::mt19937 random(seed);
  std::sample(kernels.begin(), kernels.end(), std::back_inserter(sample), count, random);
  return sample;
}

/// Compiles as fp16, and what is rejected as bf16 too.
class MenuRun {
 public:
  MenuRun(const CompileOptions& options, const GpuSpec& gpu, std::vector<MenuKernel> kernels)
      : options_(options),
        gpu_(gpu),
        kernels_(std::move(kernels)),
        table_(std::filesystem::exists(options.out) ? read_file(options.out) : "", options.out) {}

  void run() {
    std::vector<KernelSource> sources;
    for (const MenuKernel& kernel : kernels_) {
      sources.push_back(gemm_source(kernel.config, {ElementType::kFp16, kernel.layout}));
    }
    CubinCache cache;
    MeasureProgress progress("compiling");
    std::size_t done = 0;
    compile_each(sources, cache, [&](const CompileOutcome& outcome) {
      note(outcome, cache);
      progress.show(++done, kernels_.size(), "");
    });
    progress.finish();
    write_file(options_.out, table_.text());
    for (const auto& [reason, count] : counts_) {
      fmt::print("{}: {}\n", reason, count);
    }
    const double count = static_cast<double>(kernels_.size());
    fmt::print("{}, {} compiled now, {:.2f} s of CPU each on average, longest {:.2f} s: {}\n",
               counted(kernels_.size(), "kernel"), cache.misses(),
               count > 0 ? total_.value / count : 0, longest_.value, slowest_);
    fmt::print("{}: {}\n", options_.out, counted(table_.rows(), "row"));
  }

 private:
  void note(const CompileOutcome& outcome, CubinCache& cache) {
    const auto& [config, layout] = kernels_[outcome.index];
    total_ = total_ + outcome.cpu_time;
    if (outcome.cpu_time > longest_) {
      longest_ = outcome.cpu_time;
      slowest_ = fmt::format("{} {}", to_text(config), to_text(layout));
    }
    const std::string compiler = "nvrtc " + nvrtc_version();
    const std::string fp16 = rejection_key(gpu_.architecture, config, ElementType::kFp16, layout);
    const std::string both = rejection_key(gpu_.architecture, config, std::nullopt, layout);
    table_.set(fp16, compiler, "");
    table_.set(both, compiler, "");
    const std::string_view reason = reason_of(outcome.rejection, outcome.error);
    ++counts_[reason.empty() ? "usable" : std::string(reason)];
    if (reason.empty()) {
      return;
    }
    table_.set(is_rejected(cache, config, layout) ? both : fp16, compiler, reason);
    write_file(options_.out, table_.text());
  }

  static std::string_view reason_of(const std::string& rejection, const std::string& error) {
    return !error.empty() ? "error" : rejection.empty() ? "" : rejection_reason(rejection);
  }

  static bool is_rejected(CubinCache& cache, const KernelConfig& config, Layout layout) {
    try {
      return !compile_gemm(config, {ElementType::kBf16, layout}, cache).usable();
    } catch (const Error&) {
      return true;
    }
  }

  const CompileOptions& options_;
  const GpuSpec& gpu_;
  const std::vector<MenuKernel> kernels_;
  RejectionTable table_;
  std::map<std::string, int> counts_;  // by reason
  Seconds total_{}, longest_{};
  std::string slowest_;
};

void run_compile(const CompileOptions& options) {
  FilePlan plan;
  plan.writes("--out", options.out);
  plan.check();
  const LoadedGpu gpu = load_gpu(options.gpu, false);
  if (const std::string why = why_not_schedulable(gpu.spec); !why.empty()) {
    throw ConfigError(why);
  }
  std::vector<Schedule> schedules;
  for (const std::string& name : options.schedules) {
    schedules.push_back(parse_schedule(name));
  }
  MenuRun(options, gpu.spec,
          sampled(menu(gpu.spec, schedules), options.sample.value_or(0), options.seed))
      .run();
}

}  // namespace

void add_compile(Program& program) {
  auto options = std::make_shared<CompileOptions>();
  const Command command = program.command(
      "compile",
      "Compile the candidates' kernels and record which the compiler rejects; needs no GPU");
  command.option("--gpu", options->gpu, "GPU name (`tilecast gpus`), or a path to a GPU file");
  command.option("--schedule", options->schedules, "Only of this schedule; repeatable");
  command.option("--sample", options->sample, "Only a random sample of this size");
  command.option("--seed", options->seed, "Of --sample");
  command.option("--out", options->out, "Table of rejections to update").required();
  command.runs([options] { run_compile(*options); });
}

}  // namespace tilecast
