// Formatting of figures in tables and JSON.
#pragma once

#include <cmath>
#include <optional>

namespace tilecast {

constexpr double kToMicro = 1e6, kMega = 1e6, kToPercent = 100;
constexpr double kPerTera = 1e-12;

inline double rounded_figure(double value) {
  constexpr double kSixDecimals = 1e6;
  return std::round(value * kSixDecimals) / kSixDecimals;
}

/// Adds a figure to JSON, if there is one.
template <class Json>
void add_figure(Json& json, const char* key, const std::optional<double>& figure) {
  if (figure) {
    json[key] = rounded_figure(*figure);
  }
}

}  // namespace tilecast
