#include "validate/compare/recorded_error.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/base/refuse.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

enum class Better {
  kSame,  // must be equal; otherwise it is another validation
  kLower,
  kHigher,
  kNear,  // must be near the coverage that intervals promise
};

constexpr double kCoverage = 0.9;

/// A recorded figure and its tolerance.
struct Recorded {
  const char* path;  // JSON pointer
  Better better = Better::kSame;
  bool required = true;  // if false, older records may lack it
  bool by_key = false;   // the value is an object with one figure per key
  double tolerance = kRecordTolerance;
};
constexpr Recorded kRecorded[] = {
    {"/schema"},
    {"/gpu"},
    {"/calibrated"},
    {"/corrected"},
    {"/method"},
    {"/split"},
    {"/points", Better::kHigher, true, false, 0},
    {"/unmatched", Better::kLower, true, false, 0},
    {"/cycles_mape", Better::kLower, false},
    {"/time_mape", Better::kLower, true, true},
    {"/top1_geomean", Better::kHigher, true, true},
    {"/top3_geomean", Better::kHigher, false, true},
    {"/kendall", Better::kHigher, false, true},
    {"/kendall_near_best", Better::kHigher, false, true},
    {"/cycles_median", Better::kLower, false},
    {"/cycles_p90", Better::kLower, false},
    {"/cycles_near_best_mape", Better::kLower, false},
    {"/clock_mape", Better::kLower, false},
    {"/median_width", Better::kLower, false},
    {"/clock_pairs_ordered", Better::kHigher, false},
    {"/coverage_90", Better::kNear, false, false, kCoverageTolerance}};

class RecordCheck {
 public:
  RecordCheck(const Json& record, std::string_view name) : record_(record), name_(name) {}

  /// Throws ConfigError if the record is incomplete or malformed.
  void check_form() const {
    for (const Recorded& row : kRecorded) {
      for (const std::string& path : paths_of(row)) {
        if (row.better != Better::kSame) {
          (void)number_at(path);
        } else if (!record_.contains(Json::json_pointer(path))) {
          fail(path, "expected a value");
        }
      }
    }
  }

  /// Returns one line for each figure that is worse in `now`. Throws the exceptions of check_form,
  /// and ConfigError if the two are not comparable.
  std::vector<std::string> worse(const Json& now) const {
    std::vector<std::string> lines;
    for (const Recorded& row : kRecorded) {
      for (const std::string& path : paths_of(row)) {
        const Json::json_pointer at(path);
        if (row.better == Better::kSame) {
          if (!record_.contains(at) || record_[at] != now[at]) {
            fail(path, "expected " + now[at].dump());
          }
        } else if (const double before = number_at(path); !now.contains(at)) {
          lines.push_back(fmt::format("{} is recorded but missing now", path.substr(1)));
        } else if (const double after = now[at].get<double>();
                   worse_by(row.better, before, after) > row.tolerance) {
          lines.push_back(
              fmt::format("{} was {:.6g} and is {:.6g}", path.substr(1), before, after));
        }
      }
    }
    return lines;
  }

 private:
  static double worse_by(Better better, double before, double after) {
    return better == Better::kLower    ? after - before
           : better == Better::kHigher ? before - after
                                       : std::abs(after - kCoverage) - std::abs(before - kCoverage);
  }

  /// Returns no paths if the record may lack the row.
  std::vector<std::string> paths_of(const Recorded& row) const {
    const Json::json_pointer at(row.path);
    if (row.better == Better::kSame) {
      return {row.path};
    }
    if (!record_.contains(at)) {
      if (row.required) {
        fail(row.path, row.by_key ? "expected a JSON object" : "expected a number");
      }
      return {};
    }
    if (!row.by_key) {
      return {row.path};
    }
    if (!record_[at].is_object()) {
      fail(row.path, "expected a JSON object");
    }
    std::vector<std::string> paths;
    for (const auto& [key, value] : record_[at].items()) {
      paths.push_back(std::string(row.path) + "/" + key);
    }
    return paths;
  }

  double number_at(const std::string& path) const {
    const Json& value = record_[Json::json_pointer(path)];
    if (!value.is_number()) {
      fail(path, "expected a number, got " + value.dump());
    }
    return value.get<double>();
  }

  [[noreturn]] void fail(const std::string& path, const std::string& what) const {
    throw ConfigError(fmt::format("{}: {}: {}", name_, path.substr(1), what));
  }

  const Json& record_;
  std::string_view name_;
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
  refuse_if(!recorded.is_object(), "{}: expected a JSON object as --record writes it", name);
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
  refuse_if(method == recorded.end() || !method->is_string(),
            "{}: method: expected analytic or simulated", name);
  try {
    return parse_method(method->get<std::string>());
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", name, error.what()));
  }
}

void check_well_formed(std::string_view record, std::string_view name) {
  (void)recorded_method(record, name);
  const Json recorded = parse_record(record, name);
  RecordCheck(recorded, name).check_form();
}

std::vector<std::string> worse_than_recorded(const Validation& validation, std::string_view record,
                                             std::string_view name) {
  const Json recorded = parse_record(record, name);
  return RecordCheck(recorded, name).worse(record_of(validation));
}

}  // namespace tilecast
