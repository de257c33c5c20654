// The fields of an op's problem apart from dimensions and type, in one table per op. They are
// columns of measurements and points, fields of lists of problems and of suites, and options of
// commands. To add a field, add a row. Checked by: validate/record/measurement_csv_test.cpp,
// cli/read_problems_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

template <class Problem>
struct ProblemField {
  std::string_view name;
  std::string (*text)(const Problem&);            // value as a string, empty for the default
  void (*read)(Problem&, std::string_view text);  // parses a value; throws ConfigError
  const char* help = nullptr;                     // help of its option; null if it has no option
  std::string_view usual = {};                    // default
  /// Whether a default applies to the problem; if null, it always does.
  bool (*counts)(const Problem&, std::string_view usual) = nullptr;
};

}  // namespace tilecast
