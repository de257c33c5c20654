// tilecast repeatability: how well two runs over the same points agree.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "validate/compare/repeatability.h"

namespace tilecast {
namespace {

struct RepeatabilityOptions {
  std::string first, second, format = "table";
};

nlohmann::ordered_json json_of(const std::optional<Differences>& d) {
  return d ? nlohmann::ordered_json{{"median", d->median}, {"p95", d->p95}, {"worst", d->worst}}
           : nlohmann::ordered_json();
}

void print_json(const Repeatability& found) {
  const nlohmann::ordered_json answer = {
      {"schema", 1},
      {"points", found.points},
      {"in_one_only", found.in_one_only},
      {"cycles", json_of(found.cycles)},
      {"sm_clock", json_of(found.clock)},
      {"time", json_of(found.time)},
      {"order", found.order ? nlohmann::ordered_json(*found.order) : nlohmann::ordered_json()},
      {"groups", found.groups},
      {"worst_point", found.worst_point},
      {"missed", missed_bars(found)}};
  fmt::print("{}\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const Repeatability& found) {
  fmt::print("{} in both files, {} in one only\n", counted(found.points, "point"),
             found.in_one_only);
  const auto line = [](const char* name, const std::optional<Differences>& d) {
    if (d) {
      fmt::print("{:<7} median {:6.3f} %   95 % within {:6.3f} %   worst {:6.3f} %\n", name,
                 d->median * 100, d->p95 * 100, d->worst * 100);
    }
  };
  line("cycles", found.cycles);
  line("clock", found.clock);
  line("time", found.time);
  if (found.order) {
    fmt::print("order by time within a problem and regime: Kendall {:.2f}, mean of {}\n",
               *found.order, found.groups);
  }
  if (!found.worst_point.empty()) {
    fmt::print("worst by cycles: {}\n", found.worst_point);
  }
}

void run_repeatability(const RepeatabilityOptions& options) {
  const Repeatability found =
      repeatability(read_measurements(options.first), read_measurements(options.second));
  options.format == "json" ? print_json(found) : print_table(found);
  if (const std::vector<std::string> missed = missed_bars(found); !missed.empty()) {
    throw Error(ExitCode::kWrong, join(missed, "; "));
  }
}

}  // namespace

void add_repeatability(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "repeatability", "How well two measurements of the same points agree; 1 where they do not");
  const auto options = std::make_shared<RepeatabilityOptions>();
  command->add_option("FIRST", options->first, "Measurement CSV, plain or .gz")->required();
  command->add_option("SECOND", options->second, "The same points from another process")
      ->required();
  command->add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->callback([options] { run_repeatability(*options); });
}

}  // namespace tilecast
