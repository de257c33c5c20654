#include "cli/problem_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/commands.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/batch_text.h"
#include "model/gemm/problem/gemm_fields.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"

namespace tilecast {
namespace {

void require_two_sides(const std::string& shape) {
  if (std::ranges::count(lower_case(shape), 'x') != 1) {
    throw ConfigError(
        fmt::format("shape '{}': expected N and K of each group, such as 4096x7168, in layout nt M "
                    "and N",
                    on_one_line(shape)));
  }
}

/// Throws ConfigError where there is no such op.
bool asks_for_gemm(const std::string& op) {
  return std::holds_alternative<GemmProblem>(blank_problem(parse_op(op)));
}

/// Rows of groups that stand on lines of their own, or between commas or blanks.
std::string list_in_file(const std::string& path) {
  std::string list;
  const std::string text = read_text(path);
  std::size_t number = 0;
  for (const std::string_view given : split(text, '\n')) {
    std::string line(given);
    ++number;
    std::ranges::replace_if(
        line, [](char c) { return c == '\r' || c == '\t' || c == ' '; }, ',');
    for (const std::string_view part : split(line, ',')) {
      if (part.find_first_not_of("0123456789*/") != part.npos) {
        throw ConfigError(
            fmt::format("{}:{}: expected the rows of a group, such as 256 or 4*8192, "
                        "got '{}'",
                        path, number, printable(part)));
      }
      list += (list.empty() || part.empty() ? "" : ",") + std::string(part);
    }
  }
  try {
    (void)parse_group_rows(list);
  } catch (const ConfigError& error) {
    throw ConfigError(path + ": " + error.what());
  }
  return list;
}

}  // namespace

std::string ProblemOptions::whole_shape() const {
  if (groups.empty() && groups_file.empty()) {
    return in_batch(batch, shape);
  }
  if (!groups.empty() && !groups_file.empty()) {
    throw ConfigError("--groups-file goes without --groups");
  }
  if (experts || !batch.empty() || !asks_for_gemm(op)) {
    throw ConfigError("--groups are of one GEMM, without --experts and --batch");
  }
  require_two_sides(shape);
  const std::string list = groups.empty() ? list_in_file(groups_file) : groups;
  return parse_layout(fields.at("layout")) == Layout::kNt ? fmt::format("{}x[{}]", shape, list)
                                                          : fmt::format("[{}]x{}", list, shape);
}

void ProblemOptions::take_shape() {
  if (m || n || k) {
    if (!sides.empty() || !m || !n || !k) {
      throw ConfigError("-m, -n and -k: expected all three, and no SHAPE");
    }
    shape = fmt::format("{}x{}x{}", *m, *n, *k);
  } else if (!sides.empty()) {
    const bool whole = lower_case(sides.front()).find('x') != std::string::npos;  // and its strides
    shape = join(sides, whole ? " " : "x");
  }
  // Of attention the colon is before the KV heads.
  if (const std::string_view given = split_batch(shape).shape;
      asks_for_gemm(op) && given.find(':') != given.npos) {
    throw ConfigError(
        fmt::format("shape '{}': a range of numbers; --problems reads a file of such "
                    "shapes, or - for standard input",
                    printable(shape)));
  }
}

FieldTexts ProblemOptions::gemm_fields() const {
  FieldTexts all = fields;
  if (!scales.empty()) {
    std::string& epilogue = all["epilogue"];
    epilogue = "scale_" + scales + (epilogue == "none" ? "" : "+" + epilogue);
  }
  if (no_fast_accum) {
    all["accumulate"] = "exact";
  }
  return all;
}

AnyProblem ProblemOptions::problem() const {
  const std::string whole = whole_shape();
  if (experts) {
    return drawn_problems(1).front();
  }
  const bool gemm = asks_for_gemm(op);
  FieldTexts all = gemm ? gemm_fields() : FieldTexts{};
  AnyProblem blank = blank_problem(parse_op(op));
  for (const auto& [name, option] : gemm_options) {
    const std::string field = name.substr(2);
    if (!gemm && option.given()) {
      if (!fields.contains(field) || !read_field(blank, field, fields.at(field))) {
        throw ConfigError(fmt::format("{} applies only to gemm, not to {}", name, op));
      }
      all[field] = fields.at(field);
    }
  }
  all["mask"] = causal ? "causal" : "";
  all["lse"] = lse ? "yes" : "";
  return problem_of(parse_op(op), whole + leading_words({lda, ldb, ldc}), parse_element_type(dtype),
                    all);
}

Routing ProblemOptions::asked_routing() const {
  return {.experts = experts.value(),
          .tokens = tokens.value(),
          .top_k = top_k,
          .zipf = parse_zipf(routing),
          .seed = seed};
}

std::vector<GemmProblem> ProblemOptions::drawn_problems(i64 count) const {
  if (!asks_for_gemm(op) || !batch.empty()) {
    throw ConfigError(
        fmt::format("--experts applies only to gemm, not to {}", batch.empty() ? op : "a batch"));
  }
  require_two_sides(shape);
  const Routing asked = asked_routing();
  // Rows of A and of B as [K,M] and [K,N] are parted alike, as in a backward pass.
  const bool along_k = parse_layout(fields.at("layout")) == Layout::kNt;
  const AnyProblem product = problem_of(Op::kGemm,
                                        (along_k ? fmt::format("{}x{}", shape, asked.rows())
                                                 : fmt::format("{}x{}", asked.rows(), shape)) +
                                            leading_words({lda, ldb, ldc}),
                                        parse_element_type(dtype), gemm_fields());
  std::vector<GemmProblem> problems;
  for (std::vector<i64>& rows : drawn_rows(asked, count)) {
    const auto& of_one = std::get<GemmProblem>(product);
    problems.push_back(along_k ? in_groups_of_k(of_one, std::move(rows))
                               : in_groups(of_one, std::move(rows)));
  }
  return problems;
}

void give_back_shape(std::string& shape, std::vector<std::string>& values) {
  const auto is_shape = [](const std::string& text) {
    return !text.empty() && (text.front() == '[' || (text.front() >= '0' && text.front() <= '9')) &&
           lower_case(text).find_first_not_of("0123456789x*:,/[]ab ") == std::string::npos;
  };
  if (shape.empty() && values.size() > 1 && is_shape(values.back())) {
    shape = values.back();
    values.pop_back();
  }
}

Option add_shape(const Command& command, ProblemOptions& options) {
  const Option shape =
      command
          .option("SHAPE", options.sides,
                  "MxNxK, such as 4096x4096x4096, or M N K; ROWSxCOLUMNS for elementwise_add, "
                  "elements for memcpy")
          .expects(1, 3);
  for (const auto& [name, side] :
       {std::pair{"-m", &options.m}, {"-n", &options.n}, {"-k", &options.k}}) {
    command.option(name, *side, "The same one by one").in_range(i64{1}, i64{1} << 38);
  }
  return shape;
}

LoadedGpu load_asked_gpu(const std::string& name, bool calibrated) {
  LoadedGpu gpu = load_gpu(name, calibrated);
  const std::string word = lower_case(name);
  const std::vector<std::string> known = known_gpus(config_folder());
  const auto begun =
      std::ranges::count_if(known, [&](const std::string& one) { return one.starts_with(word); });
  if (word != gpu.spec.name && begun != 1 && word.find('.') == std::string::npos) {
    fmt::print(stderr, "--gpu {}: taken as {} ({})\n", name, gpu.spec.name, gpu.spec.product);
  }
  return gpu;
}

std::vector<Option> add_leading_options(const Command& command, ProblemOptions& options) {
  constexpr i64 kMost = i64{1} << 38;
  return {
      command
          .option("--lda", options.lda, "Elements from one row of A to the next; 0: rows are tight")
          .in_range(i64{0}, kMost),
      command.option("--ldb", options.ldb, "Of B").in_range(i64{0}, kMost),
      command
          .option("--ldc", options.ldc,
                  "Of C; where rows are not tight it and N are multiples of 16 bytes")
          .in_range(i64{0}, kMost)};
}

void add_gemm_options(const Command& command, ProblemOptions& options) {
  for (const ProblemField<GemmProblem>& field : kGemmFields) {
    if (const std::string name = option_name(field.name, field.help); !name.empty()) {
      std::string& text =
          field.name == "batch" ? options.batch : options.fields[std::string(field.name)];
      text = field.usual;
      options.gemm_options.emplace_back(name.substr(0, name.find(',')),
                                        command.option(name, text, field.help));
    }
  }
  options.gemm_options.emplace_back(
      "--scales", command
                      .option("--scales", options.scales,
                              "Scales of fp8 operands, multiplied in before the epilogue: tensor, "
                              "row (of A and column of B) or block (1x128 of A, 128x128 of B)")
                      .one_of({"tensor", "row", "block"}));
  options.gemm_options.emplace_back(
      "--no-fast-accum", command.flag("--no-fast-accum", options.no_fast_accum,
                                      "Sums of fp8 products in fp32: --accumulate exact"));
}

std::vector<Option> add_problem_options(const Command& command, ProblemOptions& options) {
  const Option dtype = command.option("--dtype", options.dtype, kDtypeHelp);
  command.flag("--causal", options.causal,
               "Attention only: each query sees the keys up to its own place, the last one all");
  command.flag("--lse", options.lse, "Attention only: the log-sum-exp of each row is written too");
  add_gemm_options(command, options);
  std::vector<Option> all = add_leading_options(command, options);
  all.push_back(command.option(
      "--groups", options.groups,
      "Rows of each group, such as 256,0,17 or 8*4096, and SHAPE is N and K; in layout nt the "
      "groups' "
      "parts of K, and SHAPE is M and N. The same as [256,0,17]xNxK and MxNx[256,0,17]"));
  all.push_back(command.option("--groups-file", options.groups_file,
                               "The same from a file: numbers on lines, or between commas"));
  all.push_back(dtype);
  std::ranges::transform(options.gemm_options, std::back_inserter(all),
                         [](const auto& named) { return named.second; });
  return all;
}

Option add_routing_options(const Command& command, ProblemOptions& options) {
  const Option experts =
      command
          .option("--experts", options.experts,
                  "Of a mixture of experts: each is a group of rows with a B of its own. SHAPE is "
                  "then N and K: 4096x7168 --experts 64 --tokens 4096. In layout nt each is a part "
                  "of K "
                  "with a C of its own, as in a backward pass, and SHAPE is M and N")
          .in_range(i64{1}, kMostGroups);
  const Option tokens = command.option("--tokens", options.tokens, "That are routed to --experts")
                            .in_range(i64{1}, kMostRoutedRows)
                            .needs(experts);
  experts.needs(tokens);
  command.option("--top-k", options.top_k, "Experts that each token goes to")
      .in_range(i64{1}, kMostGroups)
      .needs(experts);
  command
      .option("--routing", options.routing,
              "Each expert's share of the tokens: uniform, or zipf:1.1 for Zipf's law with that "
              "exponent")
      .needs(experts);
  command.option("--seed", options.seed, "Of the draws of the rows of each expert").needs(experts);
  return experts;
}

}  // namespace tilecast
