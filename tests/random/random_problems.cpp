// random_problems [--seed N] [--from N] [--count N] [--property NAME] [--threads N]
//
// Checks every property (properties.h) on problems [from, from + count) of a seed, expensive ones
// on one problem in several, or one named property on all; by default on all processors. Prints a
// line per violation as it is found, and a summary at the end; exit code 1 if there was any.
// Problem `number` is the same in every run: continue a stopped run with --from, or repeat one
// problem with --from N --count 1.
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
  u64 threads = 0;  // one per CPU
  std::string_view property;
};

u64 whole_number(std::string_view key, std::string_view text) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw ConfigError(fmt::format("{}: expected an integer, got '{}'", key, text));
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
  u64 problems = 0, refused = 0;  // no legal kernel
  std::map<std::string_view, u64> tried, violating;
};

/// An exception violates the property, unless a similar problem has no legal kernel.
Violations checked(const Property& property, const RandomProblem& problem, const Ranking& listed) {
  try {
    return property.check(problem, listed);
  } catch (const ConfigError&) {
    return {};
  } catch (const std::exception& error) {
    return {error.what()};
  }
}

/// Returns whether any property was violated.
bool run(const Options& options) {
  constexpr auto kBetweenLines = std::chrono::seconds(10);
  const std::vector<Property> properties = chosen(options.property);
  Tally tally;
  std::mutex noting;
  const auto begin = std::chrono::steady_clock::now();
  auto last_line = begin;
  parallel_for(options.count, static_cast<unsigned>(options.threads), [&](std::size_t index) {
    const u64 number = options.from + index;
    const RandomProblem problem = random_problem(options.seed, number);
    std::map<std::string_view, Violations> found;
    bool refused = false;
    try {
      const Ranking listed = problem.rank(kListed);
      for (const Property& property : properties) {
        if (number % static_cast<u64>(property.every) == 0 || properties.size() == 1) {
          found[property.name] = checked(property, problem, listed);
        }
      }
    } catch (const ConfigError&) {  // no legal kernel
      refused = true;
    } catch (const std::exception& error) {
      found["possible"] = {error.what()};
    }
    const std::lock_guard lock(noting);
    ++tally.problems;
    tally.refused += refused ? 1 : 0;
    for (const auto& [name, violations] : found) {
      ++tally.tried[name];
      tally.violating[name] += violations.empty() ? 0 : 1;
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
    fmt::print("{:>6} of {:>6} violate {}: {}\n", tally.violating[property.name],
               tally.tried[property.name], property.name, property.holds);
    any = any || tally.violating[property.name] > 0;
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
