// tilecast-gpu compile: compiles the kernels that are predicted to be fastest on random problems,
// without a GPU, and lists those that the compiler rejects in a table, so that they are no longer
// candidates.
//
// A problem that lost a kernel is ranked again until all of its first kernels compile. Each
// compiled kernel stays in the cubin cache and each rejection is written as it is found, so that a
// stopped run can be resumed.

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shown_text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/menu/random_problems.h"
#include "model/gemm/rules/compiler_rejections.h"
#include "model/ops/any_op.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "validate/run/measure_progress.h"

namespace tilecast {
namespace {

struct CompileOptions {
  std::string gpu, out;
  std::vector<AnySchedule> schedules;  // all schedules if empty
  std::size_t random, first;           // number of problems, and of kernels for each
  unsigned seed;
};

/// A kernel and one problem that it solves.
struct VariantKernel {
  GemmProblem problem;
  KernelConfig config;

  KernelVariant variant() const { return variant_of(problem, config); }
};

/// Returns the same problem in the other 16-bit type.
std::optional<GemmProblem> in_other_half(GemmProblem problem) {
  if (element_bytes(problem.dtype) != kHalfBytes) {
    return std::nullopt;
  }
  problem.dtype = problem.dtype == ElementType::kFp16 ? ElementType::kBf16 : ElementType::kFp16;
  return problem;
}

/// Returns the architecture of a GPU that runs kernels with mma.sync alone; empty for others.
std::string mma_sync_architecture(const GpuSpec& gpu) {
  constexpr i32 kThreadsOfA100 = 2048;  // per SM; later Amperes have 1536
  switch (gpu.architecture) {
    case Architecture::kAmpere:
      return gpu.sm.max_threads == kThreadsOfA100 ? "sm_80" : "sm_86";
    case Architecture::kAda:
      return "sm_89";
    case Architecture::kBlackwellRtx:
      return "sm_120";
    default:
      return "";
  }
}

/// Compiles kernels. Rejected ones are also compiled in the other 16-bit type.
class CompileRun {
 public:
  CompileRun(const CompileOptions& options, const GpuSpec& gpu) : options_(options), gpu_(gpu) {
    cache_.compile_for(mma_sync_architecture(gpu));
    if (std::filesystem::exists(options.out)) {
      for (const CompilerRejection& row :
           parse_compiler_rejections(read_file(options.out), options.out)) {
        table_.emplace(to_text(row), row);
      }
    }
  }

  /// Compiles the kernels that this run has not compiled yet.
  void compile(const std::vector<VariantKernel>& asked) {
    std::vector<VariantKernel> kernels;
    std::vector<KernelSource> sources;
    for (const VariantKernel& kernel : asked) {
      if (done_.insert(kernel.variant()).second) {
        kernels.push_back(kernel);
        sources.push_back(gemm_source(kernel.config, ProblemKind::of(kernel.problem)));
      }
    }
    MeasureProgress progress("compiling");
    std::size_t done = 0;
    compile_each(sources, cache_, [&](const CompileOutcome& outcome) {
      note(kernels[outcome.index], outcome);
      progress.show(++done, kernels.size(), "");
    });
    progress.finish();
    write();
  }

  /// Returns rows for all kernels that this run found rejected, sorted by schedule.
  const std::vector<CompilerRejection>& rejected() const { return rejected_; }

  void summarize() const {
    for (const auto& [reason, count] : counts_) {
      fmt::print("{}: {}\n", reason, count);
    }
    const double count = static_cast<double>(done_.size());
    fmt::print("{}, {} compiled now, {:.2f} s of CPU each on average, longest {:.2f} s: {}\n",
               counted(done_.size(), "kernel"), cache_.misses(),
               count > 0 ? total_.value / count : 0, longest_.value, slowest_);
    fmt::print("{}: {}\n", on_one_line(options_.out), counted(table_.size(), "row"));
  }

 private:
  void note(const VariantKernel& kernel, const CompileOutcome& outcome) {
    total_ = total_ + outcome.cpu_time;
    if (outcome.cpu_time > longest_) {
      longest_ = outcome.cpu_time;
      slowest_ = described(kernel);
    }
    const std::string why = outcome.error + outcome.rejection;
    const std::string_view reason = reason_of(outcome.rejection, outcome.error);
    ++counts_[reason.empty() ? "usable" : std::string(reason)];
    set(kernel, reason);
    if (reason.empty()) {
      return;
    }
    fmt::print("{}: {}\n", described(kernel), why);
    if (const std::optional<GemmProblem> other = in_other_half(kernel.problem)) {
      const VariantKernel twin{*other, kernel.config};
      if (done_.insert(twin.variant()).second && is_rejected(twin)) {
        set(twin, reason);
      }
    }
    write();
  }

  void set(const VariantKernel& kernel, std::string_view reason) {
    const CompilerRejection row = rejection_of(to_text(gpu_.architecture), kernel.variant(),
                                               "nvrtc " + nvrtc_version(), reason);
    table_.erase(to_text(row));
    if (!reason.empty()) {
      table_.emplace(to_text(row), row);
      rejected_.push_back(row);
      sort_by_schedule(rejected_);
    }
  }

  void write() const {
    std::vector<CompilerRejection> rows;
    for (const auto& [kernels, row] : table_) {
      rows.push_back(row);
    }
    write_file(options_.out, compiler_rejections_text(rows));
  }

  static std::string described(const VariantKernel& kernel) {
    return fmt::format("{} {}", to_text(AnyProblem{kernel.problem}), to_text(kernel.config));
  }

  static std::string_view reason_of(const std::string& rejection, const std::string& error) {
    const auto says = [&](std::string_view start) { return rejection.starts_with(start); };
    return !error.empty()                          ? "error"
           : rejection.empty()                     ? ""
           : says("spills") || says("stack frame") ? "spills"
           : says("C7508")                         ? "setmaxnreg_ignored"
           : says("C75")                           ? "wgmma_serialized"
                                                   : "error";
  }

  bool is_rejected(const VariantKernel& kernel) {
    try {
      return !compile_gemm(kernel.config, ProblemKind::of(kernel.problem), cache_).usable();
    } catch (const Error&) {
      return true;
    }
  }

  const CompileOptions& options_;
  const GpuSpec& gpu_;
  CubinCache cache_;
  // rows of the table by their kernels, in canonical form
  std::map<std::string, CompilerRejection> table_;
  std::set<KernelVariant> done_;
  std::vector<CompilerRejection> rejected_;
  std::map<std::string, int> counts_;  // counts by reason
  Seconds total_{}, longest_{};
  std::string slowest_;
};

/// Compiles the first kernels of each problem's ranking, until all of them compile.
void compile_first(const CompileOptions& options, GpuSpec gpu, CompileRun& run) {
  std::vector<GemmProblem> problems = random_problems(gpu, options.seed, options.random);
  std::erase_if(problems, [&](const GemmProblem& problem) {  // such as fp8 on an A100
    return !why_not_solvable(gpu, problem).empty();
  });
  const std::vector<CompilerRejection> known = *gpu.compiler_rejections;
  while (!problems.empty()) {
    std::vector<VariantKernel> kernels;
    MeasureProgress progress("predicting");
    std::size_t done = 0;
    for (const GemmProblem& problem : problems) {
      for (const Prediction& p : rank_candidates(gpu, problem, options.schedules, Regime::kBurst,
                                                 Inputs::kNormal, options.first)
                                     .predictions) {
        kernels.push_back({problem, std::get<KernelConfig>(p.config)});
      }
      progress.show(++done, problems.size(), "");
    }
    progress.finish();
    run.compile(kernels);
    std::vector<CompilerRejection> all = known;
    all.insert(all.end(), run.rejected().begin(), run.rejected().end());
    sort_by_schedule(all);
    gpu.compiler_rejections =
        std::make_shared<const std::vector<CompilerRejection>>(std::move(all));
    problems.clear();
    for (const auto& [problem, config] : kernels) {
      if (any_rejects(run.rejected(), problem, config) &&
          (problems.empty() || problems.back() != problem)) {
        problems.push_back(problem);
      }
    }
  }
}

}  // namespace

void run_compile(const Arguments& args) {
  CompileOptions options{.gpu = args.text("--gpu"),
                         .out = args.text("--out"),
                         .schedules = {},
                         .random = static_cast<std::size_t>(args.number("--random")),
                         .first = static_cast<std::size_t>(args.number("--first")),
                         .seed = static_cast<unsigned>(args.number("--seed"))};
  FilePlan plan;
  plan.writes("--out", options.out);
  plan.check();
  const LoadedGpu gpu = load_gpu(options.gpu, true);
  if (const std::string why = why_not_schedulable(gpu.spec); !why.empty()) {
    throw ConfigError(why);
  }
  for (const std::string& name : args.texts("--schedule")) {
    options.schedules.push_back(parse_schedule(name));
  }
  CompileRun run(options, gpu.spec);
  compile_first(options, gpu.spec, run);
  run.summarize();
}

}  // namespace tilecast
