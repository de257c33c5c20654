#include "validate/measure/gemm/gemm_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/jit/gemm_launch.h"
#include "kernels/jit/gemm_source.h"
#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/gemm/tile_trace.h"
#include "validate/measure/kernel_contender.h"
#include "validate/run/context_lost.h"

namespace tilecast {
namespace {

constexpr int kAlgorithmsTried = 16;
// Ratio to the best single launch up to which an algorithm is timed; a cold launch may be this much
// slower.
constexpr double kWorthTiming = 1.3;

/// Every problem gets different data, and always the same data.
u64 seed_of(const GemmProblem& problem, Inputs inputs) {
  u64 seed = 1;
  for (const i64 part :
       {problem.shape.m, problem.shape.n, problem.shape.k, static_cast<i64>(problem.dtype),
        static_cast<i64>(problem.layout), static_cast<i64>(inputs)}) {
    seed = seed * 1'000'003u + static_cast<u64>(part);
  }
  return seed;
}

}  // namespace

class GemmLab::Kernel final : public KernelContender<GemmLaunch, GemmArgs> {
 public:
  Kernel(GemmLab& gemm, const KernelConfig& config, Measurement& row)
      : KernelContender(gemm.lab_, gemm_source(config, ProblemKind::of(gemm.problem_)), kGemmEntry,
                        gemm.problem_, config, gemm.sets().count, row),
        gemm_(gemm) {}

  Verdict check() override {
    return gemm_.verifier_.check([this](void* c) {
      GemmBuffers checked = gemm_.operands_.set(0);
      checked.c = c;
      gemm_.copier_.launch(checked, stream());
      launch().launch(launch().bind(gemm_.copier_.copied(checked)), stream());
    });
  }

  /// Checks that the kernel walks the tiles of its configuration, and that it does not repeat an
  /// earlier kernel under another name.
  void identify(Measurement& row) override {
    const std::vector<WalkedPiece> walked =
        record_tile_trace(launch(), gemm_.copier_.copied(gemm_.operands_.set(0)), stream());
    row.tile_checksum = tile_checksum(walked);
    row.reason =
        tile_trace_difference(walked, expected_tile_trace(launch()), launch().max_tiles_per_cta());
    if (!row.reason.empty()) {
      row.status = Status::kWrong;
      return;
    }
    row.reason = gemm_.identity_.repeated(row);
    row.status = row.reason.empty() ? Status::kOk : Status::kSkipped;
  }

 private:
  GemmArgs bind(std::size_t set) const override {
    return launch().bind(gemm_.copier_.copied(gemm_.operands_.set(set)));
  }
  void copy_operands(std::size_t set) const override {
    gemm_.copier_.launch(gemm_.operands_.set(set), stream());
  }

  GemmLab& gemm_;
};

/// cuBLASLt with its heuristic's first algorithm, or with the fastest of the first 16 that give
/// correct results.
class GemmLab::Baseline final : public Contender {
 public:
  Baseline(GemmLab& gemm, bool best)
      : gemm_(gemm),
        matmul_(gemm.cublaslt_, gemm.problem_, false),
        algorithms_(matmul_.algorithms(kAlgorithmsTried)) {
    if (best && !gemm_.fastest_) {
      gemm_.fastest_ = fastest();
    }
    chosen_ = best ? *gemm_.fastest_ : std::size_t{0};
  }

  Verdict check() override { return check(algorithms_[chosen_]); }
  Workload workload() override { return workload(algorithms_[chosen_]); }

  void time(Measurement& row, const Timing& timing) override {
    Workload launches = workload();
    timing(row, launches);
    row.reason = fmt::format("choice {} of {}: {} kernels={}", chosen_ + 1, algorithms_.size(),
                             describe(algorithms_[chosen_]), launches.kernels_per_launch);
  }

 private:
  Verdict check(const cublasLtMatmulAlgo_t& algorithm) const {
    const GemmBuffers first = gemm_.operands_.set(0);
    return gemm_.verifier_.check(
        [&](void* c) { matmul_.run(algorithm, first, c, gemm_.lab_.stream.get()); },
        rounded_sums(algorithm));
  }

  Workload workload(const cublasLtMatmulAlgo_t& algorithm) const {
    return {.enqueue =
                [this, &algorithm](std::size_t set) {
                  const GemmBuffers buffers = gemm_.operands_.set(set);
                  matmul_.run(algorithm, buffers, buffers.c, gemm_.lab_.stream.get());
                },
            .sets = gemm_.sets().count,
            .estimate = {}};
  }

  std::size_t fastest() const {
    RegimeTimer& timer = gemm_.lab_.timer;
    std::vector<std::pair<std::size_t, Workload>> right;
    Seconds best_single{std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < algorithms_.size(); ++i) {
      try {
        if (!check(algorithms_[i]).right()) {
          continue;
        }
        Workload launches = workload(algorithms_[i]);
        timer.look_at(launches);
        best_single = std::min(best_single, launches.estimate);
        right.emplace_back(i, std::move(launches));
      } catch (const Error& error) {  // skip candidates that cannot run
        if (!context_is_alive()) {
          throw ContextLost(error.what());
        }
      }
    }
    std::size_t best = 0;
    Seconds best_time{std::numeric_limits<double>::infinity()};
    for (const auto& [i, launches] : right) {
      if (launches.estimate > best_single * kWorthTiming) {
        continue;
      }
      if (const Seconds took = timer.brief_time(launches); took < best_time) {
        best = i;
        best_time = took;
      }
    }
    return best;
  }

  GemmLab& gemm_;
  CublasltMatmul matmul_;
  std::vector<cublasLtMatmulAlgo_t> algorithms_;
  std::size_t chosen_ = 0;
};

std::vector<KernelSource> GemmLab::kernel_sources(const GemmProblem& problem,
                                                  const KernelConfig& config) {
  std::vector<KernelSource> sources{gemm_source(config, ProblemKind::of(problem))};
  if (copied_operands(problem).any()) {
    sources.push_back(copy_source(sources.back().architecture));
  }
  return sources;
}

GemmLab::GemmLab(const LabDevice& lab)
    : lab_(lab),
      operands_(lab.kernels, lab.stream, lab.l2),
      copier_(lab.cache, lab.device.sm_count),
      verifier_(lab.cache, lab.kernels, cublaslt_, lab.stream) {}

void GemmLab::prepare(const AnyProblem& problem, Inputs inputs) {
  fastest_.reset();
  problem_ = std::get<GemmProblem>(problem);
  operands_.prepare(problem_, inputs, seed_of(problem_, inputs));
  copier_.prepare(problem_);
  verifier_.prepare(problem_, operands_.set(0));
}

std::unique_ptr<Contender> GemmLab::contender(const std::string& config, Measurement& row) {
  if (is_cublaslt(config)) {
    return std::make_unique<Baseline>(*this, config == kCublasltBest);
  }
  const KernelConfig parsed = parse_kernel_config(config);
  const std::string why =
      uses_mma_sync(parsed.schedule)
          ? ""
          : why_not_runnable(lab_.device, gemm_kernel_info(parsed.schedule).architecture);
  refuse_if(!why.empty(), "{}", why);
  return std::make_unique<Kernel>(*this, parsed, row);
}

}  // namespace tilecast
