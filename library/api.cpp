// The functions of include/tilecast/tilecast.h. A handle is a slot that is never freed or reused,
// so that use of a destroyed plan is detected. A slot takes 8 bytes; the plan itself is freed.
#include <tilecast/tilecast.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "library/caller_struct.h"
#include "library/forecast.h"
#include "library/plan.h"
#include "library/status.h"
#include "library/tune.h"

struct tilecast_plan {
  std::atomic<const tilecast::Plan*> plan;
};

namespace {

using tilecast::fail;
using tilecast::Plan;

constexpr std::size_t kFirstForecastSize = 344, kFirstArgumentsSize = 56,
                      kFirstAttentionArgumentsSize = 72;
static_assert(sizeof(tilecast_forecast) >= kFirstForecastSize);
static_assert(sizeof(tilecast_arguments) >= kFirstArgumentsSize);
static_assert(sizeof(tilecast_attention_arguments) >= kFirstAttentionArgumentsSize);
static_assert(TILECAST_VERSION_MAJOR * 10000 + TILECAST_VERSION_MINOR * 100 +
                  TILECAST_VERSION_PATCH ==
              TILECAST_LIBRARY_VERSION);

constexpr std::size_t kMostForecasts = std::size_t{1} << 20;

tilecast_plan* new_handle(std::unique_ptr<const Plan> plan) {
  static std::mutex mutex;
  static std::deque<tilecast_plan>& slots =
      // Never destroyed, because callers may outlive static destructors.
      *new std::deque<tilecast_plan>;
  const std::lock_guard lock(mutex);
  tilecast_plan& slot = slots.emplace_back();
  slot.plan = plan.release();
  return &slot;
}

/// Returns null, with the error text set, for an invalid handle.
const Plan* plan_of(const tilecast_plan* handle) noexcept {
  const Plan* plan = handle == nullptr ? nullptr : handle->plan.load(std::memory_order_acquire);
  if (plan == nullptr) {
    (void)fail(TILECAST_INVALID_ARGUMENT,
               handle == nullptr ? "the plan is null" : "the plan has already been destroyed");
  }
  return plan;
}

/// Returns the plan of one op, or null with the error text set.
template <class OpPlan>
const OpPlan* plan_of_op(const tilecast_plan* handle) noexcept {
  const Plan* const plan = plan_of(handle);
  const OpPlan* const own = dynamic_cast<const OpPlan*>(plan);
  if (plan != nullptr && own == nullptr) {
    (void)fail(TILECAST_INVALID_ARGUMENT,
               "the plan is for another operation: tilecast_plan_run runs GEMMs, "
               "tilecast_attention_run runs attention");
  }
  return own;
}

tilecast_status null_argument(const char* text) { return fail(TILECAST_INVALID_ARGUMENT, text); }

template <class Problem>
tilecast_status predict(const Problem* problem, const tilecast_options* options,
                        tilecast_forecast* forecasts, size_t* count) {
  return tilecast::guarded([&] {
    using tilecast::StatusError;
    if (count == nullptr || *count == 0 || *count > kMostForecasts) {
      throw StatusError(TILECAST_INVALID_ARGUMENT,
                        count == nullptr ? "count is null" : "count must be 1 to 2^20");
    }
    const std::size_t size = tilecast::checked_size(forecasts, kFirstForecastSize, "forecasts");
    const auto request = tilecast::read_request(problem, options);
    const tilecast::LoadedGpu& gpu = tilecast::gpu_of(request, tilecast::gpu_name(request));
    const std::vector<tilecast::Prediction> best =
        tilecast::forecast(request.problem, request, gpu, *count);
    unsigned char* place = reinterpret_cast<unsigned char*>(forecasts);
    for (const tilecast::Prediction& prediction : best) {
      tilecast::write_struct(tilecast::as_c(prediction),
                             reinterpret_cast<tilecast_forecast*>(place), size);
      place += size;
    }
    *count = best.size();
  });
}

template <class OpPlan, class Problem>
tilecast_status create_plan(const Problem* problem, const tilecast_options* options,
                            tilecast_plan** plan) {
  if (plan == nullptr) {
    return null_argument("the output argument for the plan is null");
  }
  *plan = nullptr;
  return tilecast::guarded([&] {
    *plan = new_handle(std::make_unique<const OpPlan>(tilecast::read_request(problem, options)));
  });
}

template <class Problem, class Arguments>
tilecast_status tune_plan(const Problem* problem, const tilecast_options* options,
                          const tilecast_tuning* tuning, const Arguments* arguments,
                          std::size_t first_size, void* stream, tilecast_plan** plan,
                          double* measured_us) {
  if (plan == nullptr) {
    return null_argument("the output argument for the plan is null");
  }
  *plan = nullptr;
  return tilecast::guarded([&] {
    const auto request = tilecast::read_request(problem, options);
    auto tuned =
        tilecast::tune(request, tilecast::read_tuning(tuning, request),
                       tilecast::checked_struct(arguments, first_size, "arguments"), stream);
    *plan = new_handle(std::move(tuned.plan));
    if (measured_us != nullptr) {
      *measured_us = tuned.measured_us;
    }
  });
}

template <class OpPlan, class Arguments>
tilecast_status run_plan(const tilecast_plan* plan, const Arguments* arguments,
                         std::size_t first_size, void* stream) {
  const OpPlan* const found = plan_of_op<OpPlan>(plan);
  if (found == nullptr) {
    return TILECAST_INVALID_ARGUMENT;
  }
  Arguments mine;
  const tilecast_status readable = tilecast::guarded(
      [&] { mine = tilecast::checked_struct(arguments, first_size, "arguments"); });
  return readable == TILECAST_OK ? found->run(mine, stream) : readable;
}

}  // namespace

int tilecast_version(void) { return TILECAST_VERSION; }

const char* tilecast_error_text(void) { return tilecast::error_text(); }

const char* tilecast_status_name(int status) {
  switch (status) {
    case TILECAST_OK:
      return "TILECAST_OK";
    case TILECAST_INVALID_ARGUMENT:
      return "TILECAST_INVALID_ARGUMENT";
    case TILECAST_UNSUPPORTED:
      return "TILECAST_UNSUPPORTED";
    case TILECAST_NO_DEVICE:
      return "TILECAST_NO_DEVICE";
    case TILECAST_WRONG_DEVICE:
      return "TILECAST_WRONG_DEVICE";
    case TILECAST_WORKSPACE_TOO_SMALL:
      return "TILECAST_WORKSPACE_TOO_SMALL";
    case TILECAST_CUDA_ERROR:
      return "TILECAST_CUDA_ERROR";
    case TILECAST_FILE_ERROR:
      return "TILECAST_FILE_ERROR";
    case TILECAST_OUT_OF_MEMORY:
      return "TILECAST_OUT_OF_MEMORY";
    case TILECAST_INTERNAL_ERROR:
      return "TILECAST_INTERNAL_ERROR";
  }
  return "unknown status";
}

tilecast_status tilecast_predict(const tilecast_problem* problem, const tilecast_options* options,
                                 tilecast_forecast* forecasts, size_t* count) {
  return predict(problem, options, forecasts, count);
}

tilecast_status tilecast_rank(const tilecast_problem* problem, const tilecast_options* options,
                              const char* const* configs, size_t count, double* times_us) {
  return tilecast::guarded([&] {
    using tilecast::refuse_if;
    using tilecast::InvalidArgument;
    refuse_if<InvalidArgument>(configs == nullptr || times_us == nullptr, "{} is null",
                               configs == nullptr ? "configs" : "times_us");
    refuse_if<InvalidArgument>(count == 0 || count > kMostForecasts, "count must be 1 to 2^20");
    const auto request = tilecast::read_request(problem, options);
    refuse_if<InvalidArgument>(request.config.has_value(),
                               "options.config is given, but tilecast_rank takes configs");
    const tilecast::LoadedGpu& gpu = tilecast::gpu_of(request, tilecast::gpu_name(request));
    constexpr double kMicro = 1e6;
    for (const tilecast::Seconds time :
         tilecast::times_of(request.problem, request, gpu, {configs, count})) {
      *times_us++ = time.value * kMicro;
    }
  });
}

tilecast_status tilecast_attention_predict(const tilecast_attention* problem,
                                           const tilecast_options* options,
                                           tilecast_forecast* forecasts, size_t* count) {
  return predict(problem, options, forecasts, count);
}

tilecast_status tilecast_plan_create(const tilecast_problem* problem,
                                     const tilecast_options* options, tilecast_plan** plan) {
  return create_plan<tilecast::PlanOf<tilecast::GemmRequest>>(problem, options, plan);
}

tilecast_status tilecast_attention_plan_create(const tilecast_attention* problem,
                                               const tilecast_options* options,
                                               tilecast_plan** plan) {
  return create_plan<tilecast::PlanOf<tilecast::AttentionRequest>>(problem, options, plan);
}

tilecast_status tilecast_plan_tune(const tilecast_problem* problem, const tilecast_options* options,
                                   const tilecast_tuning* tuning,
                                   const tilecast_arguments* arguments, void* stream,
                                   tilecast_plan** plan, double* measured_us) {
  return tune_plan(problem, options, tuning, arguments, kFirstArgumentsSize, stream, plan,
                   measured_us);
}

tilecast_status tilecast_attention_plan_tune(const tilecast_attention* problem,
                                             const tilecast_options* options,
                                             const tilecast_tuning* tuning,
                                             const tilecast_attention_arguments* arguments,
                                             void* stream, tilecast_plan** plan,
                                             double* measured_us) {
  return tune_plan(problem, options, tuning, arguments, kFirstAttentionArgumentsSize, stream, plan,
                   measured_us);
}

tilecast_status tilecast_plan_forecast(const tilecast_plan* plan, tilecast_forecast* forecast) {
  const Plan* const found = plan_of(plan);
  if (found == nullptr) {
    return TILECAST_INVALID_ARGUMENT;
  }
  return tilecast::guarded([&] {
    const std::size_t size = tilecast::checked_size(forecast, kFirstForecastSize, "forecast");
    tilecast::write_struct(found->forecast(), forecast, size);
  });
}

tilecast_status tilecast_plan_workspace(const tilecast_plan* plan, size_t* bytes) {
  const Plan* const found = plan_of(plan);
  if (found == nullptr) {
    return TILECAST_INVALID_ARGUMENT;
  }
  if (bytes == nullptr) {
    return null_argument("the output argument for the bytes is null");
  }
  *bytes = found->workspace_bytes();
  return TILECAST_OK;
}

tilecast_status tilecast_plan_clear_workspace(const tilecast_plan* plan, void* workspace,
                                              size_t workspace_bytes, void* stream) {
  const Plan* const found = plan_of(plan);
  return found == nullptr ? TILECAST_INVALID_ARGUMENT
                          : found->clear(workspace, workspace_bytes, stream);
}

tilecast_status tilecast_plan_run(const tilecast_plan* plan, const tilecast_arguments* arguments,
                                  void* stream) {
  return run_plan<tilecast::PlanOf<tilecast::GemmRequest>>(plan, arguments, kFirstArgumentsSize,
                                                           stream);
}

tilecast_status tilecast_attention_run(const tilecast_plan* plan,
                                       const tilecast_attention_arguments* arguments,
                                       void* stream) {
  return run_plan<tilecast::PlanOf<tilecast::AttentionRequest>>(
      plan, arguments, kFirstAttentionArgumentsSize, stream);
}

void tilecast_plan_destroy(tilecast_plan* plan) {
  if (plan != nullptr) {
    delete plan->plan.exchange(nullptr, std::memory_order_acq_rel);
  }
}
