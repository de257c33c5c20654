#include "model/predict/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/error.h"

namespace tilecast {

float likeness(float squared_distance) {
  const float r = std::sqrt(5.0f * std::max(squared_distance, 0.0f));
  return (1.0f + r + r * r / 3.0f) * std::exp(-r);
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
  std::vector<float> values(count_, 0.0f);
  const float* coordinate = by_dimension_.data();
  for (const float own : point) {
    for (std::size_t row = 0; row < count_; ++row) {
      const float apart = coordinate[row] - own;
      values[row] += apart * apart;
    }
    coordinate += count_;
  }
  for (float& value : values) {
    value = likeness(value);
  }
  return values;
}

std::vector<std::size_t> MeasuredPoints::nearest(std::span<const float> likeness,
                                                 std::size_t most) {
  std::vector<std::size_t> rows(likeness.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(most, rows.size()));
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::size_t a, std::size_t b) {
    return likeness[a] != likeness[b] ? likeness[a] > likeness[b] : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

double MeasuredPoints::variance_left(std::span<const float> likeness,
                                     std::span<const std::size_t> nearest, double noise) const {
  // 1 - k' (K + noise)^-1 k, by Cholesky's L: 1 - |L^-1 k|^2, a row of L at a time.
  const std::size_t n = nearest.size();
  std::vector<float> rows;
  for (const std::size_t row : nearest) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      rows.push_back(by_dimension_[d * count_ + row]);
    }
  }
  const MeasuredPoints near(dimensions_, rows);
  std::vector<double> lower(n * n, 0.0), told(n);
  double left = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<float> between =
        near.likeness_to(std::span(rows).subspan(i * dimensions_, dimensions_));
    double diagonal = 1 + noise, of_point = likeness[nearest[i]];
    for (std::size_t j = 0; j < i; ++j) {
      double sum = between[j];
      for (std::size_t l = 0; l < j; ++l) {
        sum -= lower[i * n + l] * lower[j * n + l];
      }
      lower[i * n + j] = sum / lower[j * n + j];
      diagonal -= lower[i * n + j] * lower[i * n + j];
      of_point -= lower[i * n + j] * told[j];
    }
    lower[i * n + i] = std::sqrt(std::max(diagonal, noise));
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
