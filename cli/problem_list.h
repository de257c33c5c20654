// Predicts the list of --problems in order, on several threads.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/output_parts.h"
#include "cli/read_problems.h"

namespace tilecast {

struct ListAnswer {
  nlohmann::ordered_json object;             // one line of JSON
  std::vector<nlohmann::ordered_json> rows;  // rows of the CSV; `error` instead of a result
  std::string text;                          // rows of the table
};

struct ListAnswers {
  std::string titles;        // titles of the table
  std::string_view columns;  // columns of the CSV (csv_cells)
  /// Throws ConfigError for a problem that has no prediction.
  std::function<ListAnswer(const ListedProblem&)> answer;
};

/// Whether there is a list: --problems, or several shapes.
bool asks_for_list(const Arguments& args);

/// Writes the results of the list's --shard in the --format as they come, with a progress bar if
/// standard error is a terminal, and the time taken. JSON and CSV begin with the problem's position
/// and contain the reason if it has no prediction. Throws FileError if the file does not exist, and
/// at the end Error(kPartial) if problems have no prediction.
void answer_list(const Arguments& args, const ListAnswers& answers);

/// Ends a progress bar that may be on the line of standard error.
void begin_line();

}  // namespace tilecast
