// Declares every number of a GPU file once: key, unit (the member's type), range, the resource that
// it limits, how a derived GPU scales it, the width of its prior in fits, and the micro-benchmark
// that measures it. A new constant is a member of its section's struct (gpu_spec.h), a row here and
// a value in the base GPU's file; loading, `based_on`, overlays, explain's savings and calibration
// use the rows. Checked by: gpu_fields_test.cpp, load_gpu_test.cpp, limits_test.cpp,
// micro_keys_test.cpp.
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
  std::variant<i32*, double*> target;  // points into the spec passed to fields_of or field_of
  Dimension dimension;
  double least, most;  // inclusive range, in the dimension's basic unit
  std::optional<Limiter> part = {}, other_part = {};
  /// Key ("section.key") of the number with which this one scales on a derived GPU; counts are
  /// rounded down. If empty, inherited unchanged.
  std::string_view proportional_to = {};
  bool of_this_card = false;           // a derived GPU takes default_interval instead
  bool hopper_alone = false;           // absent on Blackwell
  double prior_width = 0;              // prior standard deviation of the logarithm; 0: not fitted
  std::string_view micro_kernel = {};  // kernel in kernels/micro or kernels/stream

  std::string path() const;  // "section.key"
  double value() const;      // value in the basic unit
  /// Clamps to the range, and rounds counts down.
  void set(double value) const;
  bool is_limited_by(Limiter of) const { return part == of || other_part == of; }
};

/// Whether the dimension is bytes or FLOPs per second or cycle. If a resource costs nothing, its
/// rates become infinite and its other numbers zero.
bool is_rate(Dimension dimension);

/// Calls visit(name, section) for each section except `sm`, which every GPU has.
template <class Visit>
void each_section(GpuSpec& gpu, const Visit& visit) {
  visit("clusters", gpu.clusters);
  visit("wgmma", gpu.wgmma);
  visit("tcgen05", gpu.tcgen05);
  visit("mma_sync", gpu.mma_sync);
  visit("l2", gpu.l2);
  visit("dram", gpu.dram);
  visit("reduction", gpu.reduction);
  visit("machine", gpu.machine);
  visit("clock", gpu.clock);
  visit("power", gpu.power);
  visit("stream", gpu.stream);
  visit("attention", gpu.attention);
  visit("card_spread", gpu.card_spread);
}

/// Returns every number of the sections that this GPU has, in the order of the table.
std::vector<Field> fields_of(GpuSpec& gpu);

/// Returns the field with this path ("section.key"), which the GPU must have.
Field field_of(GpuSpec& gpu, std::string_view path);

enum class Presence { kRequired, kOptional, kForbidden };

/// Whether an architecture has a section, must have it, or cannot have it.
Presence presence_of(std::string_view section, Architecture architecture);

/// Whether mma.sync is the architecture's only tensor-core instruction.
bool has_mma_sync_alone(Architecture architecture);

/// Whether the architecture has bulk copies and tensor maps (TMA).
bool has_bulk_copies(Architecture architecture);

}  // namespace tilecast
