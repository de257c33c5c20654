#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/explain_output.h"
#include "cli/explain_stream.h"
#include "cli/output_parts.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/ops/short_config_text.h"
#include "model/predict/why_extrapolated.h"
#include "model/rank/order_confidence.h"

namespace tilecast {
namespace {

constexpr std::size_t kSideBySide = 4;
// Fraction of the time above which costs of opposite signs are merged.
constexpr double kCancels = 0.01;

/// A kernel with its letter and role; the best first.
struct Named {
  std::string name;
  const Explanation* kernel;
  std::string role;
};

std::vector<Named> named(const ExplainReport& report) {
  std::vector<Named> all;
  if (report.best) {
    all.push_back({"#1", &*report.best, "predicted best"});
  }
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const Explanation& e = report.kernels[i];
    if (report.best && is_best(e, *report.best)) {
      all.front().role = "predicted best, as requested";
    } else {
      const std::size_t letter = all.size() - (report.best ? 1 : 0);
      all.push_back({std::string(1, static_cast<char>('A' + letter % 26)), &e,
                     i < report.roles.size() ? report.roles[i] : ""});
    }
  }
  return all;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string giga(Bytes bytes) { return four_digits(bytes.value * 1e-9); }

/// A row of the table of kernels; cells are empty for kernels without the value.
struct Figure {
  std::string label;
  std::function<std::string(const Explanation&)> of;
};

/// Returns the figures that distinguish the kernels, the largest difference first.
std::vector<Figure> figures(const ExplainReport& report, const Explanation& best) {
  const auto share = [](const std::string& label, double Shares::*part) {
    return Figure{label + " busy",
                  [part](const Explanation& e) { return percent(e.predicted.shares.*part); }};
  };
  const auto time = [](const std::string& label, double TimeSplit::*part) {
    return Figure{label, [part](const Explanation& e) {
                    return e.watched ? percent(e.watched->time.*part) : "";
                  }};
  };
  const auto groups = [](const std::string& label, double (*part)(const GroupParts&)) {
    return Figure{
        label, [part](const Explanation& e) { return e.groups ? percent(part(*e.groups)) : ""; }};
  };
  // With opposite signs only the sum is meaningful.
  const bool cancel =
      best.groups && best.groups->partial * best.groups->imbalance < 0 &&
      std::min(std::abs(best.groups->partial), std::abs(best.groups->imbalance)) > kCancels;
  std::vector<Figure> rows;
  if (std::holds_alternative<StreamProblem>(report.problem)) {
    rows = {{"TB/s",
             [&](const Explanation& e) {
               return fmt::format("{:.3f}", stream_story(report, e)->tb_per_s);
             }},
            share("DRAM", &Shares::dram),
            {"in flight per SM, KiB",
             [&](const Explanation& e) {
               return fmt::format("{:.0f}", stream_story(report, e)->parts.in_flight.value / 1024);
             }},
            {"DRAM alone, us", [&](const Explanation& e) {
               return micro_text(stream_story(report, e)->parts.dram);
             }}};
  } else {
    rows = {share("tensor cores", &Shares::tensor), share("L2", &Shares::l2),
            share("DRAM", &Shares::dram)};
  }
  for (const auto& [limiter, row] :
       {std::pair{Limiter::kSmIntake, share("SM fill", &Shares::sm_intake)},
        {Limiter::kSharedMemory, share("shared memory", &Shares::shared_memory)}}) {
    if (best.predicted.limiter == limiter) {
      rows.push_back(row);
    }
  }
  const std::vector<Figure> more{
      {"waves",
       [](const Explanation& e) { return e.waves ? fmt::format("{:.2f}", e.waves->waves) : ""; }},
      {"padding rows of tiles",
       [](const Explanation& e) {
         return e.waves && e.waves->rows_of_no_group ? percent(*e.waves->rows_of_no_group) : "";
       }},
      groups(cancel ? "" : "cost of partial tiles", [](const GroupParts& g) { return g.partial; }),
      groups(cancel ? "" : "cost of imbalance", [](const GroupParts& g) { return g.imbalance; }),
      groups(cancel ? "cost of partial tiles and imbalance" : "",
             [](const GroupParts& g) { return g.partial + g.imbalance; }),
      time("SM time: main loop", &TimeSplit::multiply),
      time("SM time: between tiles", &TimeSplit::between),
      time("SM time: end and tail", &TimeSplit::end),
      {"SM clock, GHz",
       [](const Explanation& e) {
         return fmt::format("{:.3f}", e.predicted.sm_clock.value * 1e-9);
       }},
      {"L2 to SMs, GB", [](const Explanation& e) { return giga(e.predicted.l2_to_sm); }},
      {"DRAM read and written, GB",
       [](const Explanation& e) { return giga(e.predicted.dram_read + e.predicted.dram_write); }},
      {"energy, mJ",
       [](const Explanation& e) { return four_digits(e.energy.total().value * 1e3); }}};
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

/// Formats at most `most` lines, which begin with the kernels' names.
std::string figures_text(const ExplainReport& report, const std::vector<Named>& all,
                         std::size_t most) {
  std::vector<std::string> titles{"<"};
  for (const Named& n : all) {
    titles.push_back(n.name);
  }
  Table table(titles);
  std::size_t lines = 1;
  for (const Figure& figure : figures(report, *all.front().kernel)) {
    std::vector<std::string> cells{figure.label};
    for (const Named& n : all) {
      cells.push_back(figure.of(*n.kernel));
    }
    const bool any = std::any_of(cells.begin() + 1, cells.end(),
                                 [](const std::string& cell) { return !cell.empty(); });
    const bool telling = all.size() < 2 || lines <= 3 ||
                         std::any_of(cells.begin() + 2, cells.end(),
                                     [&](const std::string& cell) { return cell != cells[1]; });
    if (any && telling && lines < most && !figure.label.empty()) {
      table.row(std::move(cells));
      ++lines;
    }
  }
  return table.text();
}

/// Formats one line per kernel: its configuration, time, and role.
std::string kernels_text(const ExplainReport& report, const std::vector<Named>& all) {
  const LoadedGpu& gpu = report.gpu;
  std::string text;
  const Prediction& first = all.front().kernel->predicted;
  for (const Named& n : all) {
    const Prediction& p = n.kernel->predicted;
    const std::string cluster = cluster_text(p.config);
    text += wrapped(fmt::format("{:<3} ", n.name),
                    fmt::format("{} {}{}{}: {} us{}{}{}", field_name(p.config), tile_text(p.config),
                                cluster.empty() ? "" : " c" + cluster, options_text(p.config),
                                four_digits(microseconds(p.time)),
                                &p != &first ? ", " + more_percent(p.time / first.time)
                                : p.tflops > 0 && !is_rated_in_bytes(report.problem)
                                    ? fmt::format(", {:.0f} TFLOP/s", p.tflops)
                                    : "",
                                n.role.empty() ? "" : ", ", n.role) +
                        (&p != &first && too_close(p.time / first.time - 1, report.regime)
                             ? ", too close to call"
                             : ""));
    if (&p == &first) {
      text += wrapped("    ", fmt::format("bound by {}; {}", bound_text(gpu.spec, p),
                                          clock_text(p, gpu.calibrated)));
    }
  }
  return text;
}

/// Names the resources whose speed would help the first kernel.
std::string help_text(const Named& n) {
  constexpr double kNothing = 0.01;  // fraction of the time
  constexpr std::size_t kMost = 4;
  const Prediction& p = n.kernel->predicted;
  std::vector<std::string> parts;
  double saved = 0;
  for (const Elimination& e : n.kernel->without) {
    const double own = 1 - e.cycles / p.cycles;
    saved = e.part == p.limiter ? own : saved;
    if (parts.size() < kMost && own >= kNothing / 10) {
      parts.push_back(fmt::format("{} {}", shown_limiter(to_text(e.part)), percent(own)));
    }
  }
  return (parts.empty() ? fmt::format("No single resource limits {}.", n.name)
                        : fmt::format("Time that {} would save if a resource cost nothing: {}.",
                                      n.name, join(parts, ", "))) +
         (saved < kNothing
              ? fmt::format(" {} alone is not the limit.", shown_limiter(to_text(p.limiter)))
              : "");
}

/// The largest contributions to the cycles, and the others as one that is not the largest.
std::string contributions_text(const std::vector<LearnedContribution>& all) {
  constexpr std::size_t kFewest = 2;
  std::vector<std::string> parts;
  double rest = 0;
  for (const LearnedContribution& one : all) {
    rest += one.cycles;
  }
  for (const LearnedContribution& one : all) {
    if (parts.size() >= kFewest && std::abs(rest) <= std::abs(all.front().cycles)) {
      parts.push_back(fmt::format("other {}", more_percent(std::exp(rest))));
      break;
    }
    parts.push_back(fmt::format("{} {}", one.group, more_percent(std::exp(one.cycles))));
    rest -= one.cycles;
  }
  return join(parts, ", ");
}

std::string sure_text(const ExplainReport& report, const Named& n) {
  const Explanation& e = *n.kernel;
  const Prediction& p = e.predicted;
  std::string text = fmt::format("90 % interval of {}: {} to {} us", n.name,
                                 four_digits(microseconds(p.interval_low)),
                                 four_digits(microseconds(p.interval_high)));
  if (p.extrapolated) {
    text += "; extrapolated: " + why_extrapolated(report.gpu.spec, report.problem);
  }
  if (!e.learned.empty()) {
    text += fmt::format("; learned correction of cycles {} ({}){}",
                        more_percent(p.cycles_correction), contributions_text(e.learned),
                        report.inputs == Inputs::kNormal
                            ? ", of the clock " + more_percent(p.clock_correction)
                            : "");
  } else if (!report.gpu.calibrated) {
    text += " (default error: docs/accuracy.md)";
  }
  return text + ".";
}

std::string why_text(const ExplainReport& report, const std::vector<Named>& all) {
  std::string text;
  for (const Named& n : all) {
    if (!report.best || n.kernel == &*report.best) {
      continue;
    }
    const std::vector<std::string> why = why_not_best(report, *n.kernel, *report.best);
    for (std::size_t i = 0; i < why.size() && (i < 2 || all.size() < 3); ++i) {
      text += wrapped(i == 0 ? fmt::format("{}  ", n.name) : "   ", why[i]);
    }
  }
  return text;
}

std::string titles(const ExplainReport& report) {
  return wrapped("", problem_title(report.problem)) +
         wrapped("", conditions_title(report.gpu.spec, report.gpu.calibrated, report.regime,
                                      report.inputs));
}

using Json = nlohmann::ordered_json;

std::string words(std::string_view key) {
  std::string text(key);
  std::ranges::replace_if(
      text, [](char c) { return c == '_' || c == '/'; }, ' ');
  return text;
}

std::string value_text(const Json& value) {
  if (value.is_number_integer()) {
    return with_commas(value.get<i64>());
  }
  if (!value.is_number_float()) {
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
  }
  constexpr double kLarge = 9999.5, kMostExact = 1e15;  // from there on digits say little
  const double number = value.get<double>(), size = std::abs(number);
  return size < kLarge || size >= kMostExact ? fmt::format("{:.4g}", number)
                                             : with_commas(std::llround(number));
}

bool is_list_of_objects(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

/// Formats a list of sentences.
std::string sentences_text(const std::string& title, const Json& sentences) {
  std::string text = fmt::format("\n{}\n", title);
  for (const Json& sentence : sentences) {
    text += wrapped("  ", sentence.get<std::string>());
  }
  return text;
}

/// Formats a list of objects as a separate table.
std::string list_text(const std::string& title, const Json& list) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : list.front().items()) {
    keys.push_back(key);
  }
  std::vector<std::string> titles;
  std::string below;
  for (const std::string& key : keys) {
    titles.push_back(key == "config" ? "<" + key : words(key));
  }
  Table table(titles);
  for (const Json& row : list) {
    std::vector<std::string> cells;
    for (const std::string& key : keys) {
      const std::string text = value_text(row.value(key, Json()));
      cells.push_back(key == "config"    ? short_text(parse_config(text))
                      : key == "problem" ? without_groups(text)
                                         : text);
    }
    table.row(std::move(cells));
  }
  return fmt::format("\n{}\n{}", title, table.text(2));
}

/// Formats the JSON of kernels with a column each: a row for each value, a table for each list of
/// objects, and the notes on separate lines.
std::string side_by_side(const std::vector<std::string>& names, std::vector<Json> kernels) {
  std::vector<std::string> titles{"<"}, keys;
  titles.insert(titles.end(), names.begin(), names.end());
  std::string lists;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Json& kernel = kernels[i];
    if (kernel.contains("learned")) {
      kernel["learned_correction"] = kernel["learned"]["parts"];
      kernel["learned"].erase("parts");
    }
    Json values = Json::object();
    for (const auto& [key, value] : kernel.items()) {
      if (is_list_of_objects(value)) {
        lists += list_text(names[i] + ": " + words(key), value);
      } else if (key == "notes") {
        lists += sentences_text(names[i] + ": " + words(key), value);
      } else if (key != "config" && key != "against_best") {
        values[key] = value;
      }
    }
    kernel = values.flatten();
    for (const auto& [key, value] : kernel.items()) {
      if (std::ranges::find(keys, key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  Table table(titles);
  for (const std::string& key : keys) {
    std::vector<std::string> cells{words(key.substr(1))};
    for (const Json& kernel : kernels) {
      cells.push_back(value_text(kernel.value(key, Json())));
    }
    table.row(std::move(cells));
  }
  return table.text() + lists;
}

}  // namespace

std::string explain_text(const ExplainReport& report) {
  const std::vector<Named> all = named(report);
  const std::string draws =
      report.draws > 1 ? wrapped("", fmt::format("The {} of {} random routings, which are ranked "
                                                 "by their mean.",
                                                 report.best ? "median" : "first", report.draws))
                       : "";
  const std::string head = titles(report) + draws + "\n" + kernels_text(report, all) + "\n";
  std::string end =
      wrapped("", help_text(all.front())) + wrapped("", sure_text(report, all.front()));
  if (const auto& copies = all.front().kernel->copies) {
    end =
        wrapped("", fmt::format("{} copied into rows padded to 16 bytes before the kernel: {} us.",
                                copied_words(copies->operands), micro_text(copies->time))) +
        end;
  }
  // The op's first two notes, the pointer to more, and the other notes if they leave space for a
  // short table.
  constexpr std::size_t kFirstNotes = 2, kShortTable = 2, kLongerTable = 5;
  const std::vector<std::string>& notes = all.front().kernel->notes;
  std::string why = why_text(report, all), paragraph;
  for (std::size_t shown = 1; shown <= notes.size(); ++shown) {
    const std::string more = wrapped(
        "",
        join(std::vector(notes.begin(), notes.begin() + static_cast<std::ptrdiff_t>(shown)), " "));
    if (lines_in(head) + lines_in(why) + lines_in(more) + lines_in(end) +
            (shown > kFirstNotes ? kLongerTable : kShortTable) >
        kExplainLines) {
      break;
    }
    paragraph = more;
  }
  why += paragraph;
  if (lines_in(head) + lines_in(why) + lines_in(end) + 1 +
          (notes.empty() ? kLongerTable : kShortTable) <=
      kExplainLines) {
    end += fmt::format("See also: --details (figures, phases, parts of the correction){}.\n",
                       std::holds_alternative<GemmProblem>(report.problem) ? ", --trace FILE" : "");
  }
  const std::size_t others = lines_in(head) + lines_in(why) + lines_in(end);
  const std::vector<Named> shown(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kSideBySide)));
  constexpr std::size_t kLeastRows = 2;  // the names and one figure
  const std::size_t most = std::max(kExplainLines - std::min(kExplainLines, others), kLeastRows);
  return head + why + figures_text(report, shown, most) + end;
}

std::string explain_details(const ExplainReport& report) {
  const std::vector<Named> all = named(report);
  const Json json = explain_json(report);
  std::vector<Json> kernels;
  std::vector<std::string> names;
  std::string text = titles(report) + "\n";
  for (const Named& n : all) {
    text += wrapped(fmt::format("{:<3}", n.name), to_text(n.kernel->predicted.config), ":,");
    names.push_back(n.name);
    kernels.push_back(
        report.best && n.kernel == &*report.best
            ? json["best"]
            : json["kernels"][static_cast<std::size_t>(n.kernel - report.kernels.data())]);
  }
  text += "\n" + why_text(report, all) + "\n";
  for (std::size_t first = 0; first < all.size(); first += kSideBySide) {
    const auto end = static_cast<std::ptrdiff_t>(std::min(all.size(), first + kSideBySide));
    const auto begin = static_cast<std::ptrdiff_t>(first);
    text += side_by_side({names.begin() + begin, names.begin() + end},
                         {kernels.begin() + begin, kernels.begin() + end}) +
            "\n";
  }
  return text + wrapped("", help_text(all.front())) + wrapped("", sure_text(report, all.front()));
}

}  // namespace tilecast
