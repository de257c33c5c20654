#include "validate/measure/timing/activity_timer.h"

#include <cupti.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "model/base/error.h"
#include "validate/measure/counters/cupti_error.h"

namespace tilecast {
namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
#else
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
#endif

constexpr std::size_t kBufferBytes = 8u << 20;
constexpr std::size_t kBufferAlignment = 8;
constexpr auto kPatience = std::chrono::seconds(2);

// CUPTI's callbacks carry no user pointer and run on CUPTI's threads.
std::mutex collected_mutex;
KernelSpans collected, collected_copies;
std::set<std::string, std::less<>> names;  // a hundred thousand records share a handful of names
bool collecting = false;

/// Returns the name's copy in `names`; CUPTI's string is freed with the module that holds the
/// kernel.
std::string_view kept(std::string_view name) {
  const auto found = names.find(name);
  return found != names.end() ? *found : *names.emplace(name).first;
}

uint64_t CUPTIAPI monotonic_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

void CUPTIAPI on_buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *max_records = 0;  // no limit
}

void add(KernelSpans& to, const char* name, u64 start_ns, u64 end_ns) {
  if (start_ns == 0 || end_ns == 0) {
    ++to.without_stamp;
  } else {
    to.spans.push_back({kept(name), start_ns, end_ns});
  }
}

void CUPTIAPI on_buffer_completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t,
                                  size_t valid_bytes) {
  const std::lock_guard lock(collected_mutex);
  CUpti_Activity* record = nullptr;
  while (buffer != nullptr && valid_bytes > 0 &&
         cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto* kernel = reinterpret_cast<const KernelRecord*>(record);
      add(collected, kernel->name != nullptr ? kernel->name : "", kernel->start, kernel->end);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const auto* copy = reinterpret_cast<const CopyRecord*>(record);
      if (copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD) {
        add(collected_copies, "", copy->start, copy->end);
      }
    }
  }
  size_t dropped = 0;
  if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
    collected.dropped += dropped;
  }
  std::free(buffer);
}

std::size_t records_so_far(const KernelSpans& of) {
  const std::lock_guard lock(collected_mutex);
  return of.spans.size() + of.without_stamp + of.dropped;
}

/// Moves `from` out, sorted, once it has `at_least` records or the timeout has passed.
KernelSpans take_from(KernelSpans& from, std::size_t at_least) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  TILECAST_CUPTI(cuptiActivityFlushAll(0));
  while (records_so_far(from) < at_least && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    TILECAST_CUPTI(cuptiActivityFlushAll(0));
  }
  if (records_so_far(from) < at_least) {
    TILECAST_CUPTI(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  }
  KernelSpans taken;
  {
    const std::lock_guard lock(collected_mutex);
    taken = std::exchange(from, {});
  }
  std::sort(taken.spans.begin(), taken.spans.end(),
            [](const KernelSpan& a, const KernelSpan& b) { return a.start_ns < b.start_ns; });
  return taken;
}

}  // namespace

u32 cupti_version() {
  uint32_t version = 0;
  return cuptiGetVersion(&version) == CUPTI_SUCCESS ? version : 0;
}

ActivityTimer::ActivityTimer() {
  TILECAST_ASSERT(!collecting);
  TILECAST_CUPTI(cuptiActivityRegisterTimestampCallback(monotonic_nanoseconds));
  TILECAST_CUPTI(cuptiActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed));
  TILECAST_CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  TILECAST_CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
  collecting = true;
}

ActivityTimer::~ActivityTimer() {
  // No exception leaves this destructor; records that are lost now are not needed.
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(collected_mutex);
  collected = {};
  collected_copies = {};
  collecting = false;
}

ActivityPause::ActivityPause() {
  if (collecting) {
    TILECAST_CUPTI(cuptiActivityFlushAll(0));
    TILECAST_CUPTI(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    TILECAST_CUPTI(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY));
  }
}

ActivityPause::~ActivityPause() {
  if (collecting) {  // if this fails, the next take() finds too few records and throws
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
  }
}

KernelSpans ActivityTimer::take(std::size_t at_least) { return take_from(collected, at_least); }

KernelSpans ActivityTimer::take_copies(std::size_t at_least) {
  return take_from(collected_copies, at_least);
}

}  // namespace tilecast
