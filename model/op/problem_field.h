// The fields of an op's problem besides its sides and its type, one table an op: columns of
// measurements and of points, fields of lists of problems, lists of suites, options of commands.
// A new field is a row, which all of these read.
// Checked by: validate/record/measurement_csv_test.cpp, cli/read_problems_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

template <class Problem>
struct ProblemField {
  std::string_view name;
  std::string (*text)(const Problem&);            // empty where it goes without saying
  void (*read)(Problem&, std::string_view text);  // throws ConfigError
  const char* help = nullptr;                     // of an option; null: it has none of its own
  std::string_view usual = {};                    // its default
  /// Whether a default counts for the problem; null: for all.
  bool (*counts)(const Problem&, std::string_view usual) = nullptr;
};

}  // namespace tilecast
