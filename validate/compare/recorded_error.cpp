#include "validate/compare/recorded_error.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "validate/compare/validation.h"

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

/// A recorded figure, its place in the JSON of a validation, and its tolerance.
struct Recorded {
  const char* path;  // JSON pointer in the record
  const char* from;  // in the validation; "/*" stands for each regime, which are keys of the record
  Better better = Better::kSame;
  bool required = true;  // if false, older records may lack it
  double tolerance = kRecordTolerance;

  bool by_regime() const { return std::string_view(from).find("/*") != std::string_view::npos; }
};
constexpr Recorded kRecorded[] = {
    {"/schema", "/schema"},
    {"/gpu", "/gpu"},
    {"/calibrated", "/calibrated"},
    {"/corrected", "/residual_model/used"},
    {"/method", "/method"},
    {"/split", "/split"},
    {"/points", "/points", Better::kHigher, true, 0},
    {"/unmatched", "/unmatched", Better::kLower, true, 0},
    {"/time_mape", "/time/*/mape", Better::kLower},
    {"/top1_geomean", "/pick/*/top1/geomean", Better::kHigher},
    {"/top3_geomean", "/pick/*/top3/geomean", Better::kHigher, false},
    {"/kendall", "/rank/*/kendall", Better::kHigher, false},
    {"/kendall_near_best", "/rank/*/kendall_near_best", Better::kHigher, false},
    {"/cycles_mape", "/cycles/mape", Better::kLower, false},
    {"/cycles_median", "/cycles/median", Better::kLower, false},
    {"/cycles_p90", "/cycles/p90", Better::kLower, false},
    {"/cycles_near_best_mape", "/cycles_near_best/mape", Better::kLower, false},
    {"/clock_mape", "/clock/mape", Better::kLower, false},
    {"/clock_pairs_ordered", "/clock/pairs_ordered", Better::kHigher, false},
    {"/median_width", "/interval/median_width", Better::kLower, false},
    {"/coverage_90", "/interval/coverage_90", Better::kNear, false, kCoverageTolerance}};

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
        fail(row.path, row.by_regime() ? "expected a JSON object" : "expected a number");
      }
      return {};
    }
    if (!row.by_regime()) {
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

Json parse_record(std::string_view record, std::string_view name) {
  Json recorded = Json::parse(record, nullptr, false);
  refuse_if(!recorded.is_object(), "{}: expected a JSON object as --record writes it", name);
  // Defaults of keys that older records lack.
  recorded.emplace(std::string("corrected"), Json(false));
  recorded.emplace(std::string("split"), Json("all"));
  return recorded;
}

}  // namespace

Json record_of(const Validation& validation) {
  const Json all = to_json(validation);
  Json record;
  for (const Recorded& row : kRecorded) {
    const std::string from = row.from;
    Json figure;
    if (!row.by_regime()) {
      figure = all.value(Json::json_pointer(from), Json());
    } else {
      figure = row.required ? Json::object() : Json();
      const std::size_t star = from.find("/*");
      const Json groups = all.value(Json::json_pointer(from.substr(0, star)), Json::object());
      for (const auto& [regime, figures] : groups.items()) {
        if (const Json::json_pointer own(from.substr(star + 2)); figures.contains(own)) {
          figure[regime] = figures[own];
        }
      }
    }
    if (!figure.is_null()) {
      record[Json::json_pointer(row.path)] = std::move(figure);
    }
  }
  return record;
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
