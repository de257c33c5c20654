#include "library/gemm_request.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "library/arguments.h"
#include "library/caller_struct.h"
#include "model/base/error.h"
#include "model/base/math.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/problem_text.h"
#include "model/gemm/rules/kernel_rules.h"
#include "model/ops/any_op.h"

namespace tilecast {
namespace {

constexpr std::size_t kFirstProblemSize = 80;
static_assert(sizeof(tilecast_problem) >= kFirstProblemSize);

constexpr i64 kMostSide = (i64{1} << 31) - 1;
constexpr std::uintptr_t kBiasAlignment = 4;
constexpr i64 kMostStride = i64{1} << 38;  // limit of a tensor map: 2^40 bytes

i64 side(const char* name, i64 value) { return count_of(name, value, kMostSide); }

Layout layout_of(i32 layout) {
  switch (layout) {
    case TILECAST_TN:
      return Layout::kTn;
    case TILECAST_NN:
      return Layout::kNn;
    case TILECAST_NT:
      return Layout::kNt;
    case TILECAST_TT:
      return Layout::kTt;
    default:
      throw_invalid(fmt::format("layout is {}: expected a tilecast_layout, 0 to 3", layout));
  }
}

SumScale scale_of(i32 epilogue) {
  switch (epilogue) {
    case TILECAST_EPILOGUE_NONE:
      return SumScale::kNone;
    case TILECAST_EPILOGUE_SCALED:
      return SumScale::kAlphaBeta;
    default:
      throw_invalid(fmt::format(
          "epilogue is {}: expected TILECAST_EPILOGUE_NONE or TILECAST_EPILOGUE_SCALED", epilogue));
  }
}

/// Returns the `number`-th step of a kind, numbered as in tilecast.h; the empty step for 0.
OutputStep step_numbered(OutputKind kind, const char* name, i32 number) {
  const std::vector<OutputStep> steps = steps_of(kind);
  if (number < 0 || number > static_cast<i32>(steps.size())) {
    throw_invalid(
        fmt::format("{0} is {1}: expected a tilecast_{0}, 0 to {2}", name, number, steps.size()));
  }
  return number == 0 ? OutputStep{} : steps[static_cast<std::size_t>(number - 1)];
}

Accumulate accumulate_of(i32 accumulate) {
  switch (accumulate) {
    case TILECAST_ACCUMULATE_FAST:
      return Accumulate::kFast;
    case TILECAST_ACCUMULATE_EXACT:
      return Accumulate::kExact;
    default:
      throw_invalid(
          fmt::format("accumulate is {}: expected a tilecast_accumulate, 0 or 1", accumulate));
  }
}

/// Returns the row stride of scales, which only block scales have. It must be a multiple of `step`.
i32 scale_stride(const char* name, i64 given, i64 tight, i32 step, bool blocks) {
  if (given != 0 && (!blocks || given < tight || given > kMostSide || given % step != 0)) {
    const std::string of = step == 1 ? "" : fmt::format(" a multiple of {},", step);
    throw_invalid(blocks ? fmt::format("{} is {}: expected{} {} to {}, or 0", name, given, of,
                                       tight, kMostSide)
                         : fmt::format("{} is {}: only block scales have rows", name, given));
  }
  return static_cast<i32>(given);
}

/// Adds the caller's leading dimensions to a problem with checked sizes.
GemmProblem with_rows(const GemmProblem& problem, const tilecast_problem& p) {
  try {
    return with_leading(problem, {p.lda, p.ldb, p.ldc});
  } catch (const ConfigError& error) {
    throw_invalid(error.what());
  }
}

/// Returns a matrix stride. `engine`: whether the copy engine reads the matrices in place.
i64 matrix_stride(const char* name, i64 given, i64 rows, i64 row_stride, ElementType type,
                  bool engine) {
  if (given == 0 || given == TILECAST_SHARED) {
    return 0;
  }
  if (rows > kMostStride / row_stride) {
    throw_unsupported(fmt::format("{}: {} rows of {} elements exceed the maximum stride", name,
                                  rows, row_stride));
  }
  if (given < rows * row_stride || given > kMostStride) {
    throw_invalid(fmt::format("{} is {}: expected {} to {}, 0 or TILECAST_SHARED", name, given,
                              rows * row_stride, kMostStride));
  }
  if (engine && given * element_bytes(type) % kWholeRowBytes != 0) {
    throw_unsupported(fmt::format(
        "{} is {}: expected a multiple of 16 bytes, so that each matrix is aligned", name, given));
  }
  return given;
}

/// Reads the strides of the residual, given the problem's C.
void read_residual(const tilecast_problem& p, GemmRequest& request) {
  const GemmProblem& problem = request.problem;
  if (!problem.epilogue.has(OutputKind::kLoad)) {
    if (p.ld_residual != 0 || p.stride_residual != 0) {
      throw_invalid("ld_residual or stride_residual is given, but residual is 0");
    }
    return;
  }
  const i64 columns = c_columns(problem);
  if (p.ld_residual != 0 && (p.ld_residual < columns || p.ld_residual > kMostStride)) {
    throw_invalid(fmt::format("ld_residual is {}: expected {} to {}, or 0", p.ld_residual, columns,
                              kMostStride));
  }
  const i64 row = p.ld_residual == 0 ? c_row(problem) : p.ld_residual;
  request.residual_row = p.ld_residual;
  request.residual_matrix_stride = matrix_stride("stride_residual", p.stride_residual,
                                                 problem.shape.m, row, c_type(problem), false);
}

/// Returns the grouped problem for which a plan is made, with the caller's expected rows per group.
GemmProblem grouped(const GemmProblem& problem, const tilecast_problem& p) {
  const bool along_k = p.group_side == TILECAST_GROUPS_ALONG_K;
  const i64 groups = side("groups", p.groups), m = along_k ? problem.shape.k : problem.shape.m;
  const char* const parted = along_k ? "k" : "m";
  if (!along_k && groups > kMostGroups) {
    throw_unsupported(
        fmt::format("groups is {}: a kernel supports at most {}", groups, kMostGroups));
  }
  const i64 capacity = p.group_capacity == 0 ? 0 : side("group_capacity", p.group_capacity);
  if (capacity > 0 && (capacity > m / groups || capacity * groups != m)) {
    throw_invalid(fmt::format("m is {}: expected groups * group_capacity", m));
  }
  if (capacity > 0 && along_k) {
    throw_unsupported("group_capacity must be 0 for groups along K");
  }
  if (problem.batch.products > 1 || p.stride_a != 0 || p.stride_b != 0 || p.stride_c != 0 ||
      problem.leading != LeadingDimensions{}) {
    throw_unsupported("groups require a single GEMM with contiguous matrices");
  }
  if (p.epilogue != TILECAST_EPILOGUE_NONE) {
    throw_unsupported("groups: expected TILECAST_EPILOGUE_NONE");
  }
  std::vector<i64> rows;
  i64 sum = 0;
  for (i64 i = 0; i < groups; ++i) {
    const i64 of_group =
        p.expected_rows != nullptr ? p.expected_rows[i] : m * (i + 1) / groups - m * i / groups;
    if (of_group < 0 || of_group > (capacity > 0 ? capacity : m - sum)) {
      throw_invalid(fmt::format("expected_rows[{}] is {}: expected 0 to {}", i, of_group,
                                capacity > 0 ? capacity : m - sum));
    }
    sum += of_group;
    rows.push_back(of_group);
  }
  if (sum == 0 || (capacity == 0 && sum != m)) {
    throw_invalid(capacity > 0
                      ? "expected_rows sums to 0: expected at least one row"
                      : fmt::format("expected_rows sums to {}: expected {} = {}", sum, parted, m));
  }
  return in_groups(
      problem, GroupRows::of(std::move(rows), capacity, along_k ? GroupSide::kK : GroupSide::kM));
}

}  // namespace

GemmRequest read_request(const tilecast_problem* problem, const tilecast_options* options) {
  const tilecast_problem p = checked_struct(problem, kFirstProblemSize, "problem");
  GemmRequest request{};
  request.problem = {.shape = {.m = side("m", p.m), .n = side("n", p.n), .k = side("k", p.k)},
                     .dtype = element_type("type", p.type),
                     .layout = layout_of(p.layout),
                     .epilogue = {step_numbered(OutputKind::kScale, "scales", p.scales),
                                  step_numbered(OutputKind::kBias, "bias", p.bias),
                                  step_numbered(OutputKind::kActivate, "activation", p.activation),
                                  asked("residual", p.residual) ? step<Residual>() : OutputStep{},
                                  asked("amax", p.amax) ? step<Amax>() : OutputStep{},
                                  asked("scale_c", p.scale_c) ? step<ScaleC>() : OutputStep{}}};
  const ElementType dtype = request.problem.dtype;
  if (p.type_c != 0) {
    try {
      request.problem = with_c_type(request.problem, element_type("type_c", p.type_c, true));
    } catch (const ConfigError& error) {
      throw_unsupported(fmt::format("type_c is {}: {}", p.type_c, error.what()));
    }
  }
  if (accumulate_of(p.accumulate) == Accumulate::kExact) {
    try {
      request.problem = with_accumulate(request.problem, Accumulate::kExact);
    } catch (const ConfigError& error) {
      throw_invalid(error.what());
    }
  }
  request.problem.batch = {.products = p.batch == 0 ? 1 : side("batch", p.batch),
                           .one_a = p.stride_a == TILECAST_SHARED,
                           .one_b = p.stride_b == TILECAST_SHARED};
  request.scale = scale_of(p.epilogue);
  request.problem = with_rows(request.problem, p);
  if (p.group_side != TILECAST_GROUPS_ALONG_M &&
      (p.group_side != TILECAST_GROUPS_ALONG_K || p.groups == 0)) {
    throw_invalid(fmt::format("group_side is {}: expected a tilecast_group_side, 0 without groups",
                              p.group_side));
  }
  read_residual(p, request);
  if (request.scale == SumScale::kAlphaBeta) {
    if (const std::string why = why_no_kernel(request.problem, TensorCore::kWgmma, request.scale);
        !why.empty()) {
      throw_unsupported(why);
    }
  }
  const bool block_scales = has_block_scales(request.problem.epilogue);
  request.a_scale_stride =
      scale_stride("ld_scale_a", p.ld_scale_a, p.m, scales_apart(), block_scales);
  request.b_scale_stride =
      scale_stride("ld_scale_b", p.ld_scale_b, ceil_div<i64>(p.k, scale_block()), 1, block_scales);
  const MatrixSides a = sides_of_a(request.problem), b = sides_of_b(request.problem);
  const LeadingDimensions& leading = request.problem.leading;
  const CopiedOperands copied = copied_operands(request.problem);
  request.a_matrix_stride =
      matrix_stride("stride_a", p.stride_a, a.rows, given_row(leading.a, a), dtype, !copied.a);
  request.b_matrix_stride =
      matrix_stride("stride_b", p.stride_b, b.rows, given_row(leading.b, b), dtype, !copied.b);
  if (p.stride_c == TILECAST_SHARED) {
    throw_invalid("stride_c is TILECAST_SHARED: each GEMM needs its own C");
  }
  request.c_matrix_stride = matrix_stride("stride_c", p.stride_c, p.m, c_row(request.problem),
                                          c_type(request.problem), true);
  if (p.groups != 0) {
    request.problem = grouped(request.problem, p);
  } else if (p.group_capacity != 0 || p.expected_rows != nullptr) {
    throw_invalid("group_capacity and expected_rows require groups, but groups is 0");
  }
  static_cast<Request&>(request) = read_options(options);
  request.check_groups = request.check_groups && request.problem.groups != nullptr;
  return request;
}

GemmArgumentCheck::GemmArgumentCheck(const GemmRequest& request)
    : alpha_beta_(request.scale == SumScale::kAlphaBeta),
      biased_(request.problem.epilogue.has(OutputKind::kBias)),
      scaled_operands_(request.problem.epilogue.has(OutputKind::kScale)),
      in_groups_(request.problem.groups != nullptr),
      block_scales_(has_block_scales(request.problem.epilogue)),
      loads_(request.problem.epilogue.has(OutputKind::kLoad)),
      scales_c_(request.problem.epilogue.has(OutputKind::kConvert)),
      finds_amax_(request.problem.epilogue.has(OutputKind::kAmax)) {}

tilecast_status GemmArgumentCheck::operator()(const tilecast_arguments& arguments) const noexcept {
  const auto& [size, a, b, c, alpha, beta, workspace, workspace_bytes, bias, scale_a, scale_b,
               group_rows, residual, scale_c, amax] = arguments;
  if (a == nullptr || b == nullptr || c == nullptr) {
    return fail_argument(a == nullptr ? "a is null" : b == nullptr ? "b is null" : "c is null");
  }
  if (misaligned(a, kTensorAlignment) || misaligned(b, kTensorAlignment) ||
      misaligned(c, kTensorAlignment)) {
    return fail_argument(misaligned(a, kTensorAlignment)   ? "a is not 16-byte aligned"
                         : misaligned(b, kTensorAlignment) ? "b is not 16-byte aligned"
                                                           : "c is not 16-byte aligned");
  }
  if (!alpha_beta_ && (alpha != 1 || beta != 0)) {
    return fail(TILECAST_UNSUPPORTED,
                "alpha must be 1 and beta 0: the problem's epilogue is TILECAST_EPILOGUE_NONE");
  }
  if (biased_ != (bias != nullptr)) {
    return fail_argument(biased_ ? "bias is null" : "bias is given, but the problem has none");
  }
  if (misaligned(bias, kBiasAlignment)) {
    return fail_argument("bias is not 4-byte aligned");
  }
  if (scaled_operands_ != (scale_a != nullptr) || scaled_operands_ != (scale_b != nullptr)) {
    return fail_argument(scaled_operands_
                             ? "scale_a or scale_b is null"
                             : "scale_a or scale_b is given, but the problem has no scales");
  }
  if (misaligned(scale_a, alignof(float)) || misaligned(scale_b, alignof(float))) {
    return fail_argument("scale_a or scale_b is not 4-byte aligned");
  }
  if (block_scales_ && misaligned(scale_a, kTensorAlignment)) {
    return fail_argument("scale_a is not 16-byte aligned, as block scales must be");
  }
  if (in_groups_ != (group_rows != nullptr)) {
    return fail_argument(in_groups_ ? "group_rows is null"
                                    : "group_rows is given, but the problem has no groups");
  }
  if (misaligned(group_rows, alignof(std::int32_t))) {
    return fail_argument("group_rows is not 4-byte aligned");
  }
  if (loads_ != (residual != nullptr)) {
    return fail_argument(loads_ ? "residual is null"
                                : "residual is given, but the problem has none");
  }
  if (misaligned(residual, kTensorAlignment)) {
    return fail_argument("residual is not 16-byte aligned");
  }
  if (scales_c_ != (scale_c != nullptr)) {
    return fail_argument(scales_c_ ? "scale_c is null"
                                   : "scale_c is given, but the problem has none");
  }
  if (finds_amax_ != (amax != nullptr)) {
    return fail_argument(finds_amax_ ? "amax is null" : "amax is given, but the problem has none");
  }
  if (misaligned(scale_c, alignof(float)) || misaligned(amax, alignof(float))) {
    return fail_argument("scale_c or amax is not 4-byte aligned");
  }
  return TILECAST_OK;
}

}  // namespace tilecast
