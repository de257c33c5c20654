// The list of --problems, answered problem by problem, in order, on several threads.
#pragma once

#include <functional>
#include <string>

#include "cli/arguments.h"
#include "cli/read_problems.h"

namespace tilecast {

struct ListAnswers {
  std::string header = "";  // written before the first
  /// Throws ConfigError for a problem that has no answer.
  std::function<std::string(const ListedProblem&)> answer;
  /// The line of such a problem.
  std::function<std::string(const ListedProblem&, const std::string& why)> refusal;
};

/// Writes the answers of the list's --shard as they come, with a bar where standard error is a
/// terminal, and how long they took. Throws FileError where there is no such file, and at the end
/// Error(kPartial) where problems have none, with `why` that is told.
void answer_list(const Arguments& args, const ListAnswers& answers, const std::string& why);

/// Ends a bar that may be on the line of standard error.
void begin_line();

}  // namespace tilecast
