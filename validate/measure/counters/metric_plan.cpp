#include "validate/measure/counters/metric_plan.h"

#include <cupti.h>
#include <cupti_profiler_host.h>

#include <utility>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "validate/measure/counters/cupti_error.h"
#include "validate/measure/counters/cupti_params.h"

namespace tilecast {
namespace {

std::string text_or_nothing(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

MetricPlan::MetricPlan(std::string chip, std::vector<std::string> metrics)
    : chip_(std::move(chip)), metrics_(std::move(metrics)) {
  TILECAST_ASSERT(!metrics_.empty());
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip_.c_str();
  TILECAST_COUNTERS(cuptiProfilerHostInitialize(&params));
  host_.reset(params.pHostObject);
  // Scheduling does not report a name, so each metric is tried separately.
  for (const std::string& metric : metrics_) {
    (void)facts(metric);
  }
  lay_out();
}

void MetricPlan::CloseHost::operator()(CUpti_Profiler_Host_Object* host) const {
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
  params.pHostObject = host;
  cuptiProfilerHostDeinitialize(&params);
}

MetricFacts MetricPlan::facts(const std::string& metric) const {
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params, params);
  params.pHostObject = host_.get();
  params.pMetricName = metric.c_str();
  const CUptiResult result = cuptiProfilerHostGetMetricProperties(&params);
  refuse_if(result == CUPTI_ERROR_INVALID_METRIC_NAME, "{} has no metric '{}'", chip_, metric);
  TILECAST_COUNTERS(result);
  return {.unit = text_or_nothing(params.pDimUnit),
          .hardware = text_or_nothing(params.pHwUnit),
          .description = text_or_nothing(params.pDescription),
          .ratio = params.metricType == CUPTI_METRIC_TYPE_RATIO};
}

void MetricPlan::lay_out() {
  std::vector<const char*> wanted = names();
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = host_.get();
  add.ppMetricNames = wanted.data();
  add.numMetrics = wanted.size();
  TILECAST_COUNTERS(cuptiProfilerHostConfigAddMetrics(&add));
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host_.get();
  TILECAST_COUNTERS(cuptiProfilerHostGetConfigImageSize(&size));
  config_.resize(size.configImageSize);
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, get);
  get.pHostObject = host_.get();
  get.configImageSize = config_.size();
  get.pConfigImage = config_.data();
  TILECAST_COUNTERS(cuptiProfilerHostGetConfigImage(&get));
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, count);
  count.configImageSize = config_.size();
  count.pConfigImage = config_.data();
  TILECAST_COUNTERS(cuptiProfilerHostGetNumOfPasses(&count));
  passes_ = count.numOfPasses;
}

std::vector<const char*> MetricPlan::names() const {
  std::vector<const char*> pointers;
  for (const std::string& metric : metrics_) {
    pointers.push_back(metric.c_str());
  }
  return pointers;
}

std::vector<double> MetricPlan::evaluate(const CuptiImage& counter_data, std::size_t index) const {
  std::vector<double> values(metrics_.size());
  std::vector<const char*> wanted = names();
  TILECAST_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
  params.pHostObject = host_.get();
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = index;
  params.ppMetricNames = wanted.data();
  params.numMetrics = wanted.size();
  params.pMetricValues = values.data();
  TILECAST_COUNTERS(cuptiProfilerHostEvaluateToGpuValues(&params));
  return values;
}

}  // namespace tilecast
