// Energy per SM cycle of the whole chip, and the clock at which a given power is drawn.
//
//   P(f) = P_static + f * (E * (f / 1 GHz)^gamma + E_dram)
// E is the energy at 1 GHz, from the kernel's own work: FLOPs (by input data and element type),
// FLOPs of out-of-bounds parts, accumulators promoted to fp32, bytes of shared memory and L2.
// E_dram, from the DRAM bytes of the cycle, does not depend on the SM clock.
//
// Not modelled: temperature; the energy of other instructions.
// Checked by: clock_test.cpp.
#pragma once

#include "model/base/element_type.h"
#include "model/base/regime.h"
#include "model/base/units.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Work of one kernel run on the whole chip.
struct ChipWork {
  Flops tensor;  // FLOPs as counted by tensor_flops()
  Bytes shared_memory;
  Bytes l2;  // L2 output; merged requests count once
  Bytes dram;
  Cycles elapsed;  // kernel duration
  ElementType dtype = ElementType::kFp16;
  Flops out_of_bounds{};  // FLOPs on zeros in addition to `tensor`, if tiles extend beyond C
  double promoted = 0;    // accumulators promoted to fp32 outside the tensor cores
};

/// Energy of one kernel run, by consumer.
struct EnergySplit {
  Joules tensor, shared_memory, l2, dram;
  Joules idle;  // static power over the kernel's time

  Joules total() const { return tensor + shared_memory + l2 + dram + idle; }
};

/// Energy of a whole run at 1 GHz, without static power.
EnergySplit energy_at_1_ghz(const GpuSpec& gpu, const ChipWork& work, Inputs inputs);

EnergySplit energy_split(const GpuSpec& gpu, const ChipWork& work, Hertz sm_clock, Inputs inputs);

/// Energy per SM cycle of the whole chip.
struct CycleEnergy {
  Joules scaled;  // part that scales with voltage; value at 1 GHz
  Joules fixed;
};

Watts power_at(const GpuSpec& gpu, const CycleEnergy& energy, Hertz f);

/// Returns the highest clock up to `most` at which the power stays within `limit`.
Hertz held_to(const GpuSpec& gpu, const CycleEnergy& energy, Watts limit, Hertz most);

}  // namespace tilecast
