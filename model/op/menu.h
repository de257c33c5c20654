// The search space of an op: every combination of the values tried for each key, filtered by
// legality.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/op/rule.h"

namespace tilecast {

/// Calls `visit` with `config` for every combination of values. `pairs`: a member and its values
/// each; the last one varies fastest.
template <class Config, class Visit>
void walk_menu(const Config& config, const Visit& visit) {
  visit(config);
}
template <class Config, class Visit, class Value, class Values, class... More>
void walk_menu(Config config, const Visit& visit, Value Config::*member, const Values& values,
               const More&... more) {
  for (const Value value : values) {
    config.*member = value;
    walk_menu(config, visit, more...);
  }
}

/// Rejected configurations, by reason.
template <class Config>
struct Rejections {
  std::map<std::string, int> rejected;
  std::map<std::string, Config> example;  // the first configuration rejected for each reason

  void reject(std::string_view reason, const Config& config) {
    const std::string key(reason);
    if (++rejected[key] == 1) {
      example.emplace(key, config);
    }
  }
  void add_all(const Rejections& others) {
    for (const auto& [reason, count] : others.rejected) {
      rejected[reason] += count;
    }
    example.insert(others.example.begin(), others.example.end());
  }
};

/// Candidates in search order.
template <class Config>
struct CandidatesOf : Rejections<Config> {
  std::vector<Config> legal;

  void add(const Config& config, Refusal refusal) {
    refusal == Refusal::kNone ? legal.push_back(config) : this->reject(to_text(refusal), config);
  }
};

}  // namespace tilecast
