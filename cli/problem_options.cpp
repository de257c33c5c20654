#include "cli/problem_options.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/leading_text.h"

namespace tilecast {

AnyProblem ProblemOptions::problem() const {
  const Op parsed = parse_op(op);
  if (parsed != Op::kGemm) {
    const bool has_layout = layout_option && layout_option->given();
    if (has_layout || (epilogue_option && epilogue_option->given())) {
      throw ConfigError(fmt::format("{} applies only to gemm, not to {}",
                                    has_layout ? "--layout" : "--epilogue", op));
    }
  }
  const std::string leading = to_text(LeadingDimensions{lda, ldb, ldc});
  return parse_problem(parsed, in_batch(batch, shape) + (leading.empty() ? "" : " " + leading),
                       parse_element_type(dtype), parse_layout(layout), parse_epilogue(epilogue),
                       parse_c_type(dtype_c));
}

void give_back_shape(std::string& shape, std::vector<std::string>& values) {
  const auto is_shape = [](const std::string& text) {
    return !text.empty() && (text.front() == '[' || (text.front() >= '0' && text.front() <= '9')) &&
           lower_case(text).find_first_not_of("0123456789x*:,[]ab ") == std::string::npos;
  };
  if (shape.empty() && values.size() > 1 && is_shape(values.back())) {
    shape = values.back();
    values.pop_back();
  }
}

std::vector<Option> add_leading_options(const Command& command, ProblemOptions& options) {
  constexpr i64 kMost = i64{1} << 38;
  return {
      command
          .option("--lda", options.lda, "Elements from one row of A to the next; 0: rows are tight")
          .in_range(i64{0}, kMost),
      command.option("--ldb", options.ldb, "Of B").in_range(i64{0}, kMost),
      command.option("--ldc", options.ldc, "Of C, a multiple of 16 bytes where rows are not tight")
          .in_range(i64{0}, kMost)};
}

std::vector<Option> add_problem_options(const Command& command, ProblemOptions& options) {
  const Option dtype = command.option("--dtype", options.dtype, kDtypeHelp);
  const Option dtype_c = command.option("--dtype-c", options.dtype_c, kDtypeCHelp);
  const Option batch = command.option("--batch", options.batch, kBatchHelp);
  options.layout_option =
      command.option("--layout", options.layout,
                     "GEMMs only. tt, tn: B is [N,K]; nt, nn: B is [K,N]; nt, tt: A is [K,M]");
  options.epilogue_option = command.option("--epilogue", options.epilogue, kEpilogueHelp);
  std::vector<Option> all = add_leading_options(command, options);
  all.insert(all.end(), {dtype, dtype_c, batch, *options.layout_option, *options.epilogue_option});
  return all;
}

}  // namespace tilecast
