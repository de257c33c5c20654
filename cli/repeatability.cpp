// tilecast repeatability: how well runs over the same points agree; of more than two, what makes
// them differ: card, day, process or chance.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "validate/compare/repeatability.h"
#include "validate/compare/variance.h"

namespace tilecast {
namespace {

struct RepeatabilityOptions {
  std::vector<std::string> files;
  std::string format = "table", medians;
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

constexpr const char* kCommonTexts[] = {"one card, one day", "one card", "two cards"};

nlohmann::ordered_json json_of(const VarianceOf& of) {
  nlohmann::ordered_json pairs = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < of.pairs.size(); ++i) {
    const PairFigures& f = of.pairs[i];
    pairs.push_back(
        {{"of", kCommonTexts[i]},
         {"pairs", f.pairs},
         {"offset", f.offset},
         {"scatter", f.scatter},
         {"order", f.order ? nlohmann::ordered_json(*f.order) : nlohmann::ordered_json()}});
  }
  return {{"card", of.parts.card},
          {"day", of.parts.day},
          {"process", of.parts.process},
          {"chance", of.parts.chance},
          {"pairs", pairs}};
}

void print_json(const std::vector<Variance>& all) {
  nlohmann::ordered_json answer = {{"schema", 1}};
  for (const Variance& v : all) {
    answer[std::string(to_text(v.regime))] = {
        {"files", v.files},
        {"cards", v.cards},
        {"days", v.days},
        {"points", v.points},
        {"time", json_of(v.time)},
        {"cycles", json_of(v.cycles)},
        {"sm_clock", json_of(v.clock)},
        {"halves_order",
         v.halves_order ? nlohmann::ordered_json(*v.halves_order) : nlohmann::ordered_json()},
        {"halves", v.halves},
        {"problems", v.problems}};
  }
  fmt::print("{}\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const Variance& v) {
  fmt::print("{}: {} files, {} cards, {} days, {} points that two files have\n", to_text(v.regime),
             v.files, v.cards, v.days, v.points);
  fmt::print("  standard deviation, %   card    day  process  chance of one row\n");
  for (const auto& [name, of] :
       {std::pair{"time", &v.time}, {"cycles", &v.cycles}, {"clock", &v.clock}}) {
    fmt::print("  {:<21} {:6.2f} {:6.2f} {:8.2f} {:7.2f}\n", name, of->parts.card * 100,
               of->parts.day * 100, of->parts.process * 100, of->parts.chance * 100);
  }
  for (std::size_t i = 0; i < v.time.pairs.size(); ++i) {
    const PairFigures& f = v.time.pairs[i];
    if (f.pairs > 0) {
      fmt::print("  {:>4} pairs of {:<18} time {:.2f} % apart in the mean, {:.2f} % about it{}\n",
                 f.pairs, kCommonTexts[i], f.offset * 100, f.scatter * 100,
                 f.order ? fmt::format("; order: Kendall {:.2f}", *f.order) : "");
    }
  }
  if (v.halves_order) {
    fmt::print(
        "  medians of one half of the files against the other's: Kendall {:.2f}, mean of {} "
        "problems and {} halvings\n",
        *v.halves_order, v.problems, v.halves);
  }
}

void run_repeatability(const RepeatabilityOptions& options) {
  const Waiting waiting = Waiting::off_terminal("repeatability");
  std::vector<MeasurementFile> files;
  for (const std::string& file : options.files) {
    files.push_back(read_measurements(file));
  }
  if (!options.medians.empty()) {
    write_file(options.medians, measurement_csv(median_rows(files)));
  }
  if (files.size() > 2) {
    const std::vector<Variance> all = variance_of(files);
    if (options.format == "json") {
      print_json(all);
    } else {
      std::ranges::for_each(all, [](const Variance& v) { print_table(v); });
    }
    return;
  }
  const Repeatability found = repeatability(files.front(), files.back());
  options.format == "json" ? print_json(found) : print_table(found);
  if (const std::vector<std::string> missed = missed_bars(found); !missed.empty()) {
    throw Error(ExitCode::kWrong, join(missed, "; "));
  }
}

}  // namespace

void add_repeatability(Program& program) {
  const Command command =
      program.command("repeatability",
                      "Compare measurements of the same points: whether two agree (exit code 1 if "
                      "not); of more, what makes them differ: card, day, process or chance");
  const auto options = std::make_shared<RepeatabilityOptions>();
  command
      .option("CSV", options->files,
              "Measurements of the same points, plain or .gz, each of one process")
      .required()
      .expects(2, 10'000);
  command.option("--medians", options->medians,
                 "CSV to write: of each point the row of median time");
  command.option("--format", options->format, "table or json").one_of({"table", "json"});
  command.runs([options] { run_repeatability(*options); });
}

}  // namespace tilecast
