#include "model/learn/learned.h"

#include <algorithm>
#include <cmath>

#include "model/rank/retime.h"
#include "model/rank/settled_clock.h"

namespace tilecast {
namespace {

// Neighbours used for the variance and listed by explain. With more, both would hardly change
// (learned_test.cpp).
constexpr std::size_t kNeighbours = 24;
// Fraction of the prior variance above which a prediction counts as extrapolated. Neighbours leave
// less for all but one in a thousand rows of held-out problems (docs/dev/notebook/2026-11.md,
// Calibration).
constexpr double kExtrapolated = 0.5;
constexpr double kHardlyLike = 0.1;
constexpr double kSimilar = 0.7;      // for a given row, tens to hundreds of 2,500 rows reach it
constexpr double kNineOfTen = 1.645;  // standard deviations to either side in a 90 % interval
// Half a unit of the last decimal place in which features are written.
constexpr double kRounding = 0.005;

/// Index of the feature that contains a loop's length: K of a GEMM, keys of attention.
std::size_t depth_of(const LearnedModel& model) {
  return std::min(feature_index(model.features, "k"), feature_index(model.features, "keys"));
}

/// Range of the loop's length in the rows. The rows say nothing about a K outside it, however
/// similar they are otherwise: with less than one K block, most of each load is out of bounds.
std::pair<double, double> range_of_depth(const LearnedModel& model) {
  const std::size_t depth = depth_of(model);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const LearnedRow& row : model.rows) {
    least = std::min(least, row.features[depth]);
    most = std::max(most, row.features[depth]);
  }
  return {least - kRounding, most + kRounding};
}

/// Standard deviation of log time between GPUs of one model.
double spread_of_cards(const GpuSpec& gpu, Regime regime) {
  const CardSpread spread = gpu.card_spread.value_or(CardSpread{});
  return regime == Regime::kBurst ? spread.burst : spread.sustained;
}

const LearnedMethod& method_of(const LearnedModel& model, Method method) {
  return method == Method::kSimulated ? model.simulated : model.analytic;
}

/// Inverse length scales. Features from the simulation have 0 if the method is analytic.
Features scale_of(const LearnedModel& model, Method method) {
  Features scale{};
  for (std::size_t f = 0; f < model.features.size(); ++f) {
    const bool seen = method == Method::kSimulated || !model.features[f].starts_with("simulated");
    scale[f] = seen ? 1 / model.length[f] : 0;
  }
  return scale;
}

void scaled(const Features& features, const Features& scale, float* out) {
  for (std::size_t f = 0; f < features.size(); ++f) {
    out[f] = static_cast<float>(features[f] * scale[f]);
  }
}

MeasuredPoints points_of(const LearnedModel& model, const Features& scale) {
  std::vector<float> rows(model.rows.size() * scale.size());
  for (std::size_t i = 0; i < model.rows.size(); ++i) {
    scaled(model.rows[i].features, scale, &rows[i * scale.size()]);
  }
  return {scale.size(), rows};
}

double squared(double value) { return value * value; }

std::vector<double> noise_of(const LearnedModel& model) {
  std::vector<double> noise(model.rows.size(), squared(model.noise));
  for (std::size_t i = noise.size() - model.prior.rows; i < noise.size(); ++i) {
    noise[i] *= model.prior.noise;
  }
  return noise;
}

}  // namespace

struct LearnedPart::Seen {
  std::vector<float> likeness;          // similarity to each row
  std::vector<std::size_t> neighbours;  // indices of the most similar rows
  double left;                          // fraction of the prior variance that remains
};

LearnedPart::LearnedPart(const LearnedModel& model, Method method)
    : model_(model),
      method_(method_of(model, method)),
      scale_(scale_of(model, method)),
      points_(points_of(model, scale_)),
      noise_(noise_of(model)),
      depth_(depth_of(model)),
      range_of_depth_(range_of_depth(model)) {}

LearnedPart::Seen LearnedPart::see(const KernelFeatures& kernel) const {
  std::array<float, std::tuple_size_v<Features>> point;
  scaled(kernel.values, scale_, point.data());
  Seen seen{.likeness = points_.likeness_to(point), .neighbours = {}, .left = 1};
  seen.neighbours = MeasuredPoints::nearest(seen.likeness, kNeighbours);
  const double depth = kernel.values[depth_];
  if (!kernel.never_learned && depth >= range_of_depth_.first && depth <= range_of_depth_.second) {
    seen.left = points_.variance_left(seen.likeness, seen.neighbours, noise_);
  }
  return seen;
}

double LearnedPart::deviation(const Seen& seen) const {
  return std::hypot(method_.cycles.spread, method_.clock.spread) * std::sqrt(seen.left);
}

double LearnedPart::deviation(const KernelFeatures& kernel) const { return deviation(see(kernel)); }

Learned LearnedPart::of(const KernelFeatures& kernel) const {
  const Seen seen = see(kernel);
  const auto expect = [&](const LearnedOutput& output, double most) {
    return std::clamp(output.spread * expected(seen.likeness, output.weight), -most, most);
  };
  Learned learned{.cycles = expect(method_.cycles, kMostOfCycles),
                  .clock = expect(method_.clock, kMostOfClock),
                  .interval = {},
                  .extrapolated = seen.left > kExtrapolated};
  if (const double reach = method_.reach.of(kernel.limiter) * deviation(seen); reach > 0) {
    learned.interval = {-reach, reach};
  }
  return learned;
}

std::vector<Learned> LearnedPart::of(std::span<const KernelFeatures> kernels) const {
  std::vector<Learned> learned;
  learned.reserve(kernels.size());
  for (const KernelFeatures& kernel : kernels) {
    learned.push_back(of(kernel));
  }
  return learned;
}

LearnedReasons LearnedPart::reasons(const KernelFeatures& kernel, std::size_t most) const {
  const Seen seen = see(kernel);
  const auto is_similar = [](float likeness) { return likeness >= kSimilar; };
  LearnedReasons reasons{
      .nearest = {},
      .similar = static_cast<std::size_t>(std::ranges::count_if(seen.likeness, is_similar)),
      .rows = seen.likeness.size()};
  for (const std::size_t i : seen.neighbours) {
    if (reasons.nearest.size() < most && seen.likeness[i] >= kHardlyLike) {
      reasons.nearest.push_back({&model_.rows[i],
                                 of_prior(model_, i) ? std::string_view(model_.prior.gpu) : "",
                                 seen.likeness[i], method_.cycles.off[i], method_.clock.off[i]});
    }
  }
  return reasons;
}

std::optional<LearnedPart> learned_part(const GpuSpec& gpu, Method method) {
  if (gpu.learned == nullptr || gpu.architecture != Architecture::kHopper) {
    return std::nullopt;
  }
  return LearnedPart(*gpu.learned, method);
}

std::optional<LearnedPart> learned_attention(const GpuSpec& gpu) {
  return gpu.attention_learned == nullptr
             ? std::nullopt
             : std::optional<LearnedPart>(std::in_place, *gpu.attention_learned, Method::kAnalytic);
}

LearnedParts learned_parts(const GpuSpec& gpu, Method method) {
  return {learned_part(gpu, Method::kAnalytic),
          method == Method::kSimulated ? learned_part(gpu, Method::kSimulated) : std::nullopt};
}

void apply_learned(const GpuSpec& gpu, const Learned& learned, Regime regime, Inputs inputs,
                   const KernelActivity& kernel,
                   const std::function<UncorrectedCycles(Hertz)>& kernel_at, Prediction& p) {
  const double factor = std::exp(learned.cycles);
  const Hertz start = p.sm_clock;
  const auto learned_cycles = [&](Hertz f) {
    const auto [cycles, least] = kernel_at(f);
    return std::max(
        {cycles * factor, std::min(cycles, least), cycles_of(p.bounds.least_time(f), f)});
  };
  const auto settled = [&](Inputs data) {
    return settled_cycles(gpu, kernel, start, regime, data, learned_cycles).clock;
  };
  const double clock_factor = std::exp(learned.clock);
  ClockState clock = settled(Inputs::kNormal);
  clock.sm_clock = std::min(clock.sm_clock * clock_factor, gpu.clock->max);
  if (inputs != Inputs::kNormal) {  // other inputs never get a lower clock than normal data
    ClockState own = settled(inputs);
    own.sm_clock = std::max(own.sm_clock, clock.sm_clock);
    clock = own;
  }
  const Cycles cycles = learned_cycles(clock.sm_clock);
  allow_busy(time_of(cycles, clock.sm_clock) / p.time, p);
  retime(cycles, clock, p);
  set_default_interval(gpu, p);
  if (learned.interval && inputs == Inputs::kNormal) {
    const double cards = kNineOfTen * spread_of_cards(gpu, regime);
    set_interval(std::exp(-std::hypot(learned.interval->low, cards)),
                 std::exp(std::hypot(learned.interval->high, cards)), p);
  }
  p.cycles_correction = cycles / kernel_at(clock.sm_clock).cycles;
  p.clock_correction = inputs == Inputs::kNormal ? clock_factor : 1;
  p.extrapolated = learned.extrapolated;
}

}  // namespace tilecast
