#include "cli/read_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/cutlass_problem.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/tile/batch_text.h"
#include "model/tile/kernel_config_text.h"
#include "validate/plan/suite.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kKnown[] = {"shape",   "op",     "m",      "n",      "k",
                                       "dtype",   "layout", "regime", "inputs", "epilogue",
                                       "dtype_c", "batch",  "groups"};

void check_known(const std::string& key) {
  if (std::ranges::find(kKnown, key) == std::end(kKnown)) {
    const std::vector<std::string> known(std::begin(kKnown), std::end(kKnown));
    throw ConfigError(fmt::format("{}: unknown{}", key, did_you_mean(key, known)));
  }
}

Fields fields_of_object(const nlohmann::json& object) {
  if (!object.is_object()) {
    throw ConfigError("expected a JSON object");
  }
  if (object.contains("dtype_a")) {
    return fields_of_cutlass(object);
  }
  Fields fields;
  for (const auto& [key, value] : object.items()) {
    check_known(key);
    if (key == "groups" && value.is_array()) {
      const std::string list = value.dump();
      fields[key] = list.substr(1, list.size() - 2);
      continue;
    }
    if (!value.is_string() && !value.is_number_integer()) {
      throw ConfigError(fmt::format("{}: expected a text or a whole number", key));
    }
    fields[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return fields;
}

Fields fields_of_json(const std::string& line) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (object.is_discarded()) {
    throw ConfigError("expected a JSON object on one line");
  }
  return fields_of_object(object);
}

/// Names of the columns where the line is a header of them; other columns are left aside. A line
/// that is no CSV is a problem like others, and fails as one.
std::optional<std::vector<std::string>> header_of(const std::string& line) {
  CsvText csv;
  try {
    csv = parse_csv(line + "\n", "");
  } catch (const ConfigError&) {
    return std::nullopt;
  }
  if (csv.records.size() != 1) {
    return std::nullopt;
  }
  const std::vector<std::string>& names = csv.records.front().fields;
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  return has("shape") || has("m") ? std::optional(names) : std::nullopt;
}

Fields fields_of_csv(const std::string& line, const std::vector<std::string>& header) {
  const CsvText csv = parse_csv(line + "\n", "");
  if (csv.records.size() != 1 || csv.records.front().fields.size() != header.size()) {
    throw ConfigError(fmt::format("expected {} fields as in the header", header.size()));
  }
  Fields fields;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& value = csv.records.front().fields[i];
    if (!value.empty() && std::ranges::find(kKnown, header[i]) != std::end(kKnown)) {
      fields[header[i]] = value;
    }
  }
  return fields;
}

/// The shapes, as texts, that the fields stand for; `batch`: of those that name none.
std::vector<std::string> shapes_of(const Fields& fields, const std::string& batch) {
  const auto own = fields.find("batch");
  if (const auto given = fields.find("shape"); given != fields.end()) {
    if (fields.contains("groups")) {
      throw ConfigError("groups: expected n and k beside them, not shape");
    }
    const bool names_one = split_batch(given->second).batch.has_value();
    const std::string shape = in_batch(own != fields.end() ? own->second
                                       : names_one         ? ""
                                                           : batch,
                                       given->second);
    if (split_batch(shape).shape.find(':') == std::string::npos) {
      return {shape};
    }
    std::vector<std::string> shapes;
    for (const SuiteShape& one : expand_shapes(shape)) {
      const GemmShape& sides = one.sides;
      shapes.push_back(one.op == Op::kGemm
                           ? shape_text(GemmProblem{.shape = sides, .batch = one.batch})
                       : one.op == Op::kMemcpy ? fmt::format("{}", sides.m)
                                               : fmt::format("{}x{}", sides.m, sides.n));
    }
    return shapes;
  }
  std::vector<std::string> sides;
  if (const auto groups = fields.find("groups"); groups != fields.end()) {
    sides.push_back("[" + groups->second + "]");
  } else if (const auto m = fields.find("m"); m != fields.end()) {
    sides.push_back(m->second);
  }
  for (const char* side : {"n", "k"}) {
    if (const auto found = fields.find(side); found != fields.end()) {
      sides.push_back(found->second);
    }
  }
  return {in_batch(own != fields.end() ? own->second : batch, join(sides, "x"))};
}

/// And not a line of groups, "[256,0,17]x4096x7168".
bool begins_json_list(std::istream& input) {
  if (input.peek() != '[') {
    return false;
  }
  input.get();
  const bool number = std::isdigit(input.peek()) != 0;
  input.clear();
  input.unget();
  return !number;
}

}  // namespace

void read_problems(std::istream& input, const ProblemDefaults& defaults, const Shard& shard,
                   const std::function<void(ListedProblem)>& take) {
  std::optional<std::vector<std::string>> header;
  std::size_t index = 0, line_number = 0;
  const auto give = [&](ListedProblem listed) {
    listed.index = ++index;
    listed.line = line_number;
    if (static_cast<i64>((index - 1) % static_cast<std::size_t>(shard.count)) == shard.index - 1) {
      take(std::move(listed));
    }
  };
  const auto parse = [&](const Fields& fields, const std::string& shape) {
    const auto field = [&](const char* key, const std::string& otherwise) {
      const auto found = fields.find(key);
      return found == fields.end() ? otherwise : found->second;
    };
    ListedProblem listed;
    const ElementType dtype = parse_element_type(field("dtype", defaults.dtype));
    const bool fp8 = is_fp8(dtype);
    listed.problem = parse_problem(parse_op(field("op", defaults.op)), shape, dtype,
                                   parse_layout(field("layout", defaults.layout)),
                                   parse_epilogue(field("epilogue", defaults.epilogue)),
                                   parse_c_type(field("dtype_c", fp8 ? defaults.dtype_c : "")));
    listed.regime = parse_regime(field("regime", defaults.regime));
    listed.inputs = parse_inputs(field("inputs", defaults.inputs));
    return listed;
  };
  const auto wrong = [](const std::string& why) {
    ListedProblem listed;
    listed.error = why;
    return listed;
  };
  const auto give_shapes = [&](const std::function<Fields()>& read) {
    Fields fields;
    std::vector<std::string> shapes;
    try {
      fields = read();
      shapes = shapes_of(fields, defaults.batch);
    } catch (const ConfigError& error) {
      give(wrong(error.what()));
    }
    for (const std::string& shape : shapes) {
      ListedProblem listed;
      try {
        listed = parse(fields, shape);
      } catch (const ConfigError& error) {
        listed = wrong(error.what());
      }
      give(std::move(listed));
    }
  };
  if (input.peek() == 0xEF) {  // a byte-order mark
    input.ignore(3);
  }
  while (std::isspace(input.peek()) != 0) {
    line_number += input.get() == '\n' ? 1 : 0;
  }
  if (begins_json_list(input)) {
    line_number = 0;
    const nlohmann::json list = nlohmann::json::parse(input, nullptr, false);
    if (list.is_discarded()) {
      throw ConfigError("expected a JSON list of problems, which ends with its ]");
    }
    for (const nlohmann::json& object : list) {
      ++line_number;
      give_shapes([&] { return fields_of_object(object); });
    }
    return;
  }
  for (std::string line; std::getline(input, line);) {
    ++line_number;
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    if (line.empty()) {
      continue;
    }
    if (line_number == 1 && line.front() != '{' && (header = header_of(line))) {
      continue;
    }
    give_shapes([&] {
      return line.front() == '{' ? fields_of_json(line)
             : header            ? fields_of_csv(line, *header)
                                 : Fields{{"shape", line}};
    });
  }
  if (input.bad()) {  // a folder, or a line that does not fit into memory
    throw FileError(line_number == 0
                        ? "problems: cannot be read: expected a file"
                        : fmt::format("problems: cannot read on after line {}", line_number));
  }
}

}  // namespace tilecast
