#include "model/spec/learned_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/parallel.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/base/words.h"
#include "model/spec/learned_files.h"
#include "model/spec/strict_map.h"

namespace tilecast {
namespace {

// Wide bounds on the numbers that a calibration writes.
constexpr double kMostSpread = 1, kLeastNoise = 1e-3, kMostNoise = 100, kMostOff = 3,
                 kMostWeight = 1e5;
constexpr double kMostPriorNoise = 1e6, kMostDeviations = 20, kMostFeature = 1e6,
                 kLeastLength = 1e-6, kMostLength = 1e9;

constexpr std::array<std::string_view, 2> kMethods{"analytic", "simulated"};
constexpr std::array<std::string_view, 2> kOutputs{"cycles", "clock"};

LearnedMethod& method_of(LearnedModel& model, std::size_t i) {
  return i == 0 ? model.analytic : model.simulated;
}
LearnedOutput& output_of(LearnedMethod& method, std::size_t i) {
  return i == 0 ? method.cycles : method.clock;
}

std::string csv_header(FeatureNames features) {
  std::string header = "problem,config,regime,near_best";
  for (const std::string_view method : kMethods) {
    for (const std::string_view output : kOutputs) {
      header += fmt::format(",{0}_{1}_off,{0}_{1}_weight", method, output);
    }
  }
  for (const std::string_view feature : features) {
    header += fmt::format(",{}", feature);
  }
  return header;
}

/// Reads the fields of one CSV line in order.
class LearnedLineReader {
 public:
  LearnedLineReader(std::string_view line, std::string where)
      : rest_(line), where_(std::move(where)) {}

  std::string_view text() {
    const bool quoted = rest_.starts_with('"');
    const std::size_t end = quoted ? rest_.find('"', 1) : rest_.find(',');
    if (quoted && end == std::string_view::npos) {
      fail("expected a closing quote");
    }
    const std::string_view field = quoted ? rest_.substr(1, end - 1) : rest_.substr(0, end);
    const std::size_t next = quoted ? end + 1 : end;
    rest_ = next < rest_.size() ? rest_.substr(next + 1) : std::string_view();
    return field;
  }
  double number(std::string_view column, double most) {
    const std::string_view field = text();
    const std::optional<double> value = parse_number(field);
    if (!value || std::abs(*value) > most) {
      fail(fmt::format("{}: expected a number of magnitude up to {:g}, got '{}'", column, most,
                       printable(field)));
    }
    return *value;
  }
  void require_end() const {
    if (!rest_.empty()) {
      fail("more fields than columns");
    }
  }
  [[noreturn]] void fail(std::string_view why) const {
    throw ConfigError(fmt::format("{}: {}", where_, why));
  }

 private:
  std::string_view rest_;
  std::string where_;
};

void read_row(LearnedLineReader& line, LearnedModel& model) {
  LearnedRow row{.problem = std::string(line.text()),
                 .config = std::string(line.text()),
                 .regime = {},
                 .near_best = false,
                 .features = {}};
  const std::string_view regime = line.text();
  if (regime != to_text(Regime::kBurst) && regime != to_text(Regime::kSustained)) {
    line.fail("regime: expected burst or sustained");
  }
  row.regime = regime == to_text(Regime::kBurst) ? Regime::kBurst : Regime::kSustained;
  row.near_best = line.number("near_best", 1) != 0;
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    for (std::size_t o = 0; o < kOutputs.size(); ++o) {
      LearnedOutput& output = output_of(method_of(model, m), o);
      output.off.push_back(line.number("off", kMostOff));
      output.weight.push_back(line.number("weight", kMostWeight));
    }
  }
  for (std::size_t f = 0; f < model.features.size(); ++f) {
    row.features[f] = line.number(model.features[f], kMostFeature);
  }
  line.require_end();
  model.rows.push_back(std::move(row));
}

/// Reads the lines of the file from line `number` on.
void read_rows(std::string_view lines, std::size_t number, const std::string& file,
               LearnedModel& model) {
  for (; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (number > 1) {
      LearnedLineReader reader(line, fmt::format("{}:{}", file, number));
      read_row(reader, model);
    } else if (line != csv_header(model.features)) {
      throw ConfigError(fmt::format(
          "{}:1: expected the columns of this version of tilecast: calibrate again", file));
    }
  }
}

void append_rows(LearnedModel more, LearnedModel& model) {
  std::ranges::move(more.rows, std::back_inserter(model.rows));
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    for (std::size_t o = 0; o < kOutputs.size(); ++o) {
      LearnedOutput& all = output_of(method_of(model, m), o);
      const LearnedOutput& own = output_of(method_of(more, m), o);
      all.off.insert(all.off.end(), own.off.begin(), own.off.end());
      all.weight.insert(all.weight.end(), own.weight.begin(), own.weight.end());
    }
  }
}

void read_method(const StrictValue& value, LearnedMethod& method) {
  const StrictMap map = value.map({"cycles", "clock", "reach"});
  for (std::size_t o = 0; o < kOutputs.size(); ++o) {
    const StrictMap output = map.required(kOutputs[o]).map({"spread"});
    output_of(method, o).spread = output.required("spread").number(0, kMostSpread);
  }
  std::vector<std::string> limiters;
  std::ranges::transform(kReachCounted, std::back_inserter(limiters),
                         [](Limiter limiter) { return std::string(to_text(limiter)); });
  const StrictMap reach = map.required("reach").map(limiters);
  for (std::size_t i = 0; i < limiters.size(); ++i) {
    method.reach.each[i] = reach.required(limiters[i]).number(0, kMostDeviations);
  }
}

void read_prior(const StrictValue& value, LearnedModel& model) {
  const StrictMap map = value.map({"gpu", "rows", "noise"});
  model.prior = {map.required("gpu").text(),
                 static_cast<std::size_t>(
                     map.required("rows").integer(1, static_cast<i64>(model.rows.size()))),
                 map.required("noise").number(1, kMostPriorNoise)};
}

Features read_lengths(const StrictValue& value, FeatureNames features) {
  const StrictMap map = value.map({features.begin(), features.end()});
  Features length{};
  for (std::size_t f = 0; f < features.size(); ++f) {
    length[f] = map.required(features[f]).number(kLeastLength, kMostLength);
  }
  return length;
}

std::string method_text(std::string_view name, const LearnedMethod& method) {
  std::string text = fmt::format("{}:\n", name);
  for (const auto& [word, output] :
       {std::pair("cycles", &method.cycles), std::pair("clock", &method.clock)}) {
    text += fmt::format("  {}: {{spread: {:.5g}}}\n", word, output->spread);
  }
  text += "  reach:";
  for (const Limiter limiter : kReachCounted) {
    text += fmt::format("{}{}: {:.4g}", limiter == kReachCounted[0] ? " {" : ", ", to_text(limiter),
                        method.reach.of(limiter));
  }
  return text + "}\n";
}

}  // namespace

double noise_variance(Regime regime, bool near_best) {
  constexpr double kSustained = 2, kFarFromBest = 4;
  return (regime == Regime::kSustained ? kSustained : 1) * (near_best ? 1 : kFarFromBest);
}

LearnedModel load_learned(const std::filesystem::path& yaml, const std::string& gpu,
                          FeatureNames features) {
  return learned_of(read_learned(yaml, features), gpu);
}

LearnedModel learned_of(LearnedFiles files, const std::string& gpu) {
  if (files.name.text() != gpu) {
    files.name.fail(fmt::format("expected {}", gpu));
  }
  return std::move(files.model);
}

LearnedFiles read_learned(const std::filesystem::path& yaml, FeatureNames features) {
  const StrictMap map = load_yaml(yaml).map({"name", "overlay", "rows", "prior", "lengths", "noise",
                                             kMethods[0].data(), kMethods[1].data()});
  LearnedModel model{.features = features,
                     .length = read_lengths(map.required("lengths"), features),
                     .noise = map.required("noise").number(kLeastNoise, kMostNoise)};
  if (const std::optional<StrictValue> overlay = map.optional("overlay")) {
    model.overlay = overlay->text();
  }
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    read_method(map.required(kMethods[m]), method_of(model, m));
  }
  const std::filesystem::path csv = std::filesystem::path(yaml).replace_extension(".csv");
  const std::string text = read_file(csv);
  const std::string_view all = text, half = all.substr(0, all.find('\n', all.size() / 2));
  LearnedModel second{.features = features};
  parallel_for(3, 0, [&](std::size_t part) {
    if (part == 0 && map.required("rows").text() != hash_text(text)) {
      map.required("rows").fail(
          fmt::format("does not match the hash of {}: calibrate again", csv.string()));
    } else if (part == 1) {
      read_rows(half, 1, csv.string(), model);
    } else if (part == 2 && half.size() < all.size()) {
      const auto lines = static_cast<std::size_t>(std::ranges::count(half, '\n')) + 1;
      read_rows(all.substr(half.size() + 1), lines + 1, csv.string(), second);
    }
  });
  append_rows(std::move(second), model);
  if (const std::optional<StrictValue> prior = map.optional("prior")) {
    read_prior(*prior, model);
  }
  return {map.required("name"), std::move(model)};
}

std::string learned_yaml(const std::string& gpu, const LearnedModel& model) {
  std::string text = fmt::format(
      "# Written by `tilecast calibrate`; what the numbers are: model/spec/learned_model.h.\n"
      "name: {}\n{}rows: \"{}\"\n{}lengths:\n",
      gpu, model.overlay.empty() ? "" : fmt::format("overlay: \"{}\"\n", model.overlay),
      hash_text(learned_csv(model)),
      model.prior.rows == 0 ? ""
                            : fmt::format("prior: {{gpu: {}, rows: {}, noise: {:.4g}}}\n",
                                          model.prior.gpu, model.prior.rows, model.prior.noise));
  for (std::size_t f = 0; f < model.features.size(); ++f) {
    text += fmt::format("  {}: {:.4g}\n", model.features[f], model.length[f]);
  }
  return text + fmt::format("noise: {:.5g}\n", model.noise) +
         method_text(kMethods[0], model.analytic) + method_text(kMethods[1], model.simulated);
}

std::string learned_csv(const LearnedModel& model) {
  std::string text = csv_header(model.features) + "\n";
  for (std::size_t i = 0; i < model.rows.size(); ++i) {
    const LearnedRow& row = model.rows[i];
    text += fmt::format("\"{}\",\"{}\",{},{}", row.problem, row.config, to_text(row.regime),
                        row.near_best ? 1 : 0);
    for (const LearnedMethod* method : {&model.analytic, &model.simulated}) {
      for (const LearnedOutput* output : {&method->cycles, &method->clock}) {
        text += fmt::format(",{:.4g},{:.6g}", output->off[i], output->weight[i]);
      }
    }
    for (std::size_t f = 0; f < model.features.size(); ++f) {
      text += fmt::format(",{:.4g}", row.features[f]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tilecast
