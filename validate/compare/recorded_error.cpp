#include "validate/compare/recorded_error.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/base/error.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

enum class Better { kLower, kHigher };

class RecordCheck {
 public:
  RecordCheck(const Json& now, const Json& record, std::string_view name)
      : now_(now), record_(record), name_(name) {}

  /// `path` is a JSON pointer.
  void figure(const std::string& path, Better better, double tolerance) {
    const Json::json_pointer pointer(path);
    if (!record_.contains(pointer)) {
      fail(path, "expected a number");
    }
    if (!record_[pointer].is_number()) {
      fail(path, "expected a number, got " + record_[pointer].dump());
    }
    if (!now_.contains(pointer)) {
      worse_.push_back(fmt::format("{} is recorded but not there any more", path.substr(1)));
      return;
    }
    const double before = record_[pointer].get<double>();
    const double after = now_[pointer].get<double>();
    if ((better == Better::kLower ? after - before : before - after) > tolerance) {
      worse_.push_back(fmt::format("{} was {:.6g} and is {:.6g}", path.substr(1), before, after));
    }
  }

  /// One figure for each key of the object at `path`, in the record.
  void figures(const std::string& path, Better better) {
    const Json::json_pointer pointer(path);
    if (!record_.contains(pointer) || !record_[pointer].is_object()) {
      fail(path, "expected an object");
    }
    for (const auto& [key, value] : record_[pointer].items()) {
      figure(path + "/" + key, better, kRecordTolerance);
    }
  }

  void same(const std::string& path) {
    const Json::json_pointer pointer(path);
    if (!record_.contains(pointer) || record_[pointer] != now_[pointer]) {
      fail(path, "expected " + now_[pointer].dump());
    }
  }

  std::vector<std::string> worse() const { return worse_; }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& what) const {
    throw ConfigError(fmt::format("{}: {}: {}", name_, path.substr(1), what));
  }

  const Json& now_;
  const Json& record_;
  std::string_view name_;
  std::vector<std::string> worse_;
};

}  // namespace

Json record_of(const Validation& v) {
  Json json{{"schema", 1},
            {"gpu", v.gpu},
            {"calibrated", v.calibrated},
            {"method", to_text(v.method)},
            {"points", v.points},
            {"unmatched", v.unmatched},
            {"time_mape", Json::object()},
            {"top1_geomean", Json::object()}};
  if (v.cycles) {
    json["cycles_mape"] = v.cycles->mape;
  }
  for (const auto& [regime, figures] : v.time) {
    json["time_mape"][std::string(to_text(regime))] = figures.mape;
  }
  for (const auto& [regime, picks] : v.pick) {
    json["top1_geomean"][std::string(to_text(regime))] = picks.at(1).geomean;
  }
  return json;
}

std::vector<std::string> worse_than_recorded(const Validation& validation, std::string_view record,
                                             std::string_view name) {
  const Json recorded = Json::parse(record, nullptr, false);
  if (!recorded.is_object()) {
    throw ConfigError(fmt::format("{}: expected a JSON object as --record writes it", name));
  }
  const Json now = record_of(validation);
  RecordCheck check(now, recorded, name);
  check.same("/schema");
  check.same("/gpu");
  check.same("/calibrated");
  check.same("/method");
  check.figure("/points", Better::kHigher, 0);
  check.figure("/unmatched", Better::kLower, 0);
  if (validation.cycles || recorded.contains("cycles_mape")) {
    check.figure("/cycles_mape", Better::kLower, kRecordTolerance);
  }
  check.figures("/time_mape", Better::kLower);
  check.figures("/top1_geomean", Better::kHigher);
  return check.worse();
}

}  // namespace tilecast
