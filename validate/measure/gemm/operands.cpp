#include "validate/measure/gemm/operands.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/jit/copy_to_device.h"
#include "kernels/jit/cuda_error.h"
#include "model/base/error.h"
#include "model/base/math.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {
namespace {

// alignment of every operand, which frameworks' allocators also give
constexpr std::size_t kAlignment = 1024;

std::size_t operand_bytes(i64 rows, i64 columns, ElementType type) {
  return round_up(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) *
                      static_cast<std::size_t>(element_bytes(type)),
                  kAlignment);
}

}  // namespace

SetLayout set_layout(const GemmProblem& problem, Bytes l2) {
  const auto [m, n, k] = problem.shape;
  SetLayout layout{.a_bytes = operand_bytes(elements_of_a(problem), 1, problem.dtype),
                   .b_bytes = operand_bytes(elements_of_b(problem), 1, problem.dtype),
                   .c_bytes = operand_bytes(matrices_of_c(problem) * rows_in_memory(problem),
                                            c_row(problem), c_type(problem)),
                   .bias_bytes = operand_bytes(bias_elements(problem.epilogue, m, n), 1,
                                               half_type(c_type(problem))),
                   .residual_bytes = 0,
                   .sets = {}};
  layout.residual_bytes = problem.epilogue.has(OutputKind::kLoad) ? layout.c_bytes : 0;
  layout.sets = buffer_sets(layout.set_bytes(), l2);
  return layout;
}

void RowsOfGroups::prepare(const GemmProblem& problem) {
  groups_ = problem.groups != nullptr;
  if (!groups_) {
    return;
  }
  const std::vector<i32> rows = problem.groups->on_device();
  rows_.reserve(rows.size() * sizeof(i32));
  copy_to_device(rows_.as<void>(), std::span(rows));
}

void OperandScales::prepare(const GemmProblem& problem, u64 seed) {
  args_ = {};
  scale_c_ = amax_ = nullptr;
  const Epilogue& epilogue = problem.epilogue;
  if (!epilogue.has(OutputKind::kScale) && !epilogue.has(OutputKind::kConvert) &&
      !epilogue.has(OutputKind::kAmax)) {
    return;
  }
  constexpr i64 kFours = 4;
  ScaleElements elements = scale_elements(problem);
  if (has_block_scales(problem.epilogue)) {
    const i64 k_blocks = ceil_div<i64>(problem.shape.k, scale_block());
    args_.a_stride = static_cast<i32>(round_up<i64>(rows_in_memory(problem), scales_apart()));
    elements.a = k_blocks * args_.a_stride;
    args_.b_stride = static_cast<i32>(round_up<i64>(k_blocks, kFours));
    elements.b = elements.b / k_blocks * args_.b_stride;
  }
  // B's scales also begin at a multiple of 16 bytes.
  const i64 of_a = round_up<i64>(elements.a, 16 / scale_bytes());
  const i64 of_operands = of_a + elements.b;
  std::vector<float> values(static_cast<std::size_t>(of_operands + 2));  // two more for C's scales
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<float> draw(1, 2);
  std::ranges::generate(values, [&] { return draw(random); });
  // Root mean square of the accumulators / sqrt(K): with normal data accumulators are about sqrt(K)
  // times the scales; e4m3 ends at 448.
  constexpr double kRms = 16;
  values[static_cast<std::size_t>(of_operands)] =
      static_cast<float>(kRms / std::sqrt(static_cast<double>(problem.shape.k)));
  values.back() = 0;
  memory_.reserve(values.size() * sizeof(float));
  copy_to_device(memory_.as<void>(), std::span<const float>(values));
  float* const all = memory_.as<float>();
  if (epilogue.has(OutputKind::kScale)) {
    args_.a = all;
    args_.b = all + of_a;
  }
  scale_c_ = epilogue.has(OutputKind::kConvert) ? all + of_operands : nullptr;
  amax_ = epilogue.has(OutputKind::kAmax) ? all + of_operands + 1 : nullptr;
}

Operands::Operands(const MicroKernels& kernels, const Stream& stream, Bytes l2)
    : kernels_(kernels), stream_(stream), l2_(l2) {}

void Operands::prepare(const GemmProblem& problem, Inputs inputs, u64 seed) {
  layout_ = set_layout(problem, l2_);
  stream_.synchronize();  // reserve() may move the memory
  memory_.reserve(layout_.sets.count * layout_.set_bytes());
  rows_of_groups_.prepare(problem);
  scales_.prepare(problem, seed);
  // Fills C too, because a buffer in use would contain data.
  const auto fill = [&](std::size_t at, std::size_t bytes, ElementType type, u64 with) {
    if (bytes == 0) {
      return;
    }
    kernels_.fill(memory_.as<void>(at), bytes / static_cast<std::size_t>(element_bytes(type)), type,
                  inputs, with, stream_.get());
  };
  fill(0, layout_.sets.count * layout_.set_bytes(), problem.dtype, seed);
  if (c_type(problem) != problem.dtype) {
    for (std::size_t i = 1; i <= layout_.sets.count; ++i) {
      const std::size_t residual = i * layout_.set_bytes() - layout_.residual_bytes;
      fill(residual, layout_.residual_bytes, c_type(problem), seed + i);
      fill(residual - layout_.bias_bytes, layout_.bias_bytes, half_type(c_type(problem)), seed + i);
    }
  }
}

GemmBuffers Operands::set(std::size_t index) const {
  TILECAST_ASSERT(index < layout_.sets.count);
  const std::size_t start = index * layout_.set_bytes();
  return {.a = memory_.as<void>(start),
          .b = memory_.as<void>(start + layout_.a_bytes),
          .c = memory_.as<void>(start + layout_.a_bytes + layout_.b_bytes),
          .bias = layout_.bias_bytes == 0 ? nullptr
                                          : memory_.as<void>(start + layout_.a_bytes +
                                                             layout_.b_bytes + layout_.c_bytes),
          .scales = scales_.get(),
          .group_rows = rows_of_groups_.get(),
          .residual = layout_.residual_bytes == 0
                          ? nullptr
                          : memory_.as<void>(start + layout_.set_bytes() - layout_.residual_bytes),
          .scale_c = scales_.scale_c(),
          .amax = scales_.amax()};
}

}  // namespace tilecast
