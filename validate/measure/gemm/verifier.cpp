#include "validate/measure/gemm/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {
namespace {

constexpr std::size_t kWordBytes = 4;
// outputs up to this size are compared with fp64 in full; of larger ones, this many samples are
constexpr u64 kAllElementsUpTo = 1 << 16;
constexpr double kRelativeRoundoffs = 2;
constexpr double kAbsoluteOfRms = 0.01;
constexpr double kNormMargin = 4;
// Largest of a few million normal numbers, in standard deviations.
constexpr double kLargestDeviation = 5.5;
// Bound for a gate's product: the error of one factor times the other factor.
constexpr double kOfFactors = 6;
// Scales are drawn from 1 to 2: the largest product of two scales / the root mean square of all.
constexpr double kOfRows = 12.0 / 7;
constexpr u64 kNone = std::numeric_limits<u64>::max();

std::string place(u64 index, const GemmProblem& problem) {
  const u64 m = static_cast<u64>(problem.shape.m), n = static_cast<u64>(c_columns(problem));
  const std::string in_product = fmt::format("row {}, column {}", index / n % m, index % n);
  return matrices_of_c(problem) == 1 ? in_product
                                     : fmt::format("{} of GEMM {}", in_product, index / n / m);
}

i64 outputs(const GemmProblem& problem) {
  return matrices_of_c(problem) * problem.shape.m * c_columns(problem);
}

/// Size of A B in fp32, in bytes.
std::size_t sums_bytes(const GemmProblem& problem) {
  return static_cast<std::size_t>(matrices_of_c(problem) * problem.shape.m * problem.shape.n) *
         sizeof(float);
}

/// Elements between consecutive matrices of A or B.
i64 a_elements(const GemmProblem& problem) {
  const MatrixSides sides = sides_of_a(problem);
  return sides.rows * given_row(problem.leading.a, sides);
}
i64 b_elements(const GemmProblem& problem) {
  const MatrixSides sides = sides_of_b(problem);
  return sides.rows * given_row(problem.leading.b, sides);
}

/// Address of the element at index `elements`.
const void* behind(const void* first, i64 elements, ElementType type) {
  return static_cast<const std::byte*>(first) + elements * element_bytes(type);
}

}  // namespace

double accumulation_error(const GemmProblem& problem) {
  constexpr double kInstructionK = 32, kKeptBits = 13;
  const i64 k = promotes(problem) ? scale_block() : problem.shape.k;
  if (is_fp8(problem.dtype)) {
    return std::ldexp(static_cast<double>(k) / kInstructionK, -kKeptBits);
  }
  if (c_type(problem) != ElementType::kFp32) {
    return 0;  // smaller than the rounding of C
  }
  // The error bound of the reference (reference_gemm.cu), plus the error of activations.
  const bool activated = problem.epilogue.has(OutputKind::kActivate);
  return std::ldexp(1.0, -18) + std::ldexp(static_cast<double>(k) / 16, -23) +
         (activated ? std::ldexp(1.0, -10) : 0);
}

ElementBound element_bound(const GemmProblem& problem, double rms, i32 rounded_sums) {
  const double lost = accumulation_error(problem);
  const bool gated = gates(problem.epilogue);  // the result is a product of two sums
  const double roundings = rounded_sums > 1 ? kLargestDeviation * unit_roundoff(c_type(problem)) *
                                                  std::sqrt(static_cast<double>(rounded_sums))
                                            : 0;
  return {.relative = static_cast<float>(kRelativeRoundoffs * unit_roundoff(c_type(problem)) +
                                         (is_fp8(problem.dtype) ? lost / 2 * (gated ? 2 : 1) : 0)),
          .absolute = static_cast<float>(
              (kAbsoluteOfRms + lost + roundings) * rms * (gated ? kOfFactors : 1) *
              (problem.epilogue.of(OutputKind::kScale) == step<ScaleRow>() ? kOfRows : 1))};
}

Verdict verdict_of(const OutputCheck& check, const GemmProblem& problem, i32 rounded_sums) {
  const double norm_bound = (kNormMargin + std::sqrt(rounded_sums - 1.0)) *
                                unit_roundoff(c_type(problem)) / std::sqrt(3.0) +
                            accumulation_error(problem);
  return verdict_of(check, norm_bound, outputs(problem),
                    [&](u64 index) { return place(index, problem); });
}

Verifier::Verifier(CubinCache& cache, const MicroKernels& kernels, const Cublaslt& cublaslt,
                   const Stream& stream)
    : kernels_(kernels),
      reference_kernels_(cache, kernels.sm_count()),
      cublaslt_(cublaslt),
      stream_(stream),
      output_(kernels, stream),
      result_(std::max(sizeof(OutputCheck), sizeof(ReferenceCheck))) {}

std::size_t Verifier::elements() const { return static_cast<std::size_t>(outputs(problem_)); }

void Verifier::prepare(const GemmProblem& problem, const GemmBuffers& inputs) {
  const void *a = inputs.a, *b = inputs.b;
  problem_ = problem;
  stream_.synchronize();  // reserve() may move the memory
  reference_.reserve(elements() * sizeof(float));
  sums_.reserve(gates(problem.epilogue) ? sums_bytes(problem) : sizeof(float));
  float* const sums = gates(problem.epilogue) ? sums_.as<float>() : reference_.as<float>();
  if (is_narrow(problem.dtype)) {
    GemmProblem wide = problem;
    wide.dtype = ElementType::kFp16;
    a = widened(a, elements_of_a(problem), a_);
    b = widened(b, elements_of_b(problem), b_);
    take_reference(wide, a, b, inputs.scales, sums);
  } else {
    take_reference(problem, a, b, {}, sums);
  }
  amax_of_kernels_ = inputs.amax;
  if (fuses(problem.epilogue) || c_type(problem) == ElementType::kE4m3) {
    apply_epilogue(sums, inputs);
  }
  cleared_ = {};
  cleared_.first_wrong = kNone;
  TILECAST_CUDA(cudaMemcpyAsync(result_.as<void>(), &cleared_, sizeof cleared_,
                                cudaMemcpyHostToDevice, stream_.get()));
  kernels_.sum_squares(reference_.as<float>(), elements(), result_.as<OutputCheck>(),
                       stream_.get());
  cleared_ = copy_to_host(result_.as<OutputCheck>(), 1, stream_.get()).front();
}

const void* Verifier::widened(const void* fp8, i64 elements, DeviceMemory& wide) const {
  const u64 count = static_cast<u64>(round_up<i64>(elements, 2));
  wide.reserve(count * static_cast<std::size_t>(element_bytes(ElementType::kFp16)));
  kernels_.widen_fp8(fp8, wide.as<void>(), count, problem_.dtype, stream_.get());
  return wide.as<void>();
}

void Verifier::take_reference(const GemmProblem& problem, const void* a, const void* b,
                              const ScaleArgs& scales, float* sums) {
  TILECAST_CUDA(cudaMemsetAsync(sums, kPoisonByte, sums_bytes(problem), stream_.get()));
  if (problem.groups == nullptr) {
    multiply(problem, a, b, scales, sums, problem.batch.products);
    return;
  }
  if (grouped_along_k(problem)) {
    take_reference_of_k(problem, a, b, sums);
    return;
  }
  const i64 n = problem.shape.n;
  const std::vector<i64>& rows = problem.groups->rows();
  GemmProblem group = problem;
  group.groups = nullptr;
  const std::vector<i32> first_rows = problem.groups->first_rows();
  i64 before = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    group.shape.m = rows[i];
    ScaleArgs own = scales;
    if (has_block_scales(problem.epilogue)) {
      own.a += first_rows[i];
      own.b += static_cast<i64>(i) * ceil_div<i64>(n, scale_block()) * scales.b_stride;
    }
    if (rows[i] > 0) {
      const i64 row = given_row(problem.leading.a, sides_of_a(problem));
      multiply(group, behind(a, first_rows[i] * row, problem.dtype),
               behind(b, static_cast<i64>(i) * b_elements(problem), problem.dtype), own,
               sums + before * n, static_cast<i64>(rows.size()));
    }
    before += rows[i];
  }
}

void Verifier::take_reference_of_k(const GemmProblem& problem, const void* a, const void* b,
                                   float* sums) {
  const i64 a_row = given_row(problem.leading.a, sides_of_a(problem));
  const i64 b_row = given_row(problem.leading.b, sides_of_b(problem));
  const i64 of_c = problem.shape.m * problem.shape.n, groups = problem.groups->count();
  GemmProblem group = problem;
  group.groups = nullptr;
  i64 before = 0;
  for (i64 i = 0; i < groups; ++i) {
    float* const c = sums + i * of_c;
    group.shape.k = problem.groups->rows()[static_cast<std::size_t>(i)];
    if (group.shape.k == 0) {
      TILECAST_CUDA(
          cudaMemsetAsync(c, 0, static_cast<std::size_t>(of_c) * sizeof(float), stream_.get()));
    } else {
      multiply(group, behind(a, before * a_row, problem.dtype),
               behind(b, before * b_row, problem.dtype), {}, c, groups);
    }
    before += group.shape.k;
  }
}

void Verifier::apply_epilogue(const float* sums, const GemmBuffers& inputs) {
  amax_.reserve(sizeof(float));
  TILECAST_CUDA(cudaMemsetAsync(amax_.as<void>(), 0, sizeof(float), stream_.get()));
  const auto& [m, n, k] = problem_.shape;
  const i64 row = inputs.residual_row == 0 ? c_row(problem_) : inputs.residual_row;
  const i64 apart = inputs.residual_matrix_stride == 0 ? m * row : inputs.residual_matrix_stride;
  for (i64 product = 0; product < problem_.batch.products; ++product) {
    const EpilogueInputs of_product{
        .bias = inputs.bias,
        .a_scales = inputs.scales.a,
        .b_scales = inputs.scales.b,
        .residual = inputs.residual == nullptr
                        ? nullptr
                        : behind(inputs.residual, product * apart, c_type(problem_)),
        .residual_row = static_cast<u64>(row),
        .scale_c = inputs.scale_c,
        .amax = problem_.epilogue.has(OutputKind::kAmax) ? amax_.as<u32>() : nullptr};
    reference_kernels_.apply_epilogue(sums + product * m * n,
                                      reference_.as<float>() + product * m * c_columns(problem_),
                                      of_product, problem_, stream_.get());
  }
}

std::string Verifier::fault_of_amax(double rms) const {
  if (!problem_.epilogue.has(OutputKind::kAmax)) {
    return {};
  }
  // Error of activations and of accumulators; a gate has two accumulators.
  const double relative = 0x1p-10 + 2 * accumulation_error(problem_);
  const double expected = static_cast<double>(copy_to_host(amax_.as<float>(), 1, stream_.get())[0]);
  const double got = static_cast<double>(copy_to_host(amax_of_kernels_, 1, stream_.get())[0]);
  const double bound = relative * expected + kAbsoluteOfRms * rms;
  return std::abs(got - expected) <= bound
             ? std::string()
             : fmt::format("the largest magnitude is {}, expected {}", got, expected);
}

void Verifier::multiply(const GemmProblem& problem, const void* a, const void* b,
                        const ScaleArgs& scales, float* c, i64 matrices) {
  if (has_block_scales(problem.epilogue)) {
    reference_kernels_.scaled_reference(a, b, scales, c, problem, stream_.get());
    return;
  }
  const CublasltMatmul matmul(cublaslt_, problem, true);
  matmul.run(matmul.algorithms(1).front(), {.a = a, .b = b, .c = c}, c, stream_.get());

  const ReferenceCheck nothing{.checked = 0, .wrong = 0, .first_wrong = kNone};
  TILECAST_CUDA(cudaMemcpyAsync(result_.as<void>(), &nothing, sizeof nothing,
                                cudaMemcpyHostToDevice, stream_.get()));
  const i64 m = problem.shape.m, n = problem.shape.n;
  const i64 products = problem.batch.products;
  const u64 samples = std::min<u64>(static_cast<u64>(m * n),
                                    ceil_div<u64>(kAllElementsUpTo, static_cast<u64>(matrices)));
  for (i64 product = 0; product < products; ++product) {
    const i64 of_a = problem.batch.one_a ? 0 : product, of_b = problem.batch.one_b ? 0 : product;
    reference_kernels_.check_reference(behind(a, of_a * a_elements(problem), problem.dtype),
                                       behind(b, of_b * b_elements(problem), problem.dtype),
                                       c + product * m * n, problem, samples,
                                       result_.as<ReferenceCheck>(), stream_.get());
  }
  const ReferenceCheck found = copy_to_host(result_.as<ReferenceCheck>(), 1, stream_.get()).front();
  if (found.checked != samples * static_cast<u64>(products) || found.wrong != 0) {
    throw Error(
        ExitCode::kWrong,
        fmt::format(
            "cuBLASLt differs from fp64 in {} of {} elements, first at element {} of a GEMM",
            found.wrong, found.checked, place(found.first_wrong, problem)));
  }
}

const void* Verifier::without_room(void* c, OutputCheck* result) {
  if (problem_.groups == nullptr || problem_.groups->capacity() == 0) {
    return c;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(c_columns(problem_)) *
                                static_cast<std::size_t>(element_bytes(c_type(problem_)));
  const std::size_t room = static_cast<std::size_t>(problem_.groups->capacity()) * row_bytes;
  filled_.reserve(elements() * static_cast<std::size_t>(element_bytes(c_type(problem_))));
  std::size_t before = 0;
  std::byte* group = static_cast<std::byte*>(c);
  for (const i64 rows : problem_.groups->rows()) {
    const std::size_t bytes = static_cast<std::size_t>(rows) * row_bytes;
    TILECAST_CUDA(cudaMemcpyAsync(filled_.as<void>(before), group, bytes, cudaMemcpyDeviceToDevice,
                                  stream_.get()));
    // Whole 32-bit words of the unused capacity: the neighbour of an odd element is unspecified.
    std::byte* const from =
        group + bytes + reinterpret_cast<std::uintptr_t>(group + bytes) % kWordBytes;
    const auto left = static_cast<std::size_t>(group + room - std::min(from, group + room));
    if (left >= kWordBytes) {
      kernels_.check_guard(from, left / kWordBytes, result, stream_.get());
    }
    group += room;
    before += bytes;
  }
  return filled_.as<void>();
}

Verdict Verifier::check(const std::function<void(void* c)>& enqueue, i32 rounded_sums) {
  // The last row has no padding after its last element, for any pitch, so guard bytes start there.
  const i64 rows = matrices_of_c(problem_) * rows_in_memory(problem_);
  const i64 c_elements = (rows - 1) * c_row(problem_) + c_columns(problem_);
  const auto c_bytes = static_cast<std::size_t>(c_elements * element_bytes(c_type(problem_)));
  void* const c = output_.poison(c_bytes);
  TILECAST_CUDA(cudaMemcpyAsync(result_.as<void>(), &cleared_, sizeof cleared_,
                                cudaMemcpyHostToDevice, stream_.get()));
  if (amax_of_kernels_ != nullptr) {
    TILECAST_CUDA(cudaMemsetAsync(amax_of_kernels_, 0, sizeof(float), stream_.get()));
  }
  enqueue(c);
  TILECAST_CUDA(cudaGetLastError());

  const double rms = std::sqrt(cleared_.reference_squares / static_cast<double>(elements()));
  OutputCheck* const result = result_.as<OutputCheck>();
  kernels_.check_output({.elements = without_room(c, result),
                         .rows = matrices_of_c(problem_) * problem_.shape.m,
                         .columns = c_columns(problem_),
                         .row_stride = c_row(problem_),
                         .type = c_type(problem_)},
                        reference_.as<float>(), element_bound(problem_, rms, rounded_sums), result,
                        stream_.get());
  output_.check_guards(result);
  Verdict verdict =
      verdict_of(copy_to_host(result, 1, stream_.get()).front(), problem_, rounded_sums);
  if (verdict.right()) {
    verdict.fault = fault_of_amax(rms);
  }
  return verdict;
}

}  // namespace tilecast
