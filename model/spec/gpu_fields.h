// Every number of a GPU file, declared once: its key, its unit (the member's type), its range, the
// part of the machine that it limits, how it carries over to a related GPU, how wide a fit's prior
// is, the micro-benchmark that measures it. A new constant is a member of its section's struct
// (gpu_spec.h), a row here and a value in the base GPU's file; loading, `based_on`, overlays,
// explain's eliminations and calibration read
// the rows.
// Checked by: gpu_fields_test.cpp, load_gpu_test.cpp, limits_test.cpp, micro_keys_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "model/spec/limiter.h"
#include "model/spec/quantity.h"

namespace tilecast {

struct Field {
  std::string_view section = {}, key;
  std::variant<i32*, double*> target;  // into the spec that it was asked for
  Dimension dimension;
  double least, most;  // in the dimension's basic unit, both allowed
  std::optional<Limiter> part = {}, other_part = {};
  /// Of a GPU that is based on this one: in proportion to another constant, "section.key" (counts
  /// are rounded down); nothing: the same.
  std::string_view proportional_to = {};
  bool of_this_card = false;           // a related GPU takes default_interval instead
  bool hopper_alone = false;           // a Blackwell GPU has no such number
  double prior_width = 0;              // of the logarithm; 0: no fit moves it
  std::string_view micro_kernel = {};  // that measures it, in kernels/micro or kernels/stream

  std::string path() const;  // "section.key"
  double value() const;      // in the basic unit
  /// Within the range; counts are rounded down.
  void set(double value) const;
  bool is_limited_by(Limiter of) const { return part == of || other_part == of; }
};

/// Bytes or FLOPs per second or cycle: what is infinite where a part of the machine is taken away,
/// and not nothing.
bool is_rate(Dimension dimension);

/// Calls visit(name, section) for each section but `sm`, which every GPU has.
template <class Visit>
void each_section(GpuSpec& gpu, const Visit& visit) {
  visit("clusters", gpu.clusters);
  visit("wgmma", gpu.wgmma);
  visit("tcgen05", gpu.tcgen05);
  visit("l2", gpu.l2);
  visit("dram", gpu.dram);
  visit("reduction", gpu.reduction);
  visit("machine", gpu.machine);
  visit("clock", gpu.clock);
  visit("power", gpu.power);
  visit("stream", gpu.stream);
  visit("card_spread", gpu.card_spread);
}

/// Every number of the sections that this GPU has, in this order.
std::vector<Field> fields_of(GpuSpec& gpu);

/// The one of this path, "section.key", which the GPU must have.
Field field_of(GpuSpec& gpu, std::string_view path);

enum class Presence { kRequired, kOptional, kForbidden };

/// Of a section, in a GPU of this architecture.
Presence presence_of(std::string_view section, Architecture architecture);

/// GEMM schedules run there, so that nothing may be missing.
bool is_schedulable(Architecture architecture);

/// Memory-bound kernels run there and GEMM schedules do not.
bool runs_streams_alone(Architecture architecture);

/// There are bulk copies and tensor maps (TMA).
bool has_bulk_copies(Architecture architecture);

}  // namespace tilecast
