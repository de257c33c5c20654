#include "validate/record/regime_trials.h"

#include <fmt/format.h>

#include <iterator>

#include "model/base/error.h"
#include "model/base/text.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

constexpr double kMilli = 1e3, kMicro = 1e6, kHertzPerMegahertz = 1e6;
constexpr const char* kTrialColumns[] = {
    "part",    "rest_ms", "history", "settled",    "before",       "before_order", "before_power_w",
    "from_ms", "to_ms",   "subject", "repetition", "sm_clock_mhz", "cycles",       "time_us"};

std::string number(double value) { return fmt::format("{:.10g}", value); }

/// The fields of a line by column, with messages that name both.
class Line {
 public:
  Line(const CsvRecord& record, std::string_view name) : record_(record), name_(name) {
    if (record.fields.size() != std::size(kTrialColumns)) {
      throw ConfigError(fmt::format("{}:{}: expected {} fields, got {}", name, record.line,
                                    std::size(kTrialColumns), record.fields.size()));
    }
  }

  const std::string& text(const char* column) const {
    for (std::size_t i = 0; i < std::size(kTrialColumns); ++i) {
      if (std::string_view(kTrialColumns[i]) == column) {
        return record_.fields[i];
      }
    }
    TILECAST_ASSERT(!"no such column");
    return record_.fields.front();
  }

  double number(const char* column) const {
    const std::optional<double> value = parse_number(text(column));
    if (!value) {
      throw ConfigError(
          fmt::format("{}: {}: expected a number, got '{}'", place(), column, text(column)));
    }
    return *value;
  }

  double positive(const char* column) const {
    const double value = number(column);
    if (!(value > 0)) {
      throw ConfigError(fmt::format("{}: {}: expected a number above 0, got '{}'", place(), column,
                                    text(column)));
    }
    return value;
  }

  std::string place() const { return fmt::format("{}:{}", name_, record_.line); }

  std::optional<Watts> optional_watts(const char* column) const {
    return text(column).empty() ? std::nullopt : std::optional(Watts{number(column)});
  }

 private:
  const CsvRecord& record_;
  std::string_view name_;
};

/// Of the rests' column `history`.
History history_of(const Line& line) {
  for (const History history : {History::kLoad, History::kBursts}) {
    if (line.text("history") == name_of(history)) {
      return history;
    }
  }
  throw ConfigError(fmt::format("{}: history: expected load or bursts, got '{}'", line.place(),
                                line.text("history")));
}

}  // namespace

std::string_view name_of(History history) { return history == History::kLoad ? "load" : "bursts"; }

std::string regime_trials_header() { return fmt::format("{}\n", fmt::join(kTrialColumns, ",")); }

std::string to_csv(const RestTrial& t) {
  return csv_line({"rest", number(t.rest.value * kMilli), std::string(name_of(t.history)),
                   t.settled ? "1" : "0", t.before, std::to_string(t.before_order),
                   t.before_power ? number(t.before_power->value) : "", "", "", t.subject, "",
                   number(t.clock.value / kHertzPerMegahertz), number(t.cycles.value),
                   number(t.time.value * kMicro)});
}

std::string to_csv(const WindowSlice& s) {
  return csv_line({"window", "", "", "", "", "", "", number(s.from.value * kMilli),
                   number(s.to.value * kMilli), s.subject, std::to_string(s.repetition),
                   number(s.clock.value / kHertzPerMegahertz), number(s.cycles.value), ""});
}

RegimeTrials parse_regime_trials(std::string_view text, std::string_view name) {
  const CsvText csv = parse_csv(text, name);
  if (csv.truncated || csv.records.empty() ||
      csv_line(csv.records[0].fields) != regime_trials_header()) {
    throw ConfigError(
        fmt::format("{}:1: expected the rows of regime-experiment, whole and with "
                    "its header",
                    name));
  }
  RegimeTrials trials;
  for (std::size_t i = 1; i < csv.records.size(); ++i) {
    const Line line(csv.records[i], name);
    const Hertz clock{line.positive("sm_clock_mhz") * kHertzPerMegahertz};
    const Cycles cycles{line.positive("cycles")};
    if (line.text("part") == "rest") {
      trials.rests.push_back({.rest = Seconds{line.number("rest_ms") / kMilli},
                              .history = history_of(line),
                              .settled = line.number("settled") != 0,
                              .before = line.text("before"),
                              .before_order = static_cast<i64>(line.number("before_order")),
                              .before_power = line.optional_watts("before_power_w"),
                              .subject = line.text("subject"),
                              .clock = clock,
                              .cycles = cycles,
                              .time = Seconds{line.positive("time_us") / kMicro}});
    } else if (line.text("part") == "window") {
      trials.windows.push_back({.from = Seconds{line.number("from_ms") / kMilli},
                                .to = Seconds{line.number("to_ms") / kMilli},
                                .subject = line.text("subject"),
                                .repetition = static_cast<i64>(line.number("repetition")),
                                .clock = clock,
                                .cycles = cycles});
    } else {
      throw ConfigError(fmt::format("{}:{}: part: expected rest or window, got '{}'", name,
                                    csv.records[i].line, line.text("part")));
    }
  }
  return trials;
}

}  // namespace tilecast
