#include "library/request.h"

#include <fmt/format.h>
#include <algorithm>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "library/caller_struct.h"
#include "library/installed_configs.h"
#include "library/status.h"
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

constexpr std::size_t kFirstProblemSize = 80, kFirstOptionsSize = 56;
static_assert(sizeof(tilecast_problem) >= kFirstProblemSize);
static_assert(sizeof(tilecast_options) >= kFirstOptionsSize);

constexpr i64 kMostSide = (i64{1} << 31) - 1;
constexpr i64 kMostStride = i64{1} << 38;  // limit of a tensor map: 2^40 bytes
constexpr i32 kMostThreads = 1024;

[[noreturn]] void invalid(const std::string& message) {
  throw StatusError(TILECAST_INVALID_ARGUMENT, message);
}
[[noreturn]] void unsupported(const std::string& message) {
  throw StatusError(TILECAST_UNSUPPORTED, message);
}

i64 side(const char* name, i64 value) {
  if (value < 1 || value > kMostSide) {
    invalid(fmt::format("{} is {}: expected 1 to {}", name, value, kMostSide));
  }
  return value;
}

static_assert(traits_of(ElementType::kFp16).in_c == TILECAST_FP16 &&
              traits_of(ElementType::kBf16).in_c == TILECAST_BF16 &&
              traits_of(ElementType::kE4m3).in_c == TILECAST_E4M3 &&
              traits_of(ElementType::kE5m2).in_c == TILECAST_E5M2 &&
              traits_of(ElementType::kFp32).in_c == TILECAST_FP32);

ElementType element_type(const char* name, i32 type, bool of_c = false) {
  i32 most = 0;
  for (i32 i = 0; i < kElementTypes; ++i) {
    const ElementType element = static_cast<ElementType>(i);
    if (of_c || element != ElementType::kFp32) {
      if (traits_of(element).in_c == type) {
        return element;
      }
      most = std::max(most, traits_of(element).in_c);
    }
  }
  invalid(fmt::format("{} is {}: expected a tilecast_type, 1 to {}", name, type, most));
}

bool asked(const char* name, i32 flag) {
  if (flag != 0 && flag != 1) {
    invalid(fmt::format("{} is {}: expected 0 or 1", name, flag));
  }
  return flag == 1;
}

/// Value of an environment variable that must be 0 or 1; false if unset.
bool asked_by_environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || std::string_view(value) == "0") {
    return false;
  }
  if (std::string_view(value) != "1") {
    invalid(fmt::format("{} is '{}': expected 0 or 1", name, value));
  }
  return true;
}

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
      invalid(fmt::format("layout is {}: expected a tilecast_layout, 0 to 3", layout));
  }
}

SumScale scale_of(i32 epilogue) {
  switch (epilogue) {
    case TILECAST_EPILOGUE_NONE:
      return SumScale::kNone;
    case TILECAST_EPILOGUE_SCALED:
      return SumScale::kAlphaBeta;
    default:
      invalid(fmt::format(
          "epilogue is {}: expected TILECAST_EPILOGUE_NONE or TILECAST_EPILOGUE_SCALED", epilogue));
  }
}

/// The `number`-th step of a kind, numbered as in tilecast.h; 0: none.
OutputStep step_numbered(OutputKind kind, const char* name, i32 number) {
  const std::vector<OutputStep> steps = steps_of(kind);
  if (number < 0 || number > static_cast<i32>(steps.size())) {
    invalid(
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
      invalid(fmt::format("accumulate is {}: expected a tilecast_accumulate, 0 or 1", accumulate));
  }
}

/// Row stride of scales, which only block scales have; must be a multiple of `step`.
i32 scale_stride(const char* name, i64 given, i64 tight, i32 step, bool blocks) {
  if (given != 0 && (!blocks || given < tight || given > kMostSide || given % step != 0)) {
    const std::string of = step == 1 ? "" : fmt::format(" a multiple of {},", step);
    invalid(blocks ? fmt::format("{} is {}: expected{} {} to {}, or 0", name, given, of, tight,
                                 kMostSide)
                   : fmt::format("{} is {}: only block scales have rows", name, given));
  }
  return static_cast<i32>(given);
}

Regime regime_of(i32 regime) {
  switch (regime) {
    case TILECAST_BURST:
      return Regime::kBurst;
    case TILECAST_SUSTAINED:
      return Regime::kSustained;
    default:
      invalid(fmt::format("regime is {}: expected TILECAST_BURST or TILECAST_SUSTAINED", regime));
  }
}

/// Adds the caller's leading dimensions to a problem with checked sizes.
GemmProblem with_rows(const GemmProblem& problem, const tilecast_problem& p) {
  try {
    return with_leading(problem, {p.lda, p.ldb, p.ldc});
  } catch (const ConfigError& error) {
    invalid(error.what());
  }
}

/// `engine`: whether the copy engine reads the matrices in place.
i64 matrix_stride(const char* name, i64 given, i64 rows, i64 row_stride, ElementType type,
                  bool engine) {
  if (given == 0 || given == TILECAST_SHARED) {
    return 0;
  }
  if (rows > kMostStride / row_stride) {
    unsupported(fmt::format("{}: {} rows of {} elements exceed the maximum stride", name, rows,
                            row_stride));
  }
  if (given < rows * row_stride || given > kMostStride) {
    invalid(fmt::format("{} is {}: expected {} to {}, 0 or TILECAST_SHARED", name, given,
                        rows * row_stride, kMostStride));
  }
  if (engine && given * element_bytes(type) % kWholeRowBytes != 0) {
    unsupported(fmt::format("{} is {}: matrices must be 16-byte aligned", name, given));
  }
  return given;
}

/// The caller's text, limited to the length of a path.
std::string bounded(const char* name, const char* given) {
  constexpr std::size_t kLongest = 4095;
  const std::size_t length = ::strnlen(given, kLongest + 1);
  if (length > kLongest) {
    invalid(fmt::format("{} is longer than {} bytes", name, kLongest));
  }
  return {given, length};
}

/// None for null; an empty text is an error.
std::optional<std::string> text(const char* name, const char* given) {
  if (given == nullptr) {
    return {};
  }
  if (*given == '\0') {
    invalid(fmt::format("{} is empty: expected a value, or NULL", name));
  }
  return bounded(name, given);
}

/// Reads the strides of the residual, given the problem's C.
void read_residual(const tilecast_problem& p, Request& request) {
  const GemmProblem& problem = request.problem;
  if (!problem.epilogue.has(OutputKind::kLoad)) {
    if (p.ld_residual != 0 || p.stride_residual != 0) {
      invalid("ld_residual or stride_residual is given, but residual is 0");
    }
    return;
  }
  const i64 columns = c_columns(problem);
  if (p.ld_residual != 0 && (p.ld_residual < columns || p.ld_residual > kMostStride)) {
    invalid(fmt::format("ld_residual is {}: expected {} to {}, or 0", p.ld_residual, columns,
                        kMostStride));
  }
  const i64 row = p.ld_residual == 0 ? c_row(problem) : p.ld_residual;
  request.residual_row = p.ld_residual;
  request.residual_matrix_stride = matrix_stride("stride_residual", p.stride_residual,
                                                 problem.shape.m, row, c_type(problem), false);
}

/// The grouped problem that a plan is made for, with the caller's expected rows per group.
GemmProblem grouped(const GemmProblem& problem, const tilecast_problem& p) {
  const bool along_k = p.group_side == TILECAST_GROUPS_ALONG_K;
  const i64 groups = side("groups", p.groups), m = along_k ? problem.shape.k : problem.shape.m;
  const char* const parted = along_k ? "k" : "m";
  if (!along_k && groups > kMostGroups) {
    unsupported(fmt::format("groups is {}: a kernel supports at most {}", groups, kMostGroups));
  }
  const i64 capacity = p.group_capacity == 0 ? 0 : side("group_capacity", p.group_capacity);
  if (capacity > 0 && (capacity > m / groups || capacity * groups != m)) {
    invalid(fmt::format("m is {}: expected groups * group_capacity", m));
  }
  if (capacity > 0 && along_k) {
    unsupported("group_capacity: groups along K are packed");
  }
  if (problem.batch.products > 1 || p.stride_a != 0 || p.stride_b != 0 || p.stride_c != 0 ||
      problem.leading != LeadingDimensions{}) {
    unsupported("groups require a single product with packed matrices");
  }
  if (p.epilogue != TILECAST_EPILOGUE_NONE) {
    unsupported("groups: expected TILECAST_EPILOGUE_NONE");
  }
  std::vector<i64> rows;
  i64 sum = 0;
  for (i64 i = 0; i < groups; ++i) {
    const i64 of_group =
        p.expected_rows != nullptr ? p.expected_rows[i] : m * (i + 1) / groups - m * i / groups;
    if (of_group < 0 || of_group > (capacity > 0 ? capacity : m - sum)) {
      invalid(fmt::format("expected_rows[{}] is {}: expected 0 to {}", i, of_group,
                          capacity > 0 ? capacity : m - sum));
    }
    sum += of_group;
    rows.push_back(of_group);
  }
  if (sum == 0 || (capacity == 0 && sum != m)) {
    invalid(
        fmt::format("expected_rows sums to {}: expected {}", sum, capacity > 0 ? "some" : parted));
  }
  return in_groups(
      problem, GroupRows::of(std::move(rows), capacity, along_k ? GroupSide::kK : GroupSide::kM));
}

}  // namespace

Request read_request(const tilecast_problem* problem, const tilecast_options* options) {
  const tilecast_problem p = checked_struct(problem, kFirstProblemSize, "problem");
  const tilecast_options o = options == nullptr
                                 ? tilecast_options TILECAST_OPTIONS_INIT
                                 : checked_struct(options, kFirstOptionsSize, "options");
  Request request{};
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
      unsupported(fmt::format("type_c is {}: {}", p.type_c, error.what()));
    }
  }
  if (accumulate_of(p.accumulate) == Accumulate::kExact) {
    try {
      request.problem = with_accumulate(request.problem, Accumulate::kExact);
    } catch (const ConfigError& error) {
      invalid(error.what());
    }
  }
  request.problem.batch = {.products = p.batch == 0 ? 1 : side("batch", p.batch),
                           .one_a = p.stride_a == TILECAST_SHARED,
                           .one_b = p.stride_b == TILECAST_SHARED};
  request.scale = scale_of(p.epilogue);
  request.problem = with_rows(request.problem, p);
  if (p.group_side != TILECAST_GROUPS_ALONG_M &&
      (p.group_side != TILECAST_GROUPS_ALONG_K || p.groups == 0)) {
    invalid(fmt::format("group_side is {}: expected a tilecast_group_side, 0 without groups",
                        p.group_side));
  }
  read_residual(p, request);
  if (request.scale == SumScale::kAlphaBeta) {
    if (const std::string why = why_no_kernel(request.problem, TensorCore::kWgmma, request.scale);
        !why.empty()) {
      unsupported(why);
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
    invalid("stride_c is TILECAST_SHARED: each product needs its own C");
  }
  request.c_matrix_stride = matrix_stride("stride_c", p.stride_c, p.m, c_row(request.problem),
                                          c_type(request.problem), true);
  if (p.groups != 0) {
    request.problem = grouped(request.problem, p);
  } else if (p.group_capacity != 0 || p.expected_rows != nullptr) {
    invalid("group_capacity and expected_rows require groups, but groups is 0");
  }
  request.gpu = text("options.gpu", o.gpu);
  request.config = text("options.config", o.config);
  const std::optional<std::string> folder = text("options.config_dir", o.config_dir);
  request.config_folder = folder ? std::filesystem::path(*folder) : installed_configs();
  if (o.cache_dir != nullptr) {
    request.cache_folder = bounded("options.cache_dir", o.cache_dir);
  }
  request.regime = regime_of(o.regime);
  if (o.threads < 0 || o.threads > kMostThreads) {
    invalid(fmt::format("options.threads is {}: expected 0 to {}", o.threads, kMostThreads));
  }
  request.threads = static_cast<unsigned>(o.threads);
  if (o.reserved != 0) {
    invalid(fmt::format("options.reserved is {}: expected 0", o.reserved));
  }
  request.use_calibration = !asked("options.no_calibration", o.no_calibration);
  request.programmatic = asked("options.programmatic", o.programmatic);
  const bool by_option = asked("options.check_groups", o.check_groups);
  const bool checks = asked_by_environment("TILECAST_CHECK_GROUPS") || by_option;
  request.check_groups = checks && request.problem.groups != nullptr;
  return request;
}

Tuning read_tuning(const tilecast_tuning* tuning, const Request& request) {
  constexpr i32 kUsualCandidates = 8, kMostCandidates = 64;
  const tilecast_tuning t = checked_struct(tuning, sizeof(tilecast_tuning), "tuning");
  if (t.file == nullptr || *t.file == '\0') {
    invalid("tuning.file is empty: expected a path for the results");
  }
  if (t.candidates < 0 || t.candidates > kMostCandidates) {
    invalid(
        fmt::format("tuning.candidates is {}: expected 0 to {}", t.candidates, kMostCandidates));
  }
  if (t.again != 0 && t.again != 1) {
    invalid(fmt::format("tuning.again is {}: expected 0 or 1", t.again));
  }
  if (request.config) {
    invalid("options.config is given, but tuning chooses one");
  }
  return {bounded("tuning.file", t.file),
          static_cast<std::size_t>(t.candidates == 0 ? kUsualCandidates : t.candidates),
          t.again == 1};
}

}  // namespace tilecast
