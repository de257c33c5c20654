#include "library/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <variant>

#include "library/status.h"
#include "model/attention/attention_model.h"
#include "model/base/error.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/rules/split_rules.h"
#include "model/ops/any_op.h"
#include "model/predict/predict.h"
#include "model/spec/kept_gpu.h"
#include "model/stream/stream_rules.h"

namespace tilecast {
namespace {

constexpr Inputs kInputs = Inputs::kNormal;

template <std::size_t kSize>
void put(char (&field)[kSize], std::string_view text) {
  TILECAST_ASSERT(text.size() < kSize);
  std::memcpy(field, text.data(), text.size());
}

/// Ranks the `keep` fastest configurations that a plan can run, restricted to matches of `config`
/// if given.
Ranking rank_for_plans(const AnyProblem& problem, const Request& request, const GpuSpec& gpu,
                       std::size_t keep, const std::optional<ConfigPattern>& config) {
  constexpr std::size_t kOrderedAnyway = 64;  // number per schedule, as in predict.h
  for (std::size_t asked = std::max(keep, kOrderedAnyway);; asked *= 2) {
    const Effort effort{.threads = request.threads};
    Ranking ranking =
        config ? rank_matching(gpu, problem, *config, request.regime, kInputs, asked, effort)
               : rank_candidates(gpu, problem, {}, request.regime, kInputs, asked, effort);
    std::vector<Prediction>& found = ranking.predictions;
    const bool all = found.size() < asked;
    std::erase_if(found, [](const Prediction& p) { return can_deadlock(p.config); });
    if (all && found.empty()) {
      refuse_deadlock(request.config.value_or("every configuration"));
    }
    if (all || found.size() >= keep) {
      found.resize(std::min(found.size(), keep));
      return ranking;
    }
  }
}

void require_solvable(const AnyProblem& problem, const GpuSpec& gpu) {
  const std::string why =
      std::visit([&](const auto& own) { return why_not_solvable(gpu, own); }, problem);
  if (!why.empty()) {
    throw StatusError(TILECAST_UNSUPPORTED, why);
  }
}

}  // namespace

const LoadedGpu& gpu_of(const Request& request, const std::string& name) {
  const LoadedGpu& gpu = kept_gpu(name, request.use_calibration, request.config_folder);
  if (const std::string why = why_not_schedulable(gpu.spec); !why.empty()) {
    throw StatusError(TILECAST_UNSUPPORTED, why);
  }
  return gpu;
}

bool can_deadlock(const AnyConfig& config) {
  const KernelConfig* const gemm = std::get_if<KernelConfig>(&config);
  return gemm != nullptr && needs_all_pieces_resident(*gemm);
}

void refuse_deadlock(const std::string& config) {
  throw StatusError(TILECAST_UNSUPPORTED,
                    fmt::format("{}: reduction=spread can deadlock if another kernel runs at the "
                                "same time, so libtilecast does not run it",
                                config));
}

std::vector<Prediction> forecast(const AnyProblem& problem, const Request& request,
                                 const LoadedGpu& gpu, std::size_t keep) {
  require_solvable(problem, gpu.spec);
  const std::optional<ConfigPattern> config =
      request.config ? std::optional<ConfigPattern>(*request.config) : std::nullopt;
  Ranking ranking = config && config->whole()
                        ? rank_one(gpu.spec, problem, *config->whole(), request.regime, kInputs)
                        : rank_for_plans(problem, request, gpu.spec, keep, config);
  return std::move(ranking.predictions);
}

std::vector<Seconds> times_of(const AnyProblem& problem, const Request& request,
                              const LoadedGpu& gpu, std::span<const char* const> configs) {
  require_solvable(problem, gpu.spec);
  std::vector<ConfigPattern> read;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    refuse_if<InvalidArgument>(configs[i] == nullptr, "configs[{}] is null", i);
    try {
      read.emplace_back(configs[i]);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("configs[{}]: {}", i, error.what()));
    }
  }
  return analytic_times(gpu.spec, problem, read, request.regime, kInputs, request.threads);
}

tilecast_forecast as_c(const Prediction& p) {
  constexpr double kMicro = 1e6, kPerMega = 1e-6;
  tilecast_forecast forecast{};
  put(forecast.config, to_text(p.config));
  put(forecast.limiter, to_text(p.limiter));
  forecast.time_us = p.time.value * kMicro;
  forecast.interval_low_us = p.interval_low.value * kMicro;
  forecast.interval_high_us = p.interval_high.value * kMicro;
  forecast.tflops = p.tflops;
  forecast.cycles = p.cycles.value;
  forecast.sm_clock_mhz = p.sm_clock.value * kPerMega;
  forecast.power_w = p.power.value;
  forecast.simulated = p.method == Method::kSimulated ? 1 : 0;
  forecast.extrapolated = p.extrapolated ? 1 : 0;
  return forecast;
}

}  // namespace tilecast
