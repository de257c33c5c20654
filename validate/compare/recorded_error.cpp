#include "validate/compare/recorded_error.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/base/error.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

enum class Better { kLower, kHigher };

constexpr double kCoverage = 0.9;

class RecordCheck {
 public:
  RecordCheck(const Json& now, const Json& record, std::string_view name)
      : now_(now), record_(record), name_(name) {}

  /// `path` is a JSON pointer.
  void figure(const std::string& path, Better better, double tolerance) {
    const auto [before, after] = values(path);
    if (after && (better == Better::kLower ? *after - before : before - *after) > tolerance) {
      say_worse(path, before, *after);
    }
  }

  /// One figure per key of the recorded object at `path`.
  void figures(const std::string& path, Better better) {
    const Json::json_pointer pointer(path);
    if (!record_.contains(pointer) || !record_[pointer].is_object()) {
      fail(path, "expected an object");
    }
    for (const auto& [key, value] : record_[pointer].items()) {
      figure(path + "/" + key, better, kRecordTolerance);
    }
  }

  /// Like figure and figures, but skipped if the record lacks it.
  void newer_figure(const std::string& path, Better better) {
    if (record_.contains(Json::json_pointer(path))) {
      figure(path, better, kRecordTolerance);
    }
  }
  void newer_figures(const std::string& path, Better better) {
    if (record_.contains(Json::json_pointer(path))) {
      figures(path, better);
    }
  }

  /// The distance from `target` may exceed the recorded one by the tolerance at most.
  void newer_distance(const std::string& path, double target, double tolerance) {
    if (!record_.contains(Json::json_pointer(path))) {
      return;
    }
    const auto [before, after] = values(path);
    if (after && std::abs(*after - target) - std::abs(before - target) > tolerance) {
      say_worse(path, before, *after);
    }
  }

  void same(const std::string& path) {
    const Json::json_pointer pointer(path);
    if (!now_.contains(pointer)) {  // `now` is the record itself when its form is checked
      fail(path, "expected a value");
    }
    if (!record_.contains(pointer) || record_[pointer] != now_[pointer]) {
      fail(path, "expected " + now_[pointer].dump());
    }
  }

  std::vector<std::string> worse() const { return worse_; }

 private:
  struct BeforeAfter {
    double before;
    std::optional<double> after;  // none, and reported, if the figure is gone
  };

  BeforeAfter values(const std::string& path) {
    const Json::json_pointer pointer(path);
    if (!record_.contains(pointer)) {
      fail(path, "expected a number");
    }
    if (!record_[pointer].is_number()) {
      fail(path, "expected a number, got " + record_[pointer].dump());
    }
    const double before = record_[pointer].get<double>();
    if (!now_.contains(pointer)) {
      worse_.push_back(fmt::format("{} is recorded but not there any more", path.substr(1)));
      return {before, {}};
    }
    return {before, now_[pointer].get<double>()};
  }

  void say_worse(const std::string& path, double before, double after) {
    worse_.push_back(fmt::format("{} was {:.6g} and is {:.6g}", path.substr(1), before, after));
  }

  [[noreturn]] void fail(const std::string& path, const std::string& what) const {
    throw ConfigError(fmt::format("{}: {}: {}", name_, path.substr(1), what));
  }

  const Json& now_;
  const Json& record_;
  std::string_view name_;
  std::vector<std::string> worse_;
};

void add_by_regime(Json& json, const Validation& v) {
  for (const auto& [regime, figures] : v.time) {
    json["time_mape"][std::string(to_text(regime))] = figures.mape;
  }
  for (const auto& [regime, picks] : v.pick) {
    json["top1_geomean"][std::string(to_text(regime))] = picks.at(1).geomean;
    if (const auto top3 = picks.find(3); top3 != picks.end()) {
      json["top3_geomean"][std::string(to_text(regime))] = top3->second.geomean;
    }
  }
  for (const auto& [regime, rank] : v.rank) {
    json["kendall"][std::string(to_text(regime))] = rank.kendall;
    if (rank.kendall_near_best) {
      json["kendall_near_best"][std::string(to_text(regime))] = *rank.kendall_near_best;
    }
  }
}

Json parse_record(std::string_view record, std::string_view name) {
  Json recorded = Json::parse(record, nullptr, false);
  if (!recorded.is_object()) {
    throw ConfigError(fmt::format("{}: expected a JSON object as --record writes it", name));
  }
  // Defaults of keys that older records lack.
  recorded.emplace(std::string("corrected"), Json(false));
  recorded.emplace(std::string("split"), Json("all"));
  return recorded;
}

}  // namespace

Json record_of(const Validation& v) {
  Json json{{"schema", 1},
            {"gpu", v.gpu},
            {"calibrated", v.calibrated},
            {"corrected", v.corrected},
            {"method", to_text(v.method)},
            {"split", v.split},
            {"points", v.points},
            {"unmatched", v.unmatched},
            {"time_mape", Json::object()},
            {"top1_geomean", Json::object()}};
  if (v.cycles) {
    json["cycles_mape"] = v.cycles->mape;
    json["cycles_median"] = v.cycles->median;
    json["cycles_p90"] = v.cycles->p90;
  }
  if (v.cycles_near_best) {
    json["cycles_near_best_mape"] = v.cycles_near_best->mape;
  }
  if (v.clock) {
    json["clock_mape"] = v.clock->error.mape;
  }
  if (v.clock && v.clock->pairs_ordered) {
    json["clock_pairs_ordered"] = *v.clock->pairs_ordered;
  }
  if (v.interval) {
    json["coverage_90"] = v.interval->coverage_90;
    json["median_width"] = v.interval->median_width;
  }
  add_by_regime(json, v);
  return json;
}

Method recorded_method(std::string_view record, std::string_view name) {
  const Json recorded = parse_record(record, name);
  const auto method = recorded.find("method");
  if (method == recorded.end() || !method->is_string()) {
    throw ConfigError(fmt::format("{}: method: expected analytic or simulated", name));
  }
  try {
    return parse_method(method->get<std::string>());
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", name, error.what()));
  }
}

namespace {

/// The figures that are worse in `now` than in `recorded`.
std::vector<std::string> compare(const Json& now, const Json& recorded, std::string_view name) {
  RecordCheck check(now, recorded, name);
  check.same("/schema");
  check.same("/gpu");
  check.same("/calibrated");
  check.same("/corrected");
  check.same("/method");
  check.same("/split");
  check.figure("/points", Better::kHigher, 0);
  check.figure("/unmatched", Better::kLower, 0);
  if (now.contains("cycles_mape") || recorded.contains("cycles_mape")) {
    check.figure("/cycles_mape", Better::kLower, kRecordTolerance);
  }
  check.figures("/time_mape", Better::kLower);
  check.figures("/top1_geomean", Better::kHigher);
  check.newer_figures("/top3_geomean", Better::kHigher);
  check.newer_figures("/kendall", Better::kHigher);
  check.newer_figures("/kendall_near_best", Better::kHigher);
  for (const char* error : {"/cycles_median", "/cycles_p90", "/cycles_near_best_mape",
                            "/clock_mape", "/median_width"}) {
    check.newer_figure(error, Better::kLower);
  }
  check.newer_figure("/clock_pairs_ordered", Better::kHigher);
  check.newer_distance("/coverage_90", kCoverage, kCoverageTolerance);
  return check.worse();
}

}  // namespace

void check_well_formed(std::string_view record, std::string_view name) {
  (void)recorded_method(record, name);
  const Json recorded = parse_record(record, name);
  (void)compare(recorded, recorded, name);
}

std::vector<std::string> worse_than_recorded(const Validation& validation, std::string_view record,
                                             std::string_view name) {
  return compare(record_of(validation), parse_record(record, name), name);
}

}  // namespace tilecast
