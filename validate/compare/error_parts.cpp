#include "validate/compare/error_parts.h"

#include <cmath>
#include <functional>

#include "model/base/words.h"

namespace tilecast {
namespace {

template <class Key>
std::map<Key, PartFigures> error_by(const JoinedData& data,
                                    const std::function<Key(const JoinedPoint&)>& key_of_point) {
  struct Errors {
    Values time, cycles, inside;
  };
  std::map<Key, Errors> parts;
  for (const JoinedGroup& group : data.groups) {
    for (const JoinedPoint& point : group.points) {
      Errors& own = parts[key_of_point(point)];
      own.time.push_back(time_error(point));
      own.inside.push_back(inside_interval(point) ? 1 : 0);
      if (const std::optional<double> error = cycles_error(point)) {
        own.cycles.push_back(*error);
      }
    }
  }
  std::map<Key, PartFigures> figures;
  for (const auto& [key, own] : parts) {
    const std::optional<ErrorFigures> time = error_figures(own.time);
    const std::optional<ErrorFigures> cycles = error_figures(own.cycles);
    PartFigures& part = figures[key];
    part = {time->points, time->mape, time->median, {}, {}, mean(own.inside)};
    if (cycles) {
      part.cycles_mape = cycles->mape;
      part.cycles_median = cycles->median;
    }
  }
  return figures;
}

void add_error(Values& errors, const std::optional<Bytes>& counted, Bytes predicted) {
  if (counted && counted->value > 0) {
    errors.push_back(predicted / *counted - 1);
  }
}

}  // namespace

std::string_view to_text(TimeSize size) {
  static constexpr Words<TimeSize, 4> kSizes{{{TimeSize::kUnder20Us, "under_20_us"},
                                              {TimeSize::kFrom20Us, "20_to_100_us"},
                                              {TimeSize::kFrom100Us, "100_us_to_1_ms"},
                                              {TimeSize::kFrom1Ms, "from_1_ms"}}};
  return word_of(kSizes, size);
}

TimeSize size_of(Seconds measured_time) {
  return measured_time < Seconds{20e-6}    ? TimeSize::kUnder20Us
         : measured_time < Seconds{100e-6} ? TimeSize::kFrom20Us
         : measured_time < Seconds{1e-3}   ? TimeSize::kFrom100Us
                                           : TimeSize::kFrom1Ms;
}

std::map<AnySchedule, PartFigures> error_by_schedule(const JoinedData& data) {
  return error_by<AnySchedule>(
      data, [](const JoinedPoint& point) { return schedule_of(point.predicted.config); });
}

std::map<Limiter, PartFigures> error_by_limiter(const JoinedData& data) {
  return error_by<Limiter>(data, [](const JoinedPoint& point) { return point.predicted.limiter; });
}

std::map<TimeSize, PartFigures> error_by_size(const JoinedData& data) {
  return error_by<TimeSize>(
      data, [](const JoinedPoint& point) { return size_of(point.measured_time()); });
}
ByteFigures byte_figures(const ChipCounters& chip, const JoinedData& data) {
  Values l2_to_sm, dram_read, hit, hit_sizes;
  for (const JoinedGroup& group : data.groups) {
    for (const auto& [measured, predicted] : group.points) {
      const std::optional<Bytes> delivered = chip.l2_to_sm_bytes(measured.counters);
      add_error(l2_to_sm, delivered, predicted.l2_to_sm);
      add_error(dram_read, chip.dram_read_bytes(measured.counters), predicted.dram_read);
      const std::optional<double> counted_hit = chip.l2_hit_rate(measured.counters);
      if (counted_hit && delivered->value > 0) {
        hit.push_back(predicted.l2_hit_rate - *counted_hit);
        hit_sizes.push_back(std::abs(hit.back()));
      }
    }
  }
  ByteFigures figures{error_figures(l2_to_sm), error_figures(dram_read), {}};
  if (!hit.empty()) {
    figures.l2_hit = HitRateFigures{hit.size(), mean(hit_sizes), mean(hit)};
  }
  return figures;
}

}  // namespace tilecast
