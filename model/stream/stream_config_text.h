// Formats and parses the canonical string of a StreamConfig, e.g.
//   elementwise_add:block=32x64,warps=4,vector=4,ctas=4,view=matrix,order=bands,hint=none
//   elementwise_add_tma:block=64x128,stages=3,warps=8,ctas=1,layout=swizzled,view=matrix,order=strided,hint=none
// Every key that the schedule does not fix is present, in one order, so equal configurations have
// equal strings.
#pragma once

#include <string>
#include <string_view>

#include "model/op/config_key.h"
#include "model/op/schedule_names.h"
#include "model/stream/stream_config.h"

namespace tilecast {

template <>
const ConfigKeys<StreamConfig>& config_keys();

/// all schedules, in the order of the enumerators
constexpr auto kEveryStreamSchedule = every_enumerator<StreamSchedule, kStreamScheduleCount>();

/// Returns the fields that the schedule fixes; the others are zero.
StreamConfig fixed_by_schedule(StreamSchedule schedule);

std::string to_text(const StreamConfig& config);

/// Inverse of to_text; throws a ConfigError that names the key and the expected value.
StreamConfig parse_stream_config(std::string_view text);

std::string_view to_text(StreamSchedule schedule);
StreamSchedule parse_stream_schedule(std::string_view text);

}  // namespace tilecast
