// Gaussian process regression at prediction time: similarity of a kernel to measured ones, expected
// correction, and remaining variance.
//
// Points are features divided by length scales. Similarity is the Matern 5/2 covariance: 1 for the
// same point, 0 far away, twice differentiable. The expected value is a weighted sum of
// similarities, hence 0 far from all rows. The variance uses only the nearest rows, although the
// others would lower it: this needs a small matrix instead of a large one, and identifies the rows
// that matter.
//
// Not modelled: a mean function, which is the uncorrected model. Checked by:
// gaussian_process_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilecast {

/// Similarity of two points from their squared distance.
float likeness(float squared_distance);

class MeasuredPoints {
 public:
  /// `rows`: `dimensions` numbers per row, row-major.
  MeasuredPoints(std::size_t dimensions, std::span<const float> rows);

  std::size_t count() const { return count_; }

  /// Similarity of `point` to each row.
  std::vector<float> likeness_to(std::span<const float> point) const;

  /// Returns the most similar rows, most similar first; at most `most`.
  static std::vector<std::size_t> nearest(std::span<const float> likeness, std::size_t most);

  /// Returns the fraction of the prior variance, 0 to 1, that remains at a point given the
  /// `nearest` rows; `likeness` is the point's similarity to all rows, `noise` each row's noise
  /// variance relative to the prior's.
  double variance_left(std::span<const float> likeness, std::span<const std::size_t> nearest,
                       std::span<const double> noise) const;

 private:
  std::size_t dimensions_, count_;
  std::vector<float> by_dimension_;  // column-major: all rows' first numbers, then their second
                                     // ones, ...
};

/// Returns the weighted sum of similarities.
double expected(std::span<const float> likeness, std::span<const double> weights);

}  // namespace tilecast
