// C++17 wrapper of tilecast.h: objects own what they create, and errors are exceptions.
//
//    tilecast::Plan plan(tilecast::problem(4096, 4096, 4096, TILECAST_BF16));
//   tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
//   ...
//   plan.run(arguments, stream);
#pragma once

#include <tilecast/tilecast.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilecast {

/// A failed call, with the library's error text.
class Failure : public std::runtime_error {
 public:
  explicit Failure(tilecast_status status)
      : std::runtime_error(std::string(tilecast_status_name(status)) + ": " +
                           tilecast_error_text()),
        status_(status) {}
  tilecast_status status() const { return status_; }

 private:
  tilecast_status status_;
};

inline void check(tilecast_status status) {
  if (status != TILECAST_OK) {
    throw Failure(status);
  }
}

inline tilecast_problem problem(std::int64_t m, std::int64_t n, std::int64_t k, tilecast_type type,
                                tilecast_layout layout = TILECAST_TN) {
  tilecast_problem result = TILECAST_PROBLEM_INIT;
  result.m = m;
  result.n = n;
  result.k = k;
  result.type = type;
  result.layout = layout;
  return result;
}

/// Describes attention on packed tensors.
inline tilecast_attention attention(std::int64_t batch, std::int64_t heads, std::int64_t kv_heads,
                                    std::int64_t queries, std::int64_t keys, std::int64_t head_dim,
                                    tilecast_type type, tilecast_mask mask = TILECAST_MASK_FULL) {
  tilecast_attention result = TILECAST_ATTENTION_INIT;
  result.batch = batch;
  result.heads = heads;
  result.kv_heads = kv_heads;
  result.queries = queries;
  result.keys = keys;
  result.head_dim = head_dim;
  result.type = type;
  result.mask = mask;
  return result;
}

namespace detail {

template <class Problem>
std::vector<tilecast_forecast> predict(tilecast_status (*ask)(const Problem*,
                                                              const tilecast_options*,
                                                              tilecast_forecast*, std::size_t*),
                                       const Problem& problem, const tilecast_options& options,
                                       std::size_t most) {
  std::vector<tilecast_forecast> forecasts(most);
  if (most > 0) {
    forecasts.front().struct_size = sizeof(tilecast_forecast);
  }
  std::size_t count = most;
  check(ask(&problem, &options, forecasts.data(), &count));
  forecasts.resize(count);
  return forecasts;
}

}  // namespace detail

/// The `most` configurations with the shortest predicted times, fastest first. Throws Failure.
inline std::vector<tilecast_forecast> predict(
    const tilecast_problem& problem, const tilecast_options& options = TILECAST_OPTIONS_INIT,
    std::size_t most = 1) {
  return detail::predict(tilecast_predict, problem, options, most);
}
inline std::vector<tilecast_forecast> predict(
    const tilecast_attention& problem, const tilecast_options& options = TILECAST_OPTIONS_INIT,
    std::size_t most = 1) {
  return detail::predict(tilecast_attention_predict, problem, options, most);
}

/// The predicted times of given configurations in microseconds, in their order; infinite for one
/// that cannot run. Throws Failure.
inline std::vector<double> rank(const tilecast_problem& problem,
                                const std::vector<const char*>& configs,
                                const tilecast_options& options = TILECAST_OPTIONS_INIT) {
  std::vector<double> times_us(configs.size());
  check(tilecast_rank(&problem, &options, configs.data(), configs.size(), times_us.data()));
  return times_us;
}

/// Owns a plan. Its kernels must have ended before it is destroyed. Every member throws Failure.
class Plan {
 public:
  explicit Plan(const tilecast_problem& problem,
                const tilecast_options& options = TILECAST_OPTIONS_INIT) {
    tilecast_plan* made = nullptr;
    check(tilecast_plan_create(&problem, &options, &made));
    plan_.reset(made);
  }
  explicit Plan(const tilecast_attention& problem,
                const tilecast_options& options = TILECAST_OPTIONS_INIT) {
    tilecast_plan* made = nullptr;
    check(tilecast_attention_plan_create(&problem, &options, &made));
    plan_.reset(made);
  }

  /// Makes the plan whose kernel is the fastest when measured on `arguments`; see
  /// tilecast_plan_tune.
  static Plan tuned(const tilecast_problem& problem, const tilecast_tuning& tuning,
                    const tilecast_arguments& arguments, void* stream = nullptr,
                    const tilecast_options& options = TILECAST_OPTIONS_INIT) {
    Plan plan;
    tilecast_plan* made = nullptr;
    check(tilecast_plan_tune(&problem, &options, &tuning, &arguments, stream, &made, nullptr));
    plan.plan_.reset(made);
    return plan;
  }

  static Plan tuned(const tilecast_attention& problem, const tilecast_tuning& tuning,
                    const tilecast_attention_arguments& arguments, void* stream = nullptr,
                    const tilecast_options& options = TILECAST_OPTIONS_INIT) {
    Plan plan;
    tilecast_plan* made = nullptr;
    check(tilecast_attention_plan_tune(&problem, &options, &tuning, &arguments, stream, &made,
                                       nullptr));
    plan.plan_.reset(made);
    return plan;
  }

  tilecast_forecast forecast() const {
    tilecast_forecast result{};
    result.struct_size = sizeof result;
    check(tilecast_plan_forecast(plan_.get(), &result));
    return result;
  }

  std::size_t workspace_bytes() const {
    std::size_t bytes = 0;
    check(tilecast_plan_workspace(plan_.get(), &bytes));
    return bytes;
  }

  void clear_workspace(void* workspace, std::size_t bytes, void* stream) const {
    check(tilecast_plan_clear_workspace(plan_.get(), workspace, bytes, stream));
  }

  void run(const tilecast_arguments& arguments, void* stream) const {
    check(tilecast_plan_run(plan_.get(), &arguments, stream));
  }
  void run(const tilecast_attention_arguments& arguments, void* stream) const {
    check(tilecast_attention_run(plan_.get(), &arguments, stream));
  }

  tilecast_plan* get() const { return plan_.get(); }

 private:
  Plan() = default;

  struct Destroy {
    void operator()(tilecast_plan* plan) const { tilecast_plan_destroy(plan); }
  };
  std::unique_ptr<tilecast_plan, Destroy> plan_;
};

}  // namespace tilecast
