#include "validate/measure/attention/attention_verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/error.h"

namespace tilecast {
namespace {

// Kernels in the order of attention_reference_sources().
enum Kernel : std::size_t { kReference, kReferenceRows };

constexpr u64 kSamples = 4096;
constexpr u64 kNone = std::numeric_limits<u64>::max();
constexpr double kRelativeRoundoffs = 2, kDeviations = 7, kNormMargin = 4;

i64 rows_of(const AttentionProblem& p) { return i64{p.batch} * p.heads * p.queries; }

/// Returns an element's position by its index in O's layout.
std::string place(u64 index, const AttentionProblem& p) {
  const u64 d = static_cast<u64>(p.head_dim), heads = static_cast<u64>(p.heads);
  const u64 queries = static_cast<u64>(p.queries), row = index / d;
  const bool by_head = p.layout == AttentionLayout::kBhsd;
  const u64 query = by_head ? row % queries : row / heads % queries;
  const u64 head = by_head ? row / queries % heads : row % heads;
  return fmt::format("batch {}, head {}, query {}, column {}", row / heads / queries, head, query,
                     index % d);
}

}  // namespace

std::vector<KernelSource> attention_reference_sources() {
  return {{.path = "kernels/verify/reference_attention.cu"},
          {.path = "kernels/verify/reference_attention_rows.cu"}};
}

AttentionVerifier::AttentionVerifier(CubinCache& cache, const MicroKernels& kernels,
                                     const Stream& stream)
    : kernels_(kernels),
      reference_kernels_(cache, attention_reference_sources(), kernels.sm_count()),
      stream_(stream),
      o_(kernels, stream),
      lse_(kernels, stream),
      result_(std::max(sizeof(OutputCheck), sizeof(ReferenceCheck))) {}

void AttentionVerifier::prepare(const AttentionProblem& problem, const AttentionBuffers& inputs) {
  problem_ = problem;
  const auto rows = static_cast<std::size_t>(rows_of(problem));
  const std::size_t elements = rows * static_cast<std::size_t>(problem.head_dim);
  stream_.synchronize();  // reserve() may move the memory
  reference_.reserve(elements * sizeof(float));
  deviations_.reserve(elements * sizeof(float));
  reference_lse_.reserve(rows * sizeof(float));
  const float scale = usual_scale(problem);
  reference_kernels_.launch(kReference, stream_.get(), inputs.q.pointer, inputs.k.pointer,
                            inputs.v.pointer, problem, scale, reference_.as<float>(),
                            deviations_.as<float>(), reference_lse_.as<float>());
  const ReferenceCheck nothing{.checked = 0, .wrong = 0, .first_wrong = kNone};
  TILECAST_CUDA(cudaMemcpyAsync(result_.as<void>(), &nothing, sizeof nothing,
                                cudaMemcpyHostToDevice, stream_.get()));
  const u64 samples = std::min<u64>(kSamples, elements);
  reference_kernels_.launch(kReferenceRows, stream_.get(), inputs.q.pointer, inputs.k.pointer,
                            inputs.v.pointer, problem, scale, reference_.as<float>(), samples,
                            result_.as<ReferenceCheck>());
  const ReferenceCheck found = copy_to_host(result_.as<ReferenceCheck>(), 1, stream_.get()).front();
  if (found.checked != samples || found.wrong != 0) {
    throw Error(ExitCode::kWrong,
                fmt::format("the reference differs from fp64 in {} of {} elements", found.wrong,
                            found.checked));
  }
}

OutputCheck AttentionVerifier::compared(const void* output, const DeviceMemory& reference,
                                        ElementBound bound, ElementType type, i64 columns,
                                        const GuardedOutput& guards) {
  OutputCheck cleared{};
  cleared.first_wrong = kNone;
  TILECAST_CUDA(cudaMemcpyAsync(result_.as<void>(), &cleared, sizeof cleared,
                                cudaMemcpyHostToDevice, stream_.get()));
  OutputCheck* const result = result_.as<OutputCheck>();
  const i64 rows = rows_of(problem_);
  kernels_.sum_squares(reference.as<float>(), static_cast<u64>(rows * columns), result,
                       stream_.get());
  kernels_.check_output(
      {.elements = output, .rows = rows, .columns = columns, .row_stride = columns, .type = type},
      reference.as<float>(), bound, result, stream_.get());
  guards.check_guards(result);
  return copy_to_host(result, 1, stream_.get()).front();
}

Verdict AttentionVerifier::check(const std::function<void(void* o, float* lse)>& enqueue) {
  const AttentionProblem& p = problem_;
  const i64 rows = rows_of(p), elements = rows * p.head_dim;
  void* const o = o_.poison(static_cast<std::size_t>(query_bytes(p)));
  float* const lse =
      p.lse ? static_cast<float*>(lse_.poison(static_cast<std::size_t>(lse_bytes(p)))) : nullptr;
  enqueue(o, lse);
  TILECAST_CUDA(cudaGetLastError());

  const double u = unit_roundoff(p.dtype);
  const OutputCheck of_o = compared(o, reference_,
                                    {.relative = static_cast<float>(kRelativeRoundoffs * u),
                                     .absolute = 0,
                                     .deviations = deviations_.as<float>(),
                                     .deviates = static_cast<float>(kDeviations * u)},
                                    p.dtype, p.head_dim, o_);
  Verdict verdict = verdict_of(of_o, kNormMargin * u * std::sqrt(2.0 / 3), elements,
                               [&](u64 index) { return place(index, p); });
  if (!verdict.right() || lse == nullptr) {
    return verdict;
  }
  const OutputCheck of_lse =
      compared(lse, reference_lse_,
               {.relative = 0x1p-20f,
                .absolute = static_cast<float>(0x1p-13 + std::sqrt(1.0 * p.keys) * 0x1p-22)},
               ElementType::kFp32, 1, lse_);
  const Verdict second = verdict_of(of_lse, std::numeric_limits<double>::max(), rows,
                                    [](u64 index) { return fmt::format("row {}", index); });
  verdict.fault = second.right() ? "" : "log-sum-exp: " + second.fault;
  return verdict;
}

}  // namespace tilecast
