#include "validate/measure/counters/start_profiling.h"

#include <cupti.h>
#include <cupti_profiler_target.h>

#include "validate/measure/counters/counters_unavailable.h"
#include "validate/measure/counters/cupti_params.h"

namespace tilecast {
namespace {

class Profiling {
 public:
  Profiling() {
    TILECAST_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, params);
    TILECAST_COUNTERS(cuptiProfilerInitialize(&params));
  }
  ~Profiling() {
    TILECAST_CUPTI_PARAMS(CUpti_Profiler_DeInitialize_Params, params);
    cuptiProfilerDeInitialize(&params);
  }
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;
};

}  // namespace

void start_profiling() { static const Profiling started; }

}  // namespace tilecast
