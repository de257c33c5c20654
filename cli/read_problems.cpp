#include "cli/read_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "cli/cutlass_problem.h"
#include "cli/problem_options.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/batch_text.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"
#include "model/ops/problem_fields.h"
#include "validate/plan/suite.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement_columns.h"

namespace tilecast {
namespace {

const std::vector<std::string> kKnown = [] {
  std::vector<std::string> known{"shape",  "op",           "m",       "n", "k", "dtype", "regime",
                                 "inputs", "groups_along", "capacity"};
  for (const std::string_view field : problem_field_names()) {
    known.emplace_back(field);
  }
  for (const AnySchedule& schedule : every_schedule()) {
    for (const char* side : traits_of(op_of(schedule)).side_names) {
      if (std::ranges::find(known, side) == known.end()) {
        known.emplace_back(side);
      }
    }
  }
  return known;
}();

constexpr const char* kName = "name";  // a problem's name, which is ignored

/// Returns the field's name in lower case; throws ConfigError for an unknown field.
std::string field_named(const std::string& given) {
  std::string name = lower_case(given);
  if (std::ranges::find(kKnown, name) == kKnown.end()) {
    throw ConfigError(fmt::format("{}: unknown{}", given, did_you_mean(name, kKnown)));
  }
  return name;
}

void add_field(const std::string& name, const std::string& value, Fields& fields) {
  refuse_if(!fields.emplace(name, value).second, "{}: given twice", name);
}

Fields fields_of_object(const nlohmann::json& object) {
  refuse_if(!object.is_object(), "expected a JSON object");
  if (object.contains("dtype_a")) {
    return fields_of_cutlass(object);
  }
  Fields fields;
  for (const auto& [key, value] : object.items()) {
    if (lower_case(key) == kName) {
      continue;
    }
    const std::string name = field_named(key);
    if (name == "groups" && value.is_array()) {
      const std::string list = value.dump();
      add_field(name, list.substr(1, list.size() - 2), fields);
      continue;
    }
    refuse_if(!value.is_string() && !value.is_number_integer(),
              "{}: expected a string or an integer", key);
    add_field(name, value.is_string() ? value.get<std::string>() : value.dump(), fields);
  }
  return fields;
}

/// Throws ConfigError for a duplicate key or a number that overflows a double; the parser throws
/// for other errors.
nlohmann::json parse_json(const std::string& text) {
  using Json = nlohmann::json;
  std::vector<std::set<std::string>> keys;  // keys of the open objects
  const auto check = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key &&
               !keys.back().insert(parsed.get<std::string>()).second) {
      throw ConfigError(parsed.get<std::string>() + ": given twice");
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::out_of_range&) {
    throw ConfigError("contains a number that is too large");
  }
}

Fields fields_of_json(const std::string& line) {
  try {
    return fields_of_object(parse_json(line));
  } catch (const nlohmann::json::exception&) {
    throw ConfigError("expected a JSON object on one line");
  }
}

/// Parses a list. `line`: line of the file on which the text begins.
nlohmann::json parse_list(const std::string& text, const std::string& name, std::size_t line) {
  try {
    return parse_json(text);
  } catch (const ConfigError& error) {
    throw ConfigError(name + ": " + error.what());
  } catch (const nlohmann::json::parse_error& error) {
    const std::string what = error.what();
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw ConfigError(
        fmt::format("{}:{}: expected a JSON list of problems{}", name,
                    line + static_cast<std::size_t>(std::count(text.begin(), end, '\n')),
                    what.substr(std::min(what.size(), what.find(" - ")))));
  }
}

/// Columns that do not affect the problem: its name, and the additional columns of measurement,
/// point and plan files. Counters have two underscores in their names.
bool is_left_aside(const std::string& column) {
  constexpr std::string_view kOthers[] = {kName, "number", "expected_us"};
  return std::ranges::find(kOthers, column) != std::end(kOthers) ||
         column.find("__") != std::string::npos ||
         std::ranges::find(measurement_column_table(), column, &MeasurementColumn::name) !=
             measurement_column_table().end();
}

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Returns column names if the line is a CSV header. A line that is not CSV counts as a problem,
/// and fails as one. Throws ConfigError for an unknown column.
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
  std::vector<std::string> names;
  for (const std::string& given : csv.records.front().fields) {
    names.push_back(lower_case(without_blanks(given)));
  }
  if (names.front().empty()) {
    names.front() = kName;  // the index that pandas writes
  }
  const auto count = [&](const std::string& name) { return std::ranges::count(names, name); };
  if (count("shape") + count("m") + count("queries") == 0) {
    return std::nullopt;
  }
  for (const std::string& name : names) {
    if (std::ranges::find(kKnown, name) == kKnown.end() && !is_left_aside(name)) {
      throw ConfigError(fmt::format("{}: unknown column{}; expected any of {}; `name` is ignored",
                                    name, did_you_mean(name, kKnown), join(kKnown, ", ")));
    }
    refuse_if(count(name) > 1, "{}: duplicate column", name);
  }
  return names;
}

Fields fields_of_csv(const std::string& line, const std::vector<std::string>& header) {
  const CsvText csv = parse_csv(line + "\n", "");
  refuse_if(csv.records.size() != 1 || csv.records.front().fields.size() != header.size(),
            "expected {} fields as in the header", header.size());
  Fields fields;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string value = without_blanks(csv.records.front().fields[i]);
    if (!value.empty() && std::ranges::find(kKnown, header[i]) != kKnown.end()) {
      fields[header[i]] = value;
    }
  }
  return fields;
}

/// Returns the dimension that is split into groups: "k" if the fields say so, else "m".
const char* side_in_groups(const Fields& fields) {
  const auto along = fields.find("groups_along");
  if (along != fields.end() && along->second != "m" && along->second != "k") {
    throw ConfigError(
        fmt::format("groups_along: expected m or k, got {}", printable(along->second)));
  }
  const auto groups = fields.find("groups");
  if (groups == fields.end()) {
    refuse_if(along != fields.end(), "groups_along: requires groups");
    return "";
  }
  return groups->second.starts_with(kGroupsAlongK) ||
                 (along != fields.end() && along->second == "k")
             ? "k"
             : "m";
}

/// Returns the groups in a shape's form: [256,0,17], whose sum must equal the dimension if that is
/// given; [5,0,64/128] with a capacity.
std::string side_of_groups(const char* name, const Fields& fields) {
  std::string groups = fields.at("groups");
  if (const auto capacity = fields.find("capacity"); capacity != fields.end()) {
    groups += "/" + capacity->second;
  }
  const SharedGroupRows parsed = parse_group_rows(groups);
  const auto side = fields.find(name);
  if (side != fields.end() && parse_integer(side->second) != parsed->total()) {
    throw ConfigError(fmt::format("{}: expected {}, the rows of all groups, got {}", name,
                                  parsed->total(), printable(side->second)));
  }
  return "[" + list_text(*parsed) + "]";
}

/// Returns a shape of an op whose shapes have more numbers than dimensions, from all fields.
std::string numbers_text(const Fields& fields, Op op) {
  AnyProblem problem = blank_problem(op);
  std::array<i64, 3> sides{};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const char* const name = traits_of(op).side_names[i];
    const auto side = fields.find(name);
    sides[i] = side == fields.end() ? 0 : parse_integer(side->second).value_or(0);
    if (sides[i] < 1) {
      throw ConfigError(
          fmt::format("{}: {}", name, side == fields.end() ? "missing" : "expected an integer"));
    }
  }
  set_sides(problem, sides);
  for (const auto& [name, text] : fields) {
    read_field(problem, name, text);
  }
  return shape_text(problem);
}

/// Returns a shape from the fields of the op's dimensions, if no field has the shape.
std::string sides_text(const Fields& fields, Op op) {
  constexpr const char* kSides[] = {"m", "n", "k"};
  const std::string_view parted = side_in_groups(fields);
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const bool in_groups = parted == kSides[i];
    const auto side = fields.find(in_groups ? "groups" : kSides[i]);
    if ((side == fields.end()) == (i < sides_of(op))) {
      throw ConfigError(fmt::format(
          "{}: {}", kSides[i],
          side == fields.end() ? "missing" : fmt::format("not a dimension of {}", to_text(op))));
    }
    refuse_if(i == 0 && parted.empty() && fields.contains("capacity"), "capacity: requires groups");
    if (side != fields.end()) {
      text += (i > 0 ? "x" : "") + (in_groups ? side_of_groups(kSides[i], fields) : side->second);
    }
  }
  return text;
}

/// Returns the shapes that the fields describe; `batch`: for shapes without one.
std::vector<std::string> shapes_of(const Fields& fields, const ProblemDefaults& defaults) {
  const auto named = fields.find("op");
  const Op asked = parse_op(named != fields.end() ? named->second : defaults.op);
  if (traits_of(asked).parts > sides_of(asked)) {
    const auto shape = fields.find("shape");
    return {shape != fields.end() ? shape->second : numbers_text(fields, asked)};
  }
  const auto own = fields.find("batch");
  if (const auto given = fields.find("shape"); given != fields.end()) {
    refuse_if(fields.contains("groups"),
              "groups: expected the other two dimensions as m, n or k, not as shape");
    for (const char* side : {"m", "n", "k", "capacity"}) {
      refuse_if(fields.contains(side), "{}: already given by shape", side);
    }
    const bool names_one = split_batch(given->second).batch.has_value();
    const std::string shape = in_batch(own != fields.end() ? own->second
                                       : names_one         ? ""
                                                           : defaults.batch,
                                       given->second);
    if (split_batch(shape).shape.find(':') == std::string::npos) {
      return {shape};
    }
    return expand_shapes(shape);
  }
  return {in_batch(own != fields.end() ? own->second : defaults.batch, sides_text(fields, asked))};
}

/// Skips blank lines and comments; returns their number.
std::size_t pass_comments(std::istream& input) {
  std::size_t lines = 0;
  for (int next = input.peek(); std::isspace(next) != 0 || next == '#'; next = input.peek()) {
    if (next == '#') {
      input.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      ++lines;
    } else {
      lines += input.get() == '\n' ? 1 : 0;
    }
  }
  return lines;
}

/// Returns the line's shape: MxNxK for numbers M N K.
std::string shape_of_line(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream rest(compact_shape(line));
  for (std::string word; rest >> word;) {
    words.push_back(word);
  }
  const bool sides = words.size() > 1 && std::ranges::all_of(words, [](const std::string& word) {
                       return parse_integer(word).has_value();
                     });
  return join(words, sides ? "x" : " ");
}

/// Whether a JSON list begins here, and not a line with groups such as "[256,0,17]x4096x7168".
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

void read_problems(std::istream& input, const std::string& name, const ProblemDefaults& defaults,
                   const Shard& shard, const std::function<void(ListedProblem)>& take) {
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
    FieldTexts own;  // batch and groups are in the shape
    for (const auto& [key, text] : fields) {
      if (key != "batch" && key != "groups") {
        own.emplace(key, text);
      }
    }
    listed.problem =
        problem_of(parse_op(field("op", defaults.op)), shape,
                   parse_element_type(field("dtype", defaults.dtype)), own, defaults.fields);
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
      shapes = shapes_of(fields, defaults);
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
  line_number = pass_comments(input);
  if (begins_json_list(input)) {
    const std::string text{std::istreambuf_iterator<char>(input), {}};
    const nlohmann::json list = parse_list(text, name, line_number + 1);
    line_number = 0;
    for (const nlohmann::json& object : list) {
      ++line_number;
      give_shapes([&] { return fields_of_object(object); });
    }
  }
  bool is_first = true;
  for (std::string line; std::getline(input, line);) {
    ++line_number;
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    refuse_if(line.find('\0') != line.npos, "{}:{}: expected text, found a NUL byte (\\x00)", name,
              line_number);
    // Spreadsheets end their tables with lines of commas.
    if (line.find_first_not_of(header ? ", \t" : " \t") == line.npos || line.front() == '#') {
      continue;
    }
    if (std::exchange(is_first, false) && line.front() != '{') {
      try {
        header = header_of(line);
      } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("{}:{}: {}", name, line_number, error.what()));
      }
      if (header) {
        continue;
      }
    }
    give_shapes([&] {
      return line.front() == '{' ? fields_of_json(line)
             : header            ? fields_of_csv(line, *header)
                                 : Fields{{"shape", shape_of_line(line)}};
    });
  }
  if (input.bad()) {  // a folder, or a line that exceeds memory
    throw FileError(line_number == 0
                        ? name + ": expected a file, got a folder"
                        : fmt::format("{}: read error after line {}", name, line_number));
  }
  refuse_if(index == 0, "{}: contains no problem", name);
}

}  // namespace tilecast
