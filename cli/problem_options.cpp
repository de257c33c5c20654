#include "cli/problem_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/say.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
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
  refuse_if(std::ranges::count(lower_case(shape), 'x') != 1,
            "shape '{}': a grouped problem takes NxK of one group (MxN in layout nt), such "
            "as 4096x7168",
            on_one_line(shape));
}

/// Reads rows of groups, on separate lines or separated by commas or blanks.
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
      refuse_if(part.find_first_not_of("0123456789*/") != part.npos,
                "{}:{}: expected the rows of a group, such as 256 or 4*8192, "
                "got '{}'",
                path, number, printable(part));
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

/// Returns SHAPE, with the list of --groups or --groups-file inserted.
std::string whole_shape(const Arguments& args) {
  const std::string shape = asked_shape(args), batch = args.text_of("--batch"),
                    groups = args.text("--groups"), file = args.text("--groups-file");
  if (groups.empty() && file.empty()) {
    return in_batch(batch, shape);
  }
  refuse_if(!groups.empty() && !file.empty(), "--groups-file cannot be combined with --groups");
  refuse_if(args.given("--experts") || !batch.empty() || !traits_of(asked_op(args)).grouped,
            "--groups cannot be combined with --experts or --batch");
  require_two_sides(shape);
  const std::string list = groups.empty() ? list_in_file(file) : groups;
  return parse_layout(args.text_of("--layout")) == Layout::kNt
             ? fmt::format("{}x[{}]", shape, list)
             : fmt::format("[{}]x{}", list, shape);
}

/// Whether the word of SHAPE is a shape rather than one of its sides.
bool is_whole(const std::string& word) { return lower_case(word).find('x') != word.npos; }

constexpr std::string_view kBatch = "batch";  // the only field that SHAPE has too

/// Calls `visit` with each field of a GEMM that has an option, and the option.
template <class Visit>
void each_field_option(const Visit& visit) {
  for (const ProblemField<GemmProblem>& field : kGemmFields) {
    if (const std::string names = option_name(field.name, field.help); !names.empty()) {
      visit(field.name, names.substr(0, names.find(',')));
    }
  }
}

std::string strides(const Arguments& args) {
  return leading_words({args.number("--lda"), args.number("--ldb"), args.number("--ldc")});
}

}  // namespace

std::string in_batch(const std::string& batch, const std::string& shape) {
  refuse_if(!batch.empty() && split_batch(shape).batch, "batch '{}': SHAPE '{}' also gives a batch",
            on_one_line(batch), on_one_line(shape));
  return batch.empty() ? shape : batch + "*" + shape;
}

Op asked_op(const Arguments& args) {
  const std::string op = args.text("--op");
  return op.empty() ? Op::kGemm : parse_op(op);
}

std::string compact_shape(std::string text) {
  if (text.find_first_not_of("0123456789, ") == text.npos) {
    std::ranges::replace(text, ',', ' ');
  }
  for (const std::string_view between : {" x ", " X "}) {
    for (std::size_t at = text.find(between); at != text.npos; at = text.find(between)) {
      text.replace(at, between.size(), "x");
    }
  }
  return text;
}

namespace {

/// Returns the words of SHAPE.
std::vector<std::string> shape_words(const Arguments& args) {
  const std::vector<std::string>& given = args.texts("SHAPE");
  const std::string text = join(given, " "), compact = compact_shape(text);
  if (text == compact) {
    return given;
  }
  std::vector<std::string> words;
  for (const std::string_view word : split(compact, ' ')) {
    if (!word.empty()) {
      words.emplace_back(word);
    }
  }
  return words;
}

}  // namespace

std::string asked_shape(const Arguments& args) {
  const std::vector<std::string> sides = shape_words(args);
  if (sides.empty()) {
    return args.given("-n") ? fmt::format("{}{}x{}", args.given("-m") ? args.text("-m") + "x" : "",
                                          args.text("-n"), args.text("-k"))
                            : "";
  }
  const bool whole = is_whole(sides.front());  // and its strides
  if (const auto word = std::find_if(
          sides.begin() + 1, sides.end(),
          [&](const std::string& side) { return whole && side.find('=') == std::string::npos; });
      word != sides.end()) {
    throw ConfigError(fmt::format(
        "unexpected '{}' after SHAPE; {}", printable(*word),
        is_whole(*word) && word->front() >= '0' && word->front() <= '9'
            ? "it is not a shape, or this command takes only one (predict and compare take several)"
            : "configurations are given with --config, GPUs with --gpu"));
  }
  constexpr std::size_t kMostSides = 3;
  refuse_if(!whole && sides.size() > kMostSides && traits_of(asked_op(args)).grouped,
            "SHAPE: expected M N K, got {} numbers", sides.size());
  std::string shape = join(sides, whole ? " " : "x");
  // In an attention shape the colon precedes the KV heads.
  if (const std::string_view given = split_batch(shape).shape;
      traits_of(asked_op(args)).grouped && given.find(':') != given.npos) {
    const bool of_attention = std::ranges::count(shape, 'x') == 4;
    throw ConfigError(fmt::format(
        "shape '{}': {}", printable(shape),
        of_attention ? "a shape with heads and KV heads requires --op attention"
                     : "SHAPE cannot contain a range of numbers; shapes with ranges can be listed "
                       "in a file for --problems, or in standard input (-)"));
  }
  return shape;
}

std::vector<std::string> several_shapes(const Arguments& args) {
  const std::vector<std::string> words = shape_words(args);
  const bool all = std::ranges::all_of(words, [](const std::string& word) {
    return is_whole(word) && word.find('=') == word.npos &&
           lower_case(word).find_first_not_of("0123456789x*:,/[]ab") == word.npos;
  });
  if (words.size() < 2 || !all) {
    return {};
  }
  for (const CommandOption& option : options_of(args.command())) {
    if (option.name() == "--problems") {
      for (const std::string_view other : split(option.row.without, ' ')) {
        refuse_if(other != "SHAPE" && !args.at(other).empty(),
                  "{} cannot be combined with several shapes", other);
      }
    }
  }
  return words;
}

FieldTexts asked_gemm_fields(const Arguments& args) {
  FieldTexts all;
  each_field_option([&](std::string_view field, const std::string& option) {
    if (field != kBatch) {
      all.emplace(field, args.text_of(option));
    }
  });
  if (args.given("--scales")) {
    std::string& epilogue = all["epilogue"];
    epilogue = "scale_" + args.text("--scales") + (epilogue == "none" ? "" : "+" + epilogue);
  }
  if (args.given("--no-fast-accum")) {
    all["accumulate"] = "exact";
  }
  return all;
}

AnyProblem asked_problem(const Arguments& args) {
  refuse_if(asked_shape(args).empty(), "expected SHAPE, such as 4096x4096x4096");
  const std::string whole = whole_shape(args);
  if (args.given("--experts")) {
    return drawn_problems(args, 1).front();
  }
  const Op op = asked_op(args);
  const auto refuse = [&](std::string_view option) {
    throw ConfigError(fmt::format("{} applies only to gemm, not to {}", option, to_text(op)));
  };
  FieldTexts all = asked_gemm_fields(args);
  if (!traits_of(asked_op(args)).grouped) {
    for (const char* option : {"--scales", "--no-fast-accum"}) {
      if (!args.at(option).empty()) {
        refuse(option);
      }
    }
    AnyProblem blank = blank_problem(op);
    const FieldTexts given = std::exchange(all, {});
    each_field_option([&](std::string_view field, const std::string& option) {
      if (args.at(option).empty()) {
        return;
      }
      if (field == kBatch || !read_field(blank, field, given.find(field)->second)) {
        refuse(option);
      }
      all.emplace(field, given.find(field)->second);
    });
  }
  all["mask"] = args.given("--causal") ? "causal" : "";
  all["lse"] = args.given("--lse") ? "yes" : "";
  return problem_of(op, whole + strides(args), parse_element_type(args.text("--dtype")), all);
}

Routing asked_routing(const Arguments& args) {
  return {.experts = args.number("--experts"),
          .tokens = args.number("--tokens"),
          .top_k = args.number("--top-k"),
          .zipf = parse_zipf(args.text("--routing")),
          .seed = static_cast<u64>(args.number("--seed"))};
}

std::vector<GemmProblem> drawn_problems(const Arguments& args, i64 count) {
  const bool batch = !args.text_of("--batch").empty();
  if (batch || !traits_of(asked_op(args)).grouped) {
    throw ConfigError(fmt::format("--experts applies only to gemm, not to {}",
                                  batch ? "a batch" : to_text(asked_op(args))));
  }
  const std::string shape = asked_shape(args);
  require_two_sides(shape);
  const Routing asked = asked_routing(args);
  // Groups divide the rows of A and B as [K,M] and [K,N] in the same way, as in a backward pass.
  const bool along_k = parse_layout(args.text_of("--layout")) == Layout::kNt;
  const std::string whole = along_k ? fmt::format("{}x{}", shape, asked.rows())
                                    : fmt::format("{}x{}", asked.rows(), shape);
  const AnyProblem product =
      problem_of(Op::kGemm, whole + strides(args), parse_element_type(args.text("--dtype")),
                 asked_gemm_fields(args));
  std::vector<GemmProblem> problems;
  for (std::vector<i64>& rows : drawn_rows(asked, count)) {
    const auto& of_one = std::get<GemmProblem>(product);
    problems.push_back(along_k ? in_groups_of_k(of_one, std::move(rows))
                               : in_groups(of_one, std::move(rows)));
  }
  return problems;
}

LoadedGpu load_asked_gpu(const std::string& name, bool calibrated) {
  LoadedGpu gpu = load_gpu(name, calibrated);
  const std::string start = lower_case(name) + "_";
  if (std::ranges::count_if(known_gpus(config_folder()), [&](const std::string& known) {
        return known.starts_with(start);
      }) > 1) {
    say("--gpu {}: taken as {} ({})", name, gpu.spec.name, gpu.spec.product);
  }
  return gpu;
}

}  // namespace tilecast
