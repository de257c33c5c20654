#include "reports/prediction_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/rules/compiler_rejections.h"

namespace tilecast {
namespace {

/// A number of a prediction as stored in the file.
struct Field {
  std::string_view name;
  double& (*of)(Prediction&);
};

constexpr Field kFields[] = {
    {"cycles", [](Prediction& p) -> double& { return p.cycles.value; }},
    {"sm_clock", [](Prediction& p) -> double& { return p.sm_clock.value; }},
    {"time", [](Prediction& p) -> double& { return p.time.value; }},
    {"interval_low", [](Prediction& p) -> double& { return p.interval_low.value; }},
    {"interval_high", [](Prediction& p) -> double& { return p.interval_high.value; }},
    {"closed_form_time", [](Prediction& p) -> double& { return p.closed_form_time.value; }},
    {"cycles_correction", [](Prediction& p) -> double& { return p.cycles_correction; }},
    {"clock_correction", [](Prediction& p) -> double& { return p.clock_correction; }},
    {"tflops", [](Prediction& p) -> double& { return p.tflops; }},
    {"power", [](Prediction& p) -> double& { return p.power.value; }},
    {"tensor", [](Prediction& p) -> double& { return p.shares.tensor; }},
    {"shared_memory", [](Prediction& p) -> double& { return p.shares.shared_memory; }},
    {"sm_intake", [](Prediction& p) -> double& { return p.shares.sm_intake; }},
    {"l2", [](Prediction& p) -> double& { return p.shares.l2; }},
    {"dram", [](Prediction& p) -> double& { return p.shares.dram; }},
    {"l2_to_sm", [](Prediction& p) -> double& { return p.l2_to_sm.value; }},
    {"dram_read", [](Prediction& p) -> double& { return p.dram_read.value; }},
    {"dram_write", [](Prediction& p) -> double& { return p.dram_write.value; }},
    {"l2_hit_rate", [](Prediction& p) -> double& { return p.l2_hit_rate; }}};
constexpr std::size_t kWords = 3;  // key, method, limiter, before the numbers

std::string header() {
  std::string text = "key,method,limiter";
  for (const Field& field : kFields) {
    text += fmt::format(",{}", field.name);
  }
  return text;
}

/// Returns the line without its key.
std::string line_of(Prediction p) {
  std::string line = fmt::format("{},{}", to_text(p.method), to_text(p.limiter));
  for (const Field& field : kFields) {
    line += fmt::format(",{:.17g}", field.of(p));
  }
  return line;
}

/// Parses the part after the key. Errors begin with `where`.
Prediction prediction_of(const AnyConfig& config, std::string_view line, const std::string& where) {
  const std::vector<std::string_view> fields = split(line, ',');
  constexpr std::size_t kExpected = kWords - 1 + std::size(kFields);
  if (fields.size() != kExpected) {
    throw ConfigError(fmt::format("{}: expected {} fields after the key, got {}", where, kExpected,
                                  fields.size()));
  }
  Prediction p{};
  p.config = config;
  p.method = parse_method(fields[0]);
  p.limiter = parse_limiter(fields[1]);
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    const std::string_view text = fields[kWords - 1 + i];
    const std::optional<double> number = parse_number(text);
    if (!number) {
      throw ConfigError(fmt::format("{}: expected a number, got '{}'", where, text));
    }
    kFields[i].of(p) = *number;
  }
  return p;
}

}  // namespace

PredictionCache::PredictionCache(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty() || !std::filesystem::exists(path_)) {
    return;
  }
  const std::string name = path_.string(), expected = header(), content = read_file(path_);
  std::vector<std::string_view> lines = split(without_bom(content), '\n');
  if (lines.front() != expected && lines.front().starts_with("key,")) {
    return;  // written by an earlier version with other fields
  }
  if (lines.front() != expected) {
    throw ConfigError(fmt::format(
        "{}:1: expected the header of stored predictions; move the file, or choose another", name));
  }
  if (lines.size() > 1) {
    lines.pop_back();  // empty or truncated
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t comma = std::min(lines[i].find(','), lines[i].size() - 1);
    const std::string_view rest = lines[i].substr(comma + 1);
    (void)prediction_of({}, rest, fmt::format("{}:{}", name, i + 1));
    lines_.emplace(lines[i].substr(0, comma), rest);
  }
}

Prediction PredictionCache::get(u64 base, const AnyProblem& problem, const AnyConfig& config,
                                Regime regime, Inputs inputs, const Predictor& predict) {
  u64 hash = hash_of(to_text(problem), base);
  hash = hash_of(to_text(config), hash);
  hash = hash_of(to_text(regime), hash);
  const std::string key = fmt::format("{:016x}", hash_of(to_text(inputs), hash));
  {
    const std::lock_guard lock(mutex_);
    if (const auto kept = lines_.find(key); kept != lines_.end()) {
      return prediction_of(config, kept->second, "prediction");
    }
  }
  const Prediction prediction = predict(problem, config, regime, inputs);
  const std::lock_guard lock(mutex_);
  if (const auto [made, is_new] = lines_.emplace(key, line_of(prediction)); is_new) {
    store(key, made->second);
  }
  return prediction;
}

void PredictionCache::store(const std::string& key, const std::string& line) {
  if (path_.empty()) {
    return;
  }
  if (file_.is_open()) {
    file_ << key << ',' << line << '\n';
  } else {  // rewritten completely, since its last line may be truncated
    std::string text = header() + '\n';
    for (const auto& [kept, rest] : lines_) {
      text += kept + ',' + rest + '\n';
    }
    write_file(path_, text);
    file_.open(path_, std::ios::app);
  }
  if (!file_.flush()) {
    throw FileError(path_.string() + ": cannot write");
  }
}

u64 base_of(const LoadedGpu& gpu, std::string_view model) {
  u64 hash = hash_of(model, kHashSeed);
  hash = hash_of(gpu.spec.name, hash);
  for (const Constant& constant : gpu.constants) {
    hash = hash_of(fmt::format("{} {:.17g} {}", constant.key_path, constant.value, constant.unit),
                   hash);
  }
  for (const CompilerRejection& rejection : *gpu.spec.compiler_rejections) {
    hash = hash_of(to_text(rejection), hash);
  }
  return gpu.spec.learned == nullptr
             ? hash
             : hash_of(learned_yaml(gpu.spec.name, *gpu.spec.learned), hash);
}

}  // namespace tilecast
