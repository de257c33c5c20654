#include "validate/record/measurement_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/element_type_text.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/ops/problem_fields.h"
#include "model/ops/short_config_text.h"

namespace tilecast {
namespace {

constexpr double kPerMicro = 1e6;
constexpr double kMega = 1e6;

// Upper bounds that no GPU's row can exceed.
constexpr i64 kMostCycles = 1'000'000'000'000'000;
constexpr i64 kMostMegahertz = 10'000, kMostWatts = 10'000, kMostCelsius = 200;

/// Ten digits are more precise than any measurement, and few enough that unit conversions
/// round-trip.
std::string number_text(double value) { return fmt::format("{:.10g}", value); }

double positive(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  refuse_if(!value || *value <= 0, "expected a number above 0, got '{}'", text);
  return *value;
}

/// Upper bounds far beyond any GPU.
double positive(std::string_view text, double most) {
  const double value = positive(text);
  refuse_if(value > most, "expected at most {:g}, got '{}'", most, text);
  return value;
}

/// Whether the string has the form "2025-01-31T12:00:00Z".
bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  const auto fits = [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  };
  const auto in_range = [&](std::size_t at, i64 least, i64 most) {
    const i64 number = parse_integer(text.substr(at, 2)).value_or(-1);
    return number >= least && number <= most;
  };
  return std::ranges::equal(text, kForm, fits) && in_range(5, 1, 12) && in_range(8, 1, 31) &&
         in_range(11, 0, 23) && in_range(14, 0, 59) && in_range(17, 0, 60);
}

i64 whole(std::string_view text, i64 least) {
  const std::optional<i64> value = parse_integer(text);
  refuse_if(!value || *value < least, "expected an integer of at least {}, got '{}'", least, text);
  return *value;
}

template <std::string RunContext::*kMember>
constexpr MeasurementColumn context_column(std::string_view name) {
  return {name, true, [](const Measurement& m) { return m.context.*kMember; },
          [](Measurement& m, std::string_view text) { m.context.*kMember = text; }};
}

template <std::string Measurement::*kMember>
constexpr MeasurementColumn text_column(std::string_view name, bool required) {
  return {name, required, [](const Measurement& m) { return m.*kMember; },
          [](Measurement& m, std::string_view text) { m.*kMember = text; }};
}

template <std::size_t kSide>
constexpr MeasurementColumn side_column(std::string_view name) {
  return {
      name, true,
      [](const Measurement& m) {
        const i64 side = sides_of(m.point.problem)[kSide];
        return side == 0 ? std::string() : std::to_string(side);
      },
      [](Measurement& m, std::string_view text) {
        const i64 side = text.empty() ? 0 : whole(text, 1);
        if ((side != 0) != (kSide < static_cast<std::size_t>(sides_of(op_of(m.point.problem))))) {
          throw ConfigError(fmt::format(
              "{} for op {}", side == 0 ? "expected an integer of at least 1" : "must be empty",
              to_text(op_of(m.point.problem))));
        }
        std::array<i64, 3> sides = sides_of(m.point.problem);
        sides[kSide] = side;
        set_sides(m.point.problem, sides);
      }};
}

template <Seconds TimeDistribution::*kMember>
constexpr MeasurementColumn time_column(std::string_view name) {
  return {name, true,
          [](const Measurement& m) {
            return m.time ? number_text(((*m.time).*kMember).value * kPerMicro) : std::string();
          },
          [](Measurement& m, std::string_view text) {
            if (!text.empty()) {
              if (!m.time) {
                m.time.emplace();
              }
              (*m.time).*kMember = Seconds{positive(text) / kPerMicro};
            }
          }};
}

/// An optional quantity up to `kMost`, written as its value / `kUnit`.
template <auto kMember, auto kUnit, auto kMost>
constexpr MeasurementColumn quantity_column(std::string_view name, bool required) {
  return {name, required,
          [](const Measurement& m) {
            const auto& quantity = m.*kMember;
            return quantity ? number_text(quantity->value / static_cast<double>(kUnit))
                            : std::string();
          },
          [](Measurement& m, std::string_view text) {
            if (!text.empty()) {
              (m.*kMember).emplace();
              (m.*kMember)->value =
                  positive(text, static_cast<double>(kMost)) * static_cast<double>(kUnit);
            }
          }};
}

template <std::optional<i64> Measurement::*kMember>
constexpr MeasurementColumn count_column(std::string_view name) {
  return {name, false,
          [](const Measurement& m) {
            return m.*kMember ? std::to_string(*(m.*kMember)) : std::string();
          },
          [](Measurement& m, std::string_view text) {
            if (!text.empty()) {
              m.*kMember = whole(text, 0);
            }
          }};
}

template <auto kMember, auto kParse>
constexpr MeasurementColumn point_column(std::string_view name) {
  return {name, true, [](const Measurement& m) { return std::string(to_text(m.point.*kMember)); },
          [](Measurement& m, std::string_view text) { m.point.*kMember = kParse(text); }};
}

// The fields of the ops' problems, in the order of their columns. The list is complete
// (measurement_csv_test.cpp).
constexpr std::string_view kFields[] = {"layout",   "dtype_c", "batch",    "groups",     "lda",
                                        "ldb",      "ldc",     "epilogue", "accumulate", "heads",
                                        "kv_heads", "mask",    "lse"};

/// Only the layout is in every file. There it is a GEMM's, which has no default.
template <std::size_t kField>
constexpr MeasurementColumn field_column() {
  return {kFields[kField], kField == 0,
          [](const Measurement& m) { return field_text(m.point.problem, kFields[kField]); },
          [](Measurement& m, std::string_view text) {
            AnyProblem& problem = m.point.problem;
            if (text.empty() && (kField != 0 || field_text(problem, kFields[kField]).empty())) {
              return;
            }
            const std::array<i64, 3> given = sides_of(problem);
            refuse_if(!read_field(problem, kFields[kField], text), "must be empty for op {}",
                      to_text(op_of(problem)));
            for (std::size_t i = 0; i < given.size(); ++i) {
              constexpr std::string_view kSides[] = {"m", "n", "k"};
              if (const i64 side = sides_of(problem)[i]; side != given[i]) {
                throw ConfigError(fmt::format("expected {} rows in total, as in {}, got {}",
                                              given[i], kSides[i], side));
              }
            }
          }};
}

constexpr MeasurementColumn kColumns[] = {
    context_column<&RunContext::gpu>("gpu"),
    context_column<&RunContext::gpu_uuid>("gpu_uuid"),
    {"date", true, [](const Measurement& m) { return m.context.date; },
     [](Measurement& m, std::string_view text) {
       refuse_if(!text.empty() && !is_date(text),
                 "expected a date as 2025-01-31T12:00:00Z, got '{}'", text);
       m.context.date = text;
     }},
    context_column<&RunContext::driver>("driver"),
    context_column<&RunContext::toolkit>("toolkit"),
    context_column<&RunContext::git>("git"),
    {"op", true, [](const Measurement& m) { return std::string(to_text(op_of(m.point.problem))); },
     [](Measurement& m, std::string_view text) {
       m.point.problem = blank_problem(parse_op(text));
     }},
    side_column<0>("m"),
    side_column<1>("n"),
    side_column<2>("k"),
    {"dtype", true,
     [](const Measurement& m) { return std::string(to_text(dtype_of(m.point.problem))); },
     [](Measurement& m, std::string_view text) {
       set_dtype(m.point.problem, parse_element_type(text));
     }},
    field_column<0>(),  // layout
    {"config", true, [](const Measurement& m) { return m.point.config; },
     [](Measurement& m, std::string_view text) {
       if (schedule_abbreviated(text.substr(0, text.find_first_of(": ")))) {
         m.point.config = to_text(parse_config(text));  // possibly written by hand
         return;
       }
       refuse_if(text.find(':') == std::string_view::npos,
                 "expected schedule:key=value,..., {}, {}, {} or {}, got '{}'", kCublasltTop1,
                 kCublasltBest, kRuntimeCopy, kCudnnAttention, text);
       m.point.config = text;
     }},
    point_column<&Point::regime, parse_regime>("regime"),
    point_column<&Point::inputs, parse_inputs>("inputs"),
    point_column<&Point::l2_state, parse_l2_state>("l2_state"),
    {"verified", true, [](const Measurement& m) { return std::string(m.verified ? "1" : "0"); },
     [](Measurement& m, std::string_view text) {
       refuse_if(text != "0" && text != "1", "expected 0 or 1, got '{}'", text);
       m.verified = text == "1";
     }},
    time_column<&TimeDistribution::median>("time_us_median"),
    time_column<&TimeDistribution::q1>("time_us_q1"),
    time_column<&TimeDistribution::q3>("time_us_q3"),
    {"samples", true,
     [](const Measurement& m) { return m.time ? std::to_string(m.time->samples) : std::string(); },
     [](Measurement& m, std::string_view text) {
       if (!text.empty()) {
         if (!m.time) {
           m.time.emplace();
         }
         m.time->samples = whole(text, 1);
       }
     }},
    quantity_column<&Measurement::cycles, 1, kMostCycles>("cycles", true),
    quantity_column<&Measurement::sm_clock, static_cast<i64>(kMega), kMostMegahertz>("sm_clock_mhz",
                                                                                     true),
    quantity_column<&Measurement::power, 1, kMostWatts>("power_w", true),
    {"status", true, [](const Measurement& m) { return std::string(to_text(m.status)); },
     [](Measurement& m, std::string_view text) { m.status = parse_status(text); }},
    text_column<&Measurement::reason>("reason", true),
    count_column<&Measurement::registers>("registers"),
    {"shared_memory_bytes", false,
     [](const Measurement& m) {
       return m.shared_memory ? number_text(m.shared_memory->value) : std::string();
     },
     [](Measurement& m, std::string_view text) {
       if (!text.empty()) {
         m.shared_memory = Bytes{static_cast<double>(whole(text, 0))};
       }
     }},
    count_column<&Measurement::ctas_per_sm>("ctas_per_sm"),
    {"revision", false, [](const Measurement& m) { return std::to_string(m.revision); },
     [](Measurement& m, std::string_view text) {
       if (!text.empty()) {
         m.revision = whole(text, 1);
       }
     }},
    text_column<&Measurement::tile_checksum>("tile_checksum", false),
    count_column<&Measurement::ctas>("ctas"),
    quantity_column<&Measurement::temperature, 1, kMostCelsius>("temperature_c", false),
    text_column<&Measurement::clock_event_reasons>("clock_event_reasons", false),
    count_column<&Measurement::blocks>("blocks"),
    count_column<&Measurement::blocks_discarded>("blocks_discarded"),
    count_column<&Measurement::round>("round"),
    count_column<&Measurement::order_seed>("order_seed"),
    text_column<&Measurement::drawn>("drawn", false),
    {"max_error", false,
     [](const Measurement& m) { return m.max_error ? number_text(*m.max_error) : std::string(); },
     [](Measurement& m, std::string_view text) {
       if (!text.empty()) {
         const std::optional<double> value = parse_number(text);
         refuse_if(!value || *value < 0, "expected a number of at least 0, got '{}'", text);
         m.max_error = value;
       }
     }},
    {"counters_state", false,
     [](const Measurement& m) {
       return m.counters_state ? std::string(to_text(*m.counters_state)) : std::string();
     },
     [](Measurement& m, std::string_view text) {
       if (!text.empty()) {
         m.counters_state = parse_counters_state(text);
       }
     }},
    field_column<9>(),
    field_column<10>(),
    field_column<11>(),
    field_column<12>(),
    field_column<1>(),
    field_column<2>(),
    field_column<3>(),
    field_column<4>(),
    field_column<5>(),
    field_column<6>(),
    field_column<7>(),
    field_column<8>(),
};

}  // namespace

std::span<const MeasurementColumn> measurement_column_table() { return kColumns; }

void check_problem(const Point& point) {
  refuse_if(normal_problem(point.problem) != point.problem,
            "lda, ldb, ldc: must be empty if rows are contiguous");
}

void check_row(const Measurement& m) {
  check_problem(m.point);
  if (m.time) {
    const TimeDistribution& time = *m.time;
    refuse_if(time.samples == 0, "samples: must be given, since the row has times");
    if (!(Seconds{0} < time.q1 && time.q1 <= time.median && time.median <= time.q3)) {
      throw ConfigError("time_us_median: expected all three times with q1 <= median <= q3");
    }
  }
  if (m.time && m.cycles && m.sm_clock) {
    constexpr double kRounding = 1e-3;
    const double ratio = *m.cycles / cycles_of(m.time->median, *m.sm_clock);
    if (!(ratio > 1 - kRounding && ratio < 1 + kRounding)) {
      throw ConfigError(
          fmt::format("cycles: expected {:.10g}, which is time_us_median x sm_clock_mhz",
                      cycles_of(m.time->median, *m.sm_clock).value));
    }
  }
  refuse_if(m.status == Status::kOk && !m.time, "time_us_median: expected a time if status is ok");
  refuse_if(m.status != Status::kOk && m.reason.empty(),
            "reason: expected a reason if status is {}", to_text(m.status));
}

}  // namespace tilecast
