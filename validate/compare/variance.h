// What makes measurements of the same points differ: the card, the day, the process, or chance.
//
// Each file holds the rows of one process on one card on one day. For two files that share points,
// the differences of the logarithm have a mean, by which one process is faster than the other as a
// whole, and a scatter about it. Pairs are taken together by what they have in common (card and
// day; card; neither), and
//
//   variance of a process = half the mean square of the means of pairs of one card and one day
//   variance of a day     = the same of pairs of one card and two days, less the process's
//   variance of a card    = the same of pairs of two cards, less the process's and the day's
//
// What is below nothing is nothing; without a pair of a kind the next takes its part. The mean of a
// pair holds chance too, scatter^2 / points, which is taken off.
//
// The order that can be expected of a model is what halves of the measurements reach of each other:
// the files are parted into two halves in several ways, each point's median is taken in each half,
// and Kendall's tau of the times within a problem and regime is averaged.
//
// Leaves out: points that only one file has; a drift inside a process, which is in the scatter.
// Checked by: variance_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/record/measurement_csv.h"

namespace tilecast {

enum class Common { kCardAndDay, kCard, kNothing };
constexpr Common kEveryCommon[] = {Common::kCardAndDay, Common::kCard, Common::kNothing};

/// Of pairs of files with this in common; logarithms, so 0.01 is 1 %.
struct PairFigures {
  std::size_t pairs = 0;
  double offset = 0;            // root mean square of the pairs' means, chance taken off
  double scatter = 0;           // root mean square about those means, of one row against one row
  std::optional<double> order;  // mean tau within a problem
};

/// Standard deviations of one of these alone.
struct VarianceParts {
  double card = 0, day = 0, process = 0, chance = 0;
};

struct VarianceOf {
  std::vector<PairFigures> pairs;  // one for each of kEveryCommon
  VarianceParts parts;
};

struct Variance {
  std::size_t files = 0, cards = 0, days = 0, points = 0;  // points that two files share at least
  Regime regime = Regime::kBurst;
  VarianceOf time, cycles, clock;
  /// Tau of one half's medians against the other's.
  std::optional<double> halves_order;
  std::size_t halves = 0,
              problems = 0;  // ways to part the files; problems of three points at least
};

/// One for each regime that points are in. Throws ConfigError for a file with rows of two cards.
std::vector<Variance> variance_of(const std::vector<MeasurementFile>& files);

/// Of each point that two files have at least the right row of median time, of an even number the
/// faster of the two in the middle: rows as they were measured. In the order in which the points
/// first stand.
std::vector<Measurement> median_rows(const std::vector<MeasurementFile>& files);

}  // namespace tilecast
