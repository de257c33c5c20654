// random_problems [--seed N] [--from N] [--count N] [--property NAME] [--threads N]
//
// Tries every property (properties.h), or the one that is named, on problems [from, from + count)
// of a seed, on all processors unless told otherwise. A line for each violation as it is found, a
// summary at the end; exit code 1 where there was any. Problem `number` is the same in every run: a
// run that was stopped goes on with --from, and one problem is --from N --count 1.
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/parallel.h"
#include "tests/random/properties.h"

namespace {

using namespace tilecast;

struct Options {
  u64 seed = 1, from = 0, count = 1000;
  u64 threads = 0;  // one for each processor
  std::string_view property;
};

u64 whole_number(std::string_view key, std::string_view text) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw ConfigError(fmt::format("{}: expected a whole number, not '{}'", key, text));
  }
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  const std::map<std::string_view, u64*> numbers{{"--seed", &options.seed},
                                                 {"--from", &options.from},
                                                 {"--count", &options.count},
                                                 {"--threads", &options.threads}};
  for (int i = 1; i < argc; i += 2) {
    const std::string_view key = argv[i];
    if (i + 1 == argc || (key != "--property" && !numbers.contains(key))) {
      throw ConfigError(fmt::format(
          "{}: expected --seed, --from, --count, --threads or --property, and a value", key));
    }
    if (key == "--property") {
      options.property = argv[i + 1];
    } else {
      *numbers.at(key) = whole_number(key, argv[i + 1]);
    }
  }
  return options;
}

std::vector<Property> chosen(std::string_view name) {
  std::vector<Property> all;
  std::string names;
  for (const Property& property : every_property()) {
    if (name.empty() || property.name == name) {
      all.push_back(property);
    }
    names += fmt::format(" {}", property.name);
  }
  if (all.empty()) {
    throw ConfigError(fmt::format("--property: '{}' is none of{}", name, names));
  }
  return all;
}

struct Tally {
  u64 problems = 0, refused = 0;  // no kernel is legal
  std::map<std::string_view, u64> violations;
};

/// Whether any property was violated.
bool run(const Options& options) {
  constexpr auto kBetweenLines = std::chrono::seconds(10);
  const std::vector<Property> properties = chosen(options.property);
  Tally tally;
  std::mutex noting;
  const auto begin = std::chrono::steady_clock::now();
  auto last_line = begin;
  parallel_for(options.count, static_cast<unsigned>(options.threads), [&](std::size_t index) {
    const RandomProblem problem = random_problem(options.seed, options.from + index);
    std::map<std::string_view, Violations> found;
    bool refused = false;
    for (const Property& property : properties) {
      try {
        found[property.name] = property.check(problem);
      } catch (const ConfigError&) {
        refused = true;
      } catch (const std::exception& error) {
        found[property.name] = {error.what()};
      }
    }
    const std::lock_guard lock(noting);
    ++tally.problems;
    tally.refused += refused ? 1 : 0;
    for (const auto& [name, violations] : found) {
      tally.violations[name] += violations.size();
      for (const std::string& violation : violations) {
        fmt::print("{}: {}: {}\n", name, problem.text(), violation);
      }
    }
    if (const auto now = std::chrono::steady_clock::now(); now - last_line > kBetweenLines) {
      last_line = now;
      fmt::print(stderr, "{} of {} problems\n", tally.problems, options.count);
    }
    std::fflush(stdout);
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("seed {}, problems {} to {}: {} tried in {:.0f} s, {} without a legal kernel\n",
             options.seed, options.from, options.from + options.count, tally.problems, took.count(),
             tally.refused);
  bool any = false;
  for (const Property& property : properties) {
    fmt::print("{:>8} violations: {}: {}\n", tally.violations[property.name], property.name,
               property.holds);
    any = any || tally.violations[property.name] > 0;
  }
  return any;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv)) ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "random_problems: {}\n", error.what());
    return 2;
  }
}
