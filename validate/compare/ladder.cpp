#include "validate/compare/ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

LadderCounter parse_counter(const StrictValue& item) {
  const StrictMap map = item.map({"name", "unit", "per_unit", "metric"});
  LadderCounter counter{map.required("name").text(), map.required("unit").text(), 1,
                        map.required("metric").text()};
  constexpr double kLeast = 1, kMost = 1e12;
  counter.per_unit = map.required("per_unit").number(kLeast, kMost);
  return counter;
}

const LadderCounter& counter_named(const StrictValue& item,
                                   const std::vector<LadderCounter>& known) {
  const std::string name = item.text();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const LadderCounter& c) { return c.name == name; });
  if (found == known.end()) {
    std::vector<std::string> names;
    for (const LadderCounter& counter : known) {
      names.push_back(counter.name);
    }
    item.fail(fmt::format("expected one of {}, not '{}'{}", join(names, ", "), name,
                          did_you_mean(name, names)));
  }
  return *found;
}

KernelConfig rung_config(const StrictValue& value) {
  try {
    return parse_kernel_config(value.text());
  } catch (const ConfigError& error) {
    value.fail(error.what());
  }
}

/// The rung at `place` of `rungs`.
Rung parse_rung(const StrictValue& item, std::size_t place, std::size_t rungs,
                const std::vector<LadderCounter>& counters) {
  const StrictMap map = item.map({"name", "config", "against", "shown_by"});
  Rung rung{.name = map.required("name").text(), .config = rung_config(map.required("config"))};
  if (const std::optional<StrictValue> against = map.optional("against")) {
    rung.against = static_cast<std::size_t>(against->integer(1, static_cast<i64>(rungs))) - 1;
    if (rung.against == place) {
      against->fail("expected another rung than this one");
    }
  }
  if (const std::optional<StrictValue> shown_by = map.optional("shown_by")) {
    for (const StrictValue& name : shown_by->list()) {
      rung.shown_by.push_back(counter_named(name, counters));
    }
  }
  return rung;
}

}  // namespace

Ladder parse_ladder(const StrictValue& root) {
  const StrictMap map = root.map({"counters", "rungs"});
  std::vector<LadderCounter> counters;
  for (const StrictValue& item : map.required("counters").list()) {
    counters.push_back(parse_counter(item));
  }
  const std::vector<StrictValue> items = map.required("rungs").list();
  Ladder ladder;
  for (const StrictValue& item : items) {
    ladder.rungs.push_back(parse_rung(item, ladder.rungs.size(), items.size(), counters));
  }
  return ladder;
}

Ladder load_ladder(const std::filesystem::path& path) { return parse_ladder(load_yaml(path)); }

}  // namespace tilecast
