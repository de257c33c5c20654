// Draws random routings of a mixture of experts: rows per expert. Each token chooses `top_k`
// different experts, one after another by their shares among those left. By Zipf's law the r-th
// most popular expert has a share of r^-zipf; each random routing permutes the experts anew. Not
// modelled: capacity limits, and correlation between the tokens of a batch.
//
// Equal numbers give equal routings on every platform. Checked by: routing_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

struct Routing {
  i64 experts, tokens, top_k = 1;
  double zipf = 0;  // exponent of Zipf's law; uniform if 0
  u64 seed = 1;

  i64 rows() const { return tokens * top_k; }
};

constexpr i64 kMostRoutedRows = i64{1} << 22;  // about a second for eight routings

/// Parses "uniform" or "zipf:1.1" to the exponent, 0 for uniform. Throws ConfigError.
double parse_zipf(std::string_view text);
/// Formats "64 experts, 4096 tokens, top 2, zipf:1.1".
std::string to_text(const Routing& routing);

/// Returns the rows per expert of each random routing. Routing i does not depend on `draws`. Throws
/// ConfigError if there are fewer experts than top_k or more rows than kMostRoutedRows.
std::vector<std::vector<i64>> drawn_rows(const Routing& routing, i64 draws);

}  // namespace tilecast
