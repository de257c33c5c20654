#include "model/stream/stream_problem_text.h"

#include <fmt/format.h>

#include <vector>

#include "model/base/element_type_text.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr i64 kMostOfSide = i64{1} << 40;

}  // namespace

std::array<i64, 3> sides_of(const StreamProblem& problem) {
  return sides_of(problem.op) == 1 ? std::array<i64, 3>{problem.columns, 0, 0}
                                   : std::array<i64, 3>{problem.rows, problem.columns, 0};
}

void set_sides(StreamProblem& problem, const std::array<i64, 3>& sides) {
  problem.rows = sides_of(problem.op) == 1 ? 1 : sides[0];
  problem.columns = sides_of(problem.op) == 1 ? sides[0] : sides[1];
}

std::string shape_text(const StreamProblem& problem) {
  return sides_of(problem.op) == 1 ? fmt::format("{}", problem.columns)
                                   : fmt::format("{}x{}", problem.rows, problem.columns);
}

std::string to_text(const StreamProblem& problem) {
  return fmt::format("{} {}", shape_text(problem), to_text(problem.dtype));
}

u64 shape_seed(const StreamProblem& problem) {
  constexpr u64 kPrime = 1'000'003;
  const auto [m, n, k] = sides_of(problem);
  return ((static_cast<u64>(m) * kPrime) + static_cast<u64>(n)) * kPrime + static_cast<u64>(k);
}

StreamProblem stream_of_shape(Op op, std::string_view shape) {
  std::array<i64, 3> sides{};
  const std::vector<std::string_view> parts = split(shape, 'x');
  bool good = static_cast<i32>(parts.size()) == sides_of(op);
  for (std::size_t i = 0; i < parts.size() && good; ++i) {
    sides[i] = parse_integer(parts[i]).value_or(0);
    good = sides[i] >= 1 && sides[i] <= kMostOfSide;
  }
  refuse_if(!good, "shape '{}': expected {}", on_one_line(shape),
            sides_of(op) == 1 ? "a number of elements up to 2^40, such as 1073741824"
                              : "ROWSxCOLUMNS, two integers up to 2^40, such as 32768x32768");
  StreamProblem problem{.op = op};
  set_sides(problem, sides);
  return problem;
}

}  // namespace tilecast
