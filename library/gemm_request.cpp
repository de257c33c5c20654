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

constexpr const char* kScaleMissing = "scale_a or scale_b is null";
constexpr const char* kScaleGiven = "scale_a or scale_b is given, but the problem has no scales";
constexpr const char* kScaleSkewed = "scale_a or scale_b is not 4-byte aligned";
constexpr const char* kOutputSkewed = "scale_c or amax is not 4-byte aligned";

i64 side(const char* name, i64 value) { return count_of(name, value, kMostSide); }

/// Returns the `number`-th step of a kind, numbered as in tilecast.h; the empty step for 0.
OutputStep step_numbered(OutputKind kind, const char* name, i32 number) {
  const std::vector<OutputStep> steps = steps_of(kind);
  refuse_if<InvalidArgument>(number < 0 || number > static_cast<i32>(steps.size()),
                             "{0} is {1}: expected a tilecast_{0}, 0 to {2}", name, number,
                             steps.size());
  return number == 0 ? OutputStep{} : steps[static_cast<std::size_t>(number - 1)];
}

/// Returns the row stride of scales, which only block scales have. It must be a multiple of `step`.
i32 scale_stride(const char* name, i64 given, i64 tight, i32 step, bool blocks) {
  if (given != 0 && (!blocks || given < tight || given > kMostSide || given % step != 0)) {
    const std::string of = step == 1 ? "" : fmt::format(" a multiple of {},", step);
    throw InvalidArgument(
        blocks
            ? fmt::format("{} is {}: expected{} {} to {}, or 0", name, given, of, tight, kMostSide)
            : fmt::format("{} is {}: only block scales have rows", name, given));
  }
  return static_cast<i32>(given);
}

/// Adds the caller's leading dimensions to a problem with checked sizes.
GemmProblem with_rows(const GemmProblem& problem, const tilecast_problem& p) {
  try {
    return with_leading(problem, {p.lda, p.ldb, p.ldc});
  } catch (const ConfigError& error) {
    throw InvalidArgument(error.what());
  }
}

/// Returns a matrix stride. `engine`: whether the copy engine reads the matrices in place.
i64 matrix_stride(const char* name, i64 given, i64 rows, i64 row_stride, ElementType type,
                  bool engine) {
  if (given == 0 || given == TILECAST_SHARED) {
    return 0;
  }
  refuse_if<Unsupported>(rows > kMostStride / row_stride,
                         "{}: {} rows of {} elements exceed the maximum stride", name, rows,
                         row_stride);
  refuse_if<InvalidArgument>(given < rows * row_stride || given > kMostStride,
                             "{} is {}: expected {} to {}, 0 or TILECAST_SHARED", name, given,
                             rows * row_stride, kMostStride);
  refuse_if<Unsupported>(
      engine && given * element_bytes(type) % kWholeRowBytes != 0,
      "{} is {}: expected a multiple of 16 bytes, so that each matrix is aligned", name, given);
  return given;
}

/// Reads the strides of the residual, given the problem's C.
void read_residual(const tilecast_problem& p, GemmRequest& request) {
  const GemmProblem& problem = request.problem;
  if (!problem.epilogue.has(OutputKind::kLoad)) {
    refuse_if<InvalidArgument>(p.ld_residual != 0 || p.stride_residual != 0,
                               "ld_residual or stride_residual is given, but residual is 0");
    return;
  }
  const i64 columns = c_columns(problem);
  refuse_if<InvalidArgument>(
      p.ld_residual != 0 && (p.ld_residual < columns || p.ld_residual > kMostStride),
      "ld_residual is {}: expected {} to {}, or 0", p.ld_residual, columns, kMostStride);
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
  refuse_if<Unsupported>(!along_k && groups > kMostGroups,
                         "groups is {}: a kernel supports at most {}", groups, kMostGroups);
  const i64 capacity = p.group_capacity == 0 ? 0 : side("group_capacity", p.group_capacity);
  refuse_if<InvalidArgument>(capacity > 0 && (capacity > m / groups || capacity * groups != m),
                             "m is {}: expected groups * group_capacity", m);
  refuse_if<Unsupported>(capacity > 0 && along_k, "group_capacity must be 0 for groups along K");
  if (problem.batch.products > 1 || p.stride_a != 0 || p.stride_b != 0 || p.stride_c != 0 ||
      problem.leading != LeadingDimensions{}) {
    throw Unsupported("groups require a single GEMM with contiguous matrices");
  }
  refuse_if<Unsupported>(p.epilogue != TILECAST_EPILOGUE_NONE,
                         "groups: expected TILECAST_EPILOGUE_NONE");
  std::vector<i64> rows;
  i64 sum = 0;
  for (i64 i = 0; i < groups; ++i) {
    const i64 of_group =
        p.expected_rows != nullptr ? p.expected_rows[i] : m * (i + 1) / groups - m * i / groups;
    refuse_if<InvalidArgument>(of_group < 0 || of_group > (capacity > 0 ? capacity : m - sum),
                               "expected_rows[{}] is {}: expected 0 to {}", i, of_group,
                               capacity > 0 ? capacity : m - sum);
    sum += of_group;
    rows.push_back(of_group);
  }
  if (sum == 0 || (capacity == 0 && sum != m)) {
    throw InvalidArgument(
        capacity > 0 ? "expected_rows sums to 0: expected at least one row"
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
                     .layout = numbered({Layout::kTn, Layout::kNn, Layout::kNt, Layout::kTt},
                                        "layout", p.layout, "a tilecast_layout, 0 to 3"),
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
      throw Unsupported(fmt::format("type_c is {}: {}", p.type_c, error.what()));
    }
  }
  if (numbered({false, true}, "accumulate", p.accumulate, "a tilecast_accumulate, 0 or 1")) {
    try {
      request.problem = with_accumulate(request.problem, Accumulate::kExact);
    } catch (const ConfigError& error) {
      throw InvalidArgument(error.what());
    }
  }
  request.problem.batch = {.products = p.batch == 0 ? 1 : side("batch", p.batch),
                           .one_a = p.stride_a == TILECAST_SHARED,
                           .one_b = p.stride_b == TILECAST_SHARED};
  request.scale = numbered({SumScale::kNone, SumScale::kAlphaBeta}, "epilogue", p.epilogue,
                           "TILECAST_EPILOGUE_NONE or TILECAST_EPILOGUE_SCALED");
  request.problem = with_rows(request.problem, p);
  refuse_if<InvalidArgument>(p.group_side != TILECAST_GROUPS_ALONG_M &&
                                 (p.group_side != TILECAST_GROUPS_ALONG_K || p.groups == 0),
                             "group_side is {}: expected a tilecast_group_side, 0 without groups",
                             p.group_side);
  read_residual(p, request);
  if (request.scale == SumScale::kAlphaBeta) {
    if (const std::string why = why_no_kernel(request.problem, TensorCore::kWgmma, request.scale);
        !why.empty()) {
      throw Unsupported(why);
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
  refuse_if<InvalidArgument>(p.stride_c == TILECAST_SHARED,
                             "stride_c is TILECAST_SHARED: each GEMM needs its own C");
  request.c_matrix_stride = matrix_stride("stride_c", p.stride_c, p.m, c_row(request.problem),
                                          c_type(request.problem), true);
  if (p.groups != 0) {
    request.problem = grouped(request.problem, p);
  } else if (p.group_capacity != 0 || p.expected_rows != nullptr) {
    throw InvalidArgument("group_capacity and expected_rows require groups, but groups is 0");
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
  for (const char* const why :
       {missing(a, "a is null"), missing(b, "b is null"), missing(c, "c is null"),
        skewed(a, "a is not 16-byte aligned"), skewed(b, "b is not 16-byte aligned"),
        skewed(c, "c is not 16-byte aligned")}) {
    if (why != nullptr) {
      return fail_argument(why);
    }
  }
  if (!alpha_beta_ && (alpha != 1 || beta != 0)) {
    return fail(TILECAST_UNSUPPORTED,
                "alpha must be 1 and beta 0: the problem's epilogue is TILECAST_EPILOGUE_NONE");
  }
  constexpr std::uintptr_t kWord = alignof(float);
  const bool block_scales_skewed = block_scales_ && misaligned(scale_a, kTensorAlignment);
  for (const char* const why :
       {unlike(biased_, bias, "bias is null", "bias is given, but the problem has none"),
        skewed(bias, "bias is not 4-byte aligned", kBiasAlignment),
        unlike(scaled_operands_, scale_a, kScaleMissing, kScaleGiven),
        unlike(scaled_operands_, scale_b, kScaleMissing, kScaleGiven),
        skewed(scale_a, kScaleSkewed, kWord), skewed(scale_b, kScaleSkewed, kWord),
        block_scales_skewed ? "scale_a is not 16-byte aligned, as block scales must be" : nullptr,
        unlike(in_groups_, group_rows, "group_rows is null",
               "group_rows is given, but the problem has no groups"),
        skewed(group_rows, "group_rows is not 4-byte aligned", alignof(std::int32_t)),
        unlike(loads_, residual, "residual is null", "residual is given, but the problem has none"),
        skewed(residual, "residual is not 16-byte aligned"),
        unlike(scales_c_, scale_c, "scale_c is null", "scale_c is given, but the problem has none"),
        unlike(finds_amax_, amax, "amax is null", "amax is given, but the problem has none"),
        skewed(scale_c, kOutputSkewed, kWord), skewed(amax, kOutputSkewed, kWord)}) {
    if (why != nullptr) {
      return fail_argument(why);
    }
  }
  return TILECAST_OK;
}

}  // namespace tilecast
