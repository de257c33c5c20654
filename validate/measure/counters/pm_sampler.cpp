#include "validate/measure/counters/pm_sampler.h"

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <cupti_pmsampling.h>
#include <fmt/format.h>

#include <cmath>

#include "kernels/jit/cuda_error.h"
#include "validate/measure/counters/counters_unavailable.h"
#include "validate/measure/counters/cupti_params.h"
#include "validate/measure/counters/start_profiling.h"
#include "validate/measure/timing/activity_timer.h"

namespace tilecast {
namespace {

constexpr std::size_t kHardwareBuffer = std::size_t{256} << 20;
constexpr double kNanosecond = 1e-9;
constexpr double kSlack = 1.5;  // more samples than the time asked for: `run` is not exact

class Sampler {
 public:
  Sampler() {
    int ordinal = 0;
    TILECAST_CUDA(cudaGetDevice(&ordinal));
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_Enable_Params, params);
    params.deviceIndex = static_cast<std::size_t>(ordinal);
    TILECAST_COUNTERS(cuptiPmSamplingEnable(&params));
    object_ = params.pPmSamplingObject;
  }
  ~Sampler() {
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_Disable_Params, params);
    params.pPmSamplingObject = object_;
    cuptiPmSamplingDisable(&params);
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void configure(const MetricPlan& plan, Seconds interval, std::size_t most) {
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params, config);
    config.pPmSamplingObject = object_;
    config.pConfig = plan.config().data();
    config.configSize = plan.config().size();
    config.hardwareBufferSize = kHardwareBuffer;
    config.samplingInterval = static_cast<uint64_t>(std::llround(interval.value / kNanosecond));
    config.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
    config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
    TILECAST_COUNTERS(cuptiPmSamplingSetConfig(&config));
    std::vector<const char*> names = plan.names();
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, size);
    size.pPmSamplingObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxSamples = static_cast<uint32_t>(most);
    TILECAST_COUNTERS(cuptiPmSamplingGetCounterDataSize(&size));
    data_.resize(size.counterDataSize);
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params, initialize);
    initialize.pPmSamplingObject = object_;
    initialize.pCounterData = data_.data();
    initialize.counterDataSize = data_.size();
    TILECAST_COUNTERS(cuptiPmSamplingCounterDataImageInitialize(&initialize));
  }

  void start() {
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_Start_Params, params);
    params.pPmSamplingObject = object_;
    TILECAST_COUNTERS(cuptiPmSamplingStart(&params));
  }

  void stop() {
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_Stop_Params, params);
    params.pPmSamplingObject = object_;
    TILECAST_COUNTERS(cuptiPmSamplingStop(&params));
  }

  PmSamples decode(const MetricPlan& plan) {
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params, decoded);
    decoded.pPmSamplingObject = object_;
    decoded.pCounterDataImage = data_.data();
    decoded.counterDataImageSize = data_.size();
    TILECAST_COUNTERS(cuptiPmSamplingDecodeData(&decoded));
    TILECAST_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    TILECAST_COUNTERS(cuptiPmSamplingGetCounterDataInfo(&info));
    PmSamples result;
    result.overflow =
        decoded.overflow != 0 ||
        decoded.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    for (std::size_t i = 0; i < info.numCompletedSamples; ++i) {
      TILECAST_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, sample);
      sample.pPmSamplingObject = object_;
      sample.pCounterDataImage = data_.data();
      sample.counterDataImageSize = data_.size();
      sample.sampleIndex = i;
      TILECAST_COUNTERS(cuptiPmSamplingCounterDataGetSampleInfo(&sample));
      result.samples.push_back(
          {sample.startTimestamp, sample.endTimestamp, plan.evaluate(data_, i)});
    }
    return result;
  }

 private:
  CUpti_PmSampling_Object* object_ = nullptr;
  CuptiImage data_;
};

}  // namespace

PmSamples sample_activity(const MetricPlan& plan, Seconds interval, Seconds longest,
                          const std::function<void()>& run) {
  if (plan.passes() != 1) {
    throw CountersUnavailable(
        CountersState::kFailed,
        fmt::format("no samples over time: the metrics take {} passes, expected 1", plan.passes()));
  }
  TILECAST_CUDA(cudaDeviceSynchronize());
  start_profiling();
  const ActivityPause pause;
  Sampler sampler;
  sampler.configure(plan, interval,
                    static_cast<std::size_t>(std::ceil(kSlack * (longest / interval))));
  sampler.start();
  run();
  sampler.stop();
  return sampler.decode(plan);
}

}  // namespace tilecast
