#include "model/learn/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "model/base/error.h"

namespace tilecast {

namespace {

/// Adds the squared distances from `point` to `count` rows, stored by dimension as in
/// MeasuredPoints.
void add_up_distances(const float* by_dimension, std::size_t count, std::span<const float> point,
                      float* distances) {
  // Rows per iteration: as many as there are registers for sums, and as many as a variance uses.
  constexpr std::size_t kRows = 24;
  std::size_t row = 0;
  for (; row + kRows <= count; row += kRows) {
    float sums[kRows] = {};
    const float* coordinate = by_dimension + row;
    for (const float own : point) {
      for (std::size_t i = 0; i < kRows; ++i) {
        const float apart = coordinate[i] - own;
        sums[i] += apart * apart;
      }
      coordinate += count;
    }
    std::ranges::copy(sums, distances + row);
  }
  for (; row < count; ++row) {
    const float* coordinate = by_dimension + row;
    float sum = 0;
    for (const float own : point) {
      const float apart = *coordinate - own;
      sum += apart * apart;
      coordinate += count;
    }
    distances[row] = sum;
  }
}

}  // namespace

float likeness(float squared_distance) {
  const float r = std::sqrt(5 * std::max(squared_distance, 0.0f));
  return (1.0f + r + r * r / 3) * std::exp(-r);
}

MeasuredPoints::MeasuredPoints(std::size_t dimensions, std::span<const float> rows)
    : dimensions_(dimensions),
      count_(dimensions > 0 ? rows.size() / dimensions : 0),
      by_dimension_(rows.size()) {
  TILECAST_ASSERT(dimensions > 0 && rows.size() == count_ * dimensions);
  for (std::size_t row = 0; row < count_; ++row) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      by_dimension_[d * count_ + row] = rows[row * dimensions_ + d];
    }
  }
}

std::vector<float> MeasuredPoints::likeness_to(std::span<const float> point) const {
  TILECAST_ASSERT(point.size() == dimensions_);
  std::vector<float> values(count_);
  add_up_distances(by_dimension_.data(), count_, point, values.data());
  for (float& value : values) {
    value = likeness(value);
  }
  return values;
}

std::vector<std::size_t> MeasuredPoints::nearest(std::span<const float> likeness,
                                                 std::size_t most) {
  std::vector<std::size_t>
      rows;          // most similar rows visited so far, in order; ties go to the first one
  float least = -1;  // lowest similarity that enters the list
  for (std::size_t row = 0; row < likeness.size() && most > 0; ++row) {
    if (likeness[row] <= least) {
      continue;
    }
    if (rows.size() == most) {
      rows.pop_back();
    }
    rows.insert(std::ranges::upper_bound(rows, likeness[row], std::greater<>{},
                                         [&](std::size_t other) { return likeness[other]; }),
                row);
    least = rows.size() == most ? likeness[rows.back()] : least;
  }
  return rows;
}

double MeasuredPoints::variance_left(std::span<const float> likeness,
                                     std::span<const std::size_t> nearest,
                                     std::span<const double> noise) const {
  TILECAST_ASSERT(noise.size() == count_);
  // Computes 1 - k' (K + noise)^-1 k by Cholesky decomposition: 1 - |L^-1 k|^2, one row of L at a
  // time.
  const std::size_t n = nearest.size();
  std::vector<float> by_dimension(dimensions_ * n), point(dimensions_), between(n);
  for (std::size_t d = 0; d < dimensions_; ++d) {
    for (std::size_t i = 0; i < n; ++i) {
      by_dimension[d * n + i] = by_dimension_[d * count_ + nearest[i]];
    }
  }
  std::vector<double> lower(n * n, 0.0), told(n);
  double left = 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      point[d] = by_dimension[d * n + i];
    }
    add_up_distances(by_dimension.data(), n, point, between.data());
    double diagonal = 1 + noise[nearest[i]], of_point = likeness[nearest[i]];
    for (std::size_t j = 0; j < i; ++j) {
      double sum = tilecast::likeness(between[j]);
      for (std::size_t l = 0; l < j; ++l) {
        sum -= lower[i * n + l] * lower[j * n + l];
      }
      lower[i * n + j] = sum / lower[j * n + j];
      diagonal -= lower[i * n + j] * lower[i * n + j];
      of_point -= lower[i * n + j] * told[j];
    }
    lower[i * n + i] = std::sqrt(std::max(diagonal, noise[nearest[i]]));
    told[i] = of_point / lower[i * n + i];
    left -= told[i] * told[i];
  }
  return std::clamp(left, 0.0, 1.0);
}

double expected(std::span<const float> likeness, std::span<const double> weights) {
  TILECAST_ASSERT(likeness.size() == weights.size());
  return std::inner_product(likeness.begin(), likeness.end(), weights.begin(), 0.0);
}

}  // namespace tilecast
