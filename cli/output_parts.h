// Pieces that the tables and the JSON of several commands share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "model/base/units.h"
#include "model/ops/any_op.h"
#include "model/rank/prediction.h"

namespace tilecast {

inline double microseconds(Seconds time) { return time.value * 1e6; }

/// 177.85, 12345.6, 1234567: as many digits as differ from run to run.
std::string micro_text(Seconds time);

/// To what a prediction can mean, so that equal answers print equally everywhere.
double rounded(double value, int digits);

/// Op, sides, element type and, where the op has them, layout and epilogue.
nlohmann::ordered_json problem_json(const AnyProblem& problem);

/// What is copied before a kernel, for JSON; in words, "A and B are".
nlohmann::ordered_json copies_json(const OperandCopies& copies);
std::string copied_words(const CopiedOperands& operands);

/// A limiter as tables show it: "SM intake" of sm_intake.
std::string shown_limiter(std::string_view word);

constexpr std::size_t kColumns = 80;  // of a terminal

/// The text in lines of at most kColumns that end after one of `breaks`, or a comma
/// where a line has none of them, each after `first` or as
/// much space.
std::string wrapped(const std::string& first, std::string_view text, std::string_view breaks);

}  // namespace tilecast
