#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/explain_output.h"
#include "cli/explain_stream.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kJsonDigits = 6;
constexpr int kShareDigits = 4;

double share(double value) { return rounded(value, kShareDigits); }

Json bytes_json(const Explanation& e) {
  const Prediction& p = e.predicted;
  Json json = Json::object();
  if (e.watched) {
    const Watched& w = *e.watched;
    json["operand_reads"] = rounded(w.operand_reads.value, kJsonDigits);
    json["sm_intake"] = rounded(w.sm_intake.value, kJsonDigits);
  }
  json["l2_to_sm"] = rounded(p.l2_to_sm.value, kJsonDigits);
  if (e.watched) {
    const Watched& w = *e.watched;
    json["l2_output"] = rounded(w.l2_output.value, kJsonDigits);
    json["l2_far"] = rounded(w.l2_far.value, kJsonDigits);
  }
  json["dram_read"] = rounded(p.dram_read.value, kJsonDigits);
  json["dram_write"] = rounded(p.dram_write.value, kJsonDigits);
  if (e.watched) {
    json["multicast_saves"] = share(1 - p.l2_to_sm / e.watched->sm_intake);
    json["merging_saves"] = share(1 - e.watched->l2_output / p.l2_to_sm);
  }
  json["l2_hit_rate"] = share(p.l2_hit_rate);
  return json;
}

Json energy_json(const EnergySplit& energy) {
  const auto joules = [](Joules j) { return rounded(j.value, kJsonDigits); };
  return {{"total_j", joules(energy.total())},
          {"tensor_j", joules(energy.tensor)},
          {"shared_memory_j", joules(energy.shared_memory)},
          {"l2_j", joules(energy.l2)},
          {"dram_j", joules(energy.dram)},
          {"idle_j", joules(energy.idle)}};
}

Json phases_json(const Watched& watched) {
  Json phases = Json::array();
  for (const Phase& phase : watched.phases) {
    Json json{{"begin_us", rounded(phase.begin.value * 1e6, kJsonDigits)},
              {"end_us", rounded(phase.end.value * 1e6, kJsonDigits)}};
    json.update(shares_json(phase.busy, kShareDigits));
    json["sm_clock_mhz"] = rounded(phase.sm_clock.value * 1e-6, kJsonDigits);
    phases.push_back(std::move(json));
  }
  return phases;
}

Json more_json(const std::vector<MoreCycles>& items) {
  Json json = Json::object();
  for (const MoreCycles& item : items) {
    json[std::string(item.of)] = rounded(item.cycles.value, kJsonDigits);
  }
  return json;
}

/// JSON of a memory-bound kernel; null otherwise.
Json memory_json(const ExplainReport& report, const Explanation& e) {
  const std::optional<StreamStory> story = stream_story(report, e);
  return story ? stream_json(*story) : Json();
}

Json against_json(const ExplainReport& report, const Explanation& e, const Explanation& best) {
  const Difference d = difference(e, best);
  return {{"time", rounded(d.time, kJsonDigits)},
          {"cycles", rounded(d.cycles, kJsonDigits)},
          {"sm_clock", rounded(d.sm_clock, kJsonDigits)},
          {"energy_per_cycle", rounded(d.energy_per_cycle, kJsonDigits)},
          {"more_cycles_by_phase", more_json(d.phases)},
          {"more_cycles_by_part", more_json(d.parts)},
          {"why", why_not_best(report, e, best)}};
}

/// The learned correction: ratios of measured to uncorrected figures, and the logarithms of them
/// that each group of features contributes.
Json learned_json(const Explanation& e) {
  Json parts = Json::array();
  for (const LearnedContribution& part : e.learned) {
    parts.push_back({{"of", part.group},
                     {"log_cycles", rounded(part.cycles, kJsonDigits)},
                     {"log_sm_clock", rounded(part.clock, kJsonDigits)}});
  }
  return {{"cycles", rounded(e.predicted.cycles_correction, kJsonDigits)},
          {"sm_clock", rounded(e.predicted.clock_correction, kJsonDigits)},
          {"extrapolated", e.predicted.extrapolated},
          {"parts", std::move(parts)}};
}

Json explanation_json(const ExplainReport& report, const Explanation& e) {
  const Prediction& p = e.predicted;
  Json json = kernel_json(p);
  if (e.copies) {
    json["copies"] = copies_json(*e.copies);
  }
  json["closed_form"] = timing_json(e.closed_form);
  json["without"] = Json::array();
  for (const Elimination& w : e.without) {
    json["without"].push_back({{"part", to_text(w.part)},
                               {"cycles", rounded(w.cycles.value, kJsonDigits)},
                               {"saves", share(1 - w.cycles / p.cycles)}});
  }
  json["shares"] = shares_json(p.shares, kShareDigits);
  if (e.watched) {
    const TimeSplit& time = e.watched->time;
    json["time_of_sms"] = {{"start", share(time.start)},
                           {"multiply", share(time.multiply)},
                           {"between", share(time.between)},
                           {"end", share(time.end)}};
    json["median_tile_us"] = rounded(e.watched->median_tile.value * 1e6, kJsonDigits);
    json["phases"] = phases_json(*e.watched);
  }
  json["bytes"] = bytes_json(e);
  if (Json memory = memory_json(report, e); !memory.is_null()) {
    json["memory"] = std::move(memory);
  }
  json["occupancy"] = {{"ctas_per_sm", e.ctas_per_sm}};
  if (e.waves) {
    json["occupancy"]["ctas"] = e.waves->ctas;
    json["waves"] = {{"tiles", e.waves->tiles},
                     {"k_blocks", e.waves->k_blocks},
                     {"waves", rounded(e.waves->waves, kJsonDigits)},
                     {"in_last_wave", e.waves->in_last_wave}};
    if (e.waves->rows_of_no_group) {
      json["waves"]["rows_of_no_group"] = share(*e.waves->rows_of_no_group);
    }
  }
  if (e.groups) {
    json["groups"] = {{"alike", share(e.groups->alike)},
                      {"own_b", share(e.groups->own_b)},
                      {"partial", share(e.groups->partial)},
                      {"imbalance", share(e.groups->imbalance)}};
  }
  if (!e.learned.empty() || p.extrapolated) {
    json["learned"] = learned_json(e);
  }
  if (!e.notes.empty()) {
    json["notes"] = e.notes;
  }
  json["energy"] = energy_json(e.energy);
  json["clock_limiter"] = to_text(e.clock_limiter);
  return json;
}

}  // namespace

Json explain_json(const ExplainReport& report) {
  Json json{{"schema", kAnswerSchema},
            {"gpu", report.gpu.spec.name},
            {"calibrated", report.gpu.calibrated},
            {"problem", problem_json(report.problem)},
            {"regime", to_text(report.regime)},
            {"inputs", to_text(report.inputs)},
            {"elapsed_ms", rounded(report.elapsed.value * 1e3, 4)},
            {"kernels", Json::array()}};
  for (const Explanation& e : report.kernels) {
    Json kernel = explanation_json(report, e);
    if (report.best) {
      kernel["against_best"] = against_json(report, e, *report.best);
    }
    json["kernels"].push_back(std::move(kernel));
  }
  if (report.best) {
    json["best"] = explanation_json(report, *report.best);
  }
  return json;
}

std::string explain_csv(const ExplainReport& report) {
  const Json json = explain_json(report);
  std::string text = csv_titles(kRankingColumns) + "\n";
  int rank = 0;
  const auto add = [&](Json kernel) {
    kernel["rank"] = ++rank;
    text += csv_cells(kernel, kRankingColumns) + "\n";
  };
  if (json.contains("best")) {
    add(json["best"]);
  }
  for (const Json& kernel : json["kernels"]) {
    add(kernel);
  }
  return text;
}

}  // namespace tilecast
