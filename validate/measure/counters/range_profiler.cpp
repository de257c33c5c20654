#include "validate/measure/counters/range_profiler.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "kernels/jit/cuda_error.h"
#include "validate/measure/counters/cupti_error.h"
#include "validate/measure/counters/cupti_params.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {
namespace {

constexpr unsigned kContextCallSince = 4000;
constexpr std::size_t kMostPasses = 256;
constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr double kNanosecond = 1e-9;
constexpr int kDurationPairs = 5;
constexpr int kMoreLaunches = 8;  // additional launches in the longer range of a pair

CUcontext current_context() {
  TILECAST_CUDA(cudaFree(nullptr));  // creates the context
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  TILECAST_CUDA(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, kContextCallSince,
                                                 cudaEnableDefault, &found));
  CUcontext context = nullptr;
  if (found != cudaDriverEntryPointSuccess || function == nullptr ||
      reinterpret_cast<decltype(&cuCtxGetCurrent)>(function)(&context) != CUDA_SUCCESS ||
      context == nullptr) {
    throw CountersUnavailable(CountersState::kFailed, "no hardware counters: no CUDA context");
  }
  return context;
}

/// Starts CUPTI's profiling interface at the first call in a process, until the process ends. The
/// calls for counters require it, and most of them do not check for it.
void start_profiling() {
  struct Profiling {
    Profiling() {
      TILECAST_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, params);
      TILECAST_COUNTERS(cuptiProfilerInitialize(&params));
    }
    ~Profiling() {
      TILECAST_CUPTI_PARAMS(CUpti_Profiler_DeInitialize_Params, params);
      cuptiProfilerDeInitialize(&params);
    }
  };
  static const Profiling started;
}

int current_device_ordinal() {
  int ordinal = 0;
  TILECAST_CUDA(cudaGetDevice(&ordinal));
  return ordinal;
}

void synchronize() { TILECAST_CUDA(cudaDeviceSynchronize()); }

/// Enables the range profiler for the current context, with one plan.
class Session {
 public:
  explicit Session(const MetricPlan& plan) : plan_(plan) {
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = current_context();
    TILECAST_COUNTERS(cuptiRangeProfilerEnable(&enable));
    profiler_ = enable.pRangeProfilerObject;
    try {
      configure();
    } catch (...) {
      disable();
      throw;
    }
  }
  ~Session() { disable(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Makes a pass; returns true after the last pass.
  bool pass(const std::function<void()>& launch) {
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = profiler_;
    TILECAST_COUNTERS(cuptiRangeProfilerStart(&start));
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = "launch";
    TILECAST_COUNTERS(cuptiRangeProfilerPushRange(&push));
    launch();
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
    pop.pRangeProfilerObject = profiler_;
    TILECAST_COUNTERS(cuptiRangeProfilerPopRange(&pop));
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = profiler_;
    TILECAST_COUNTERS(cuptiRangeProfilerStop(&stop));
    synchronize();
    return stop.isAllPassSubmitted != 0;
  }

  std::vector<double> values() {
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = profiler_;
    TILECAST_COUNTERS(cuptiRangeProfilerDecodeData(&decode));
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    TILECAST_COUNTERS(cuptiRangeProfilerGetCounterDataInfo(&info));
    if (info.numTotalRanges != 1 || decode.numOfRangeDropped != 0) {
      throw CountersUnavailable(
          CountersState::kFailed,
          fmt::format("no hardware counters: CUPTI delivered {} ranges and dropped {}, expected 1 "
                      "and 0",
                      info.numTotalRanges, decode.numOfRangeDropped));
    }
    return plan_.evaluate(data_, 0);
  }

 private:
  void configure() {
    std::vector<const char*> names = plan_.names();
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    TILECAST_COUNTERS(cuptiRangeProfilerGetCounterDataSize(&size));
    data_.resize(size.counterDataSize);
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
    initialize.pRangeProfilerObject = profiler_;
    initialize.pCounterData = data_.data();
    initialize.counterDataSize = data_.size();
    TILECAST_COUNTERS(cuptiRangeProfilerCounterDataImageInitialize(&initialize));
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config);
    config.pRangeProfilerObject = profiler_;
    config.pConfig = plan_.config().data();
    config.configSize = plan_.config().size();
    config.pCounterDataImage = data_.data();
    config.counterDataImageSize = data_.size();
    config.range = CUPTI_UserRange;
    config.replayMode = CUPTI_UserReplay;
    config.maxRangesPerPass = 1;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.passIndex = 0;
    config.targetNestingLevel = 1;
    TILECAST_COUNTERS(cuptiRangeProfilerSetConfig(&config));
  }

  void disable() {
    TILECAST_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
    params.pRangeProfilerObject = profiler_;
    cuptiRangeProfilerDisable(&params);
  }

  const MetricPlan& plan_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  CuptiImage data_;
};

/// Throws if the device, as configured, provides no counters.
void check_device_support() {
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, params);
  params.cuDevice = current_device_ordinal();
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  TILECAST_COUNTERS(cuptiProfilerDeviceSupported(&params));
  const auto fails = [](CUpti_Profiler_Support_Level level) {
    return level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED &&
           level != CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  };
  if (fails(params.vGpu)) {
    TILECAST_COUNTERS(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
  }
  if (fails(params.confidentialCompute)) {
    TILECAST_COUNTERS(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
  }
  if (fails(params.isSupported)) {
    TILECAST_COUNTERS(CUPTI_ERROR_NOT_COMPATIBLE);
  }
}

}  // namespace

std::string current_chip() {
  start_profiling();  // CUPTI does not check this and crashes
  TILECAST_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, params);
  params.deviceIndex = static_cast<std::size_t>(current_device_ordinal());
  TILECAST_COUNTERS(cuptiDeviceGetChipName(&params));
  return params.pChipName;
}

RangeProfiler::RangeProfiler() {
  (void)current_context();
  start_profiling();
  check_device_support();
  chip_ = current_chip();
  const MetricPlan plan(chip_, {kDuration});
  const ActivityPause pause;
  const Session trial(plan);  // the constructor throws for unsupported metrics
}

std::map<std::string, double> RangeProfiler::collect(const MetricPlan& plan,
                                                     const std::function<void()>& prepare,
                                                     const std::function<void()>& launch) {
  synchronize();
  const ActivityPause pause;
  Session session(plan);
  bool done = false;
  for (std::size_t passes = 0; !done; ++passes) {
    if (passes == kMostPasses) {
      throw CountersUnavailable(CountersState::kFailed,
                                "no hardware counters: CUPTI keeps requesting more passes");
    }
    prepare();
    synchronize();
    done = session.pass(launch);
  }
  const std::vector<double> values = session.values();
  std::map<std::string, double> by_name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    by_name.emplace(plan.metrics()[i], values[i]);
  }
  return by_name;
}

std::optional<Seconds> profiled_duration(const std::function<void()>& launch) {
  try {
    RangeProfiler profiler;
    const MetricPlan plan(profiler.chip(), {kDuration});
    const auto range_of = [&](int launches) {
      const auto values = profiler.collect(plan, launch, [&] {
        for (int i = 0; i < launches; ++i) {
          launch();
        }
      });
      return Seconds{values.at(kDuration) * kNanosecond};
    };
    std::vector<Seconds> differences;
    for (int i = 0; i < kDurationPairs; ++i) {
      const Seconds one = range_of(1);
      differences.push_back(Seconds{(range_of(1 + kMoreLaunches) - one).value / kMoreLaunches});
    }
    return distribution_of(std::move(differences)).median;
  } catch (const CountersUnavailable&) {
    return std::nullopt;
  }
}

}  // namespace tilecast
