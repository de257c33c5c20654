// A Gaussian process as predictions use it: how like a kernel is to measured ones, what these say
// of it, and how much they leave open.
//
// Points are features, each over the length on which the answer changes. Likeness is the kernel of
// Matern with 5/2: 1 for the same point, 0 far away, and so smooth that an answer has no kinks. The
// expected value is a sum of weights times likeness, and so 0 far from all rows. The variance is
// that left by the nearest rows alone, which all rows together could only lower: it costs a small
// matrix in place of a large one, and names what was leaned on.
//
// Leaves out: a mean of its own (that is the physics'). Checked by: gaussian_process_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilecast {

/// Of two points by their squared distance.
float likeness(float squared_distance);

class MeasuredPoints {
 public:
  /// Rows are `dimensions` numbers each, one row after the other.
  MeasuredPoints(std::size_t dimensions, std::span<const float> rows);

  std::size_t count() const { return count_; }

  /// Of `point` to each row.
  std::vector<float> likeness_to(std::span<const float> point) const;

  /// The rows that are most like it, the most like one first; `most` at most.
  static std::vector<std::size_t> nearest(std::span<const float> likeness, std::size_t most);

  /// Part of the prior's variance, 0 to 1, that the `nearest` rows leave at the point, whose
  /// likeness to all rows is `likeness`; `noise`: the variance that each row was measured with, in
  /// priors.
  double variance_left(std::span<const float> likeness, std::span<const std::size_t> nearest,
                       std::span<const double> noise) const;

 private:
  std::size_t dimensions_, count_;
  std::vector<float> by_dimension_;  // all rows' first numbers, then their second ones, ...
};

/// What rows with these weights say where they are so like.
double expected(std::span<const float> likeness, std::span<const double> weights);

}  // namespace tilecast
