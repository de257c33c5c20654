#include "reports/prediction_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"
#include "reports/hash.h"

namespace tilecast {
namespace {

constexpr std::string_view kHeader =
    "key,method,cycles,sm_clock,time,interval_low,interval_high,closed_form_time,tflops,power,"
    "limiter,tensor,"
    "shared_memory,l2,dram,l2_to_sm,dram_read,dram_write,l2_hit_rate";
constexpr std::size_t kFields = 18;  // without the key

std::string line_of(const Prediction& p) {
  return fmt::format(
      "{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{},{:.17g},{:.17g},"
      "{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}",
      static_cast<int>(p.method), p.cycles.value, p.sm_clock.value, p.time.value,
      p.interval_low.value, p.interval_high.value, p.closed_form_time.value, p.tflops,
      p.power.value, static_cast<int>(p.limiter), p.shares.tensor, p.shares.shared_memory,
      p.shares.l2, p.shares.dram, p.l2_to_sm.value, p.dram_read.value, p.dram_write.value,
      p.l2_hit_rate);
}

std::vector<double> numbers_of(std::string_view line, const std::string& where) {
  std::vector<double> numbers;
  for (const std::string_view field : split(line, ',')) {
    const std::optional<double> number = parse_number(field);
    if (!number) {
      throw ConfigError(fmt::format("{}: expected a number, got '{}'", where, field));
    }
    numbers.push_back(*number);
  }
  if (numbers.size() != kFields) {
    throw ConfigError(fmt::format("{}: expected {} numbers behind the key, got {}", where, kFields,
                                  numbers.size()));
  }
  return numbers;
}

Prediction prediction_of(const AnyConfig& config, std::string_view line) {
  const std::vector<double> n = numbers_of(line, "prediction");
  std::size_t at = 0;
  const auto next = [&] { return n[at++]; };
  Prediction p{};
  p.config = config;
  p.method = static_cast<Method>(static_cast<int>(next()));
  p.cycles = Cycles{next()};
  p.sm_clock = Hertz{next()};
  p.time = Seconds{next()};
  p.interval_low = Seconds{next()};
  p.interval_high = Seconds{next()};
  p.closed_form_time = Seconds{next()};
  p.tflops = next();
  p.power = Watts{next()};
  p.limiter = static_cast<Limiter>(static_cast<int>(next()));
  p.shares.tensor = next();
  p.shares.shared_memory = next();
  p.shares.l2 = next();
  p.shares.dram = next();
  p.l2_to_sm = Bytes{next()};
  p.dram_read = Bytes{next()};
  p.dram_write = Bytes{next()};
  p.l2_hit_rate = next();
  return p;
}

}  // namespace

PredictionCache PredictionCache::parse(std::string_view text, std::string_view name) {
  PredictionCache cache;
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.front() != kHeader && lines.front().starts_with("key,")) {
    return cache;  // an earlier version's, with other fields
  }
  if (lines.front() != kHeader || !lines.back().empty()) {
    throw ConfigError(fmt::format(
        "{}:1: expected whole lines under the header of stored predictions; delete the file",
        name));
  }
  lines.pop_back();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t comma = std::min(lines[i].find(','), lines[i].size() - 1);
    const std::string_view rest = lines[i].substr(comma + 1);
    numbers_of(rest, fmt::format("{}:{}", name, i + 1));
    cache.kept_.emplace(lines[i].substr(0, comma), rest);
  }
  return cache;
}

PredictionCache PredictionCache::read(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? parse(read_file(path), path.string()) : PredictionCache();
}

const std::string* PredictionCache::find(const std::string& key) {
  const std::lock_guard lock(*mutex_);
  const auto kept = kept_.find(key);
  const auto used = kept == kept_.end() ? used_.find(key) : used_.insert(*kept).first;
  return used == used_.end() ? nullptr : &used->second;  // stays where it is while others are added
}

Prediction PredictionCache::get(u64 base, const AnyProblem& problem, const AnyConfig& config,
                                Regime regime, Inputs inputs, const Predictor& predict) {
  u64 hash = hash_of(to_text(problem), base);
  hash = hash_of(to_text(config), hash);
  hash = hash_of(to_text(regime), hash);
  const std::string key = fmt::format("{:016x}", hash_of(to_text(inputs), hash));
  if (const std::string* line = find(key)) {
    return prediction_of(config, *line);
  }
  const Prediction prediction = predict(problem, config, regime, inputs);
  const std::lock_guard lock(*mutex_);
  made_ += used_.emplace(key, line_of(prediction)).second ? 1 : 0;
  return prediction;
}

std::string PredictionCache::text() const {
  std::string text(kHeader);
  text += '\n';
  for (const auto& [key, line] : used_) {
    text += key + ',' + line + '\n';
  }
  return text;
}

u64 base_of(const LoadedGpu& gpu, std::string_view model) {
  u64 hash = hash_of(model, kHashSeed);
  hash = hash_of(gpu.spec.name, hash);
  for (const Constant& constant : gpu.constants) {
    hash = hash_of(fmt::format("{} {:.17g} {}", constant.key_path, constant.value, constant.unit),
                   hash);
  }
  for (const CompilerRejection& rejection : gpu.spec.compiler_rejections) {
    hash = hash_of(rejection.reason, hash);
    hash = hash_of(rejection.schedule ? to_text(*rejection.schedule) : "any", hash);
    for (const std::optional<i32>& number : rejection.numbers) {
      hash = hash_of(number ? std::to_string(*number) : "any", hash);
    }
  }
  return hash;
}

}  // namespace tilecast
