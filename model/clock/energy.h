// Energy of one SM cycle of the whole chip, and the clock at which a power is just drawn.
//
//   P(f) = P_static + f * (E * (f / 1 GHz)^gamma + E_dram)
// E is the energy at 1 GHz, from the kernel's own work: FLOPs (by input data and element), those of
// tiles out of bounds, sums that are promoted, bytes of shared memory and L2. E_dram, of the DRAM
// bytes of that cycle, does not follow the SM clock.
//
// Leaves out: temperature; what instructions other than these cost.
// Checked by: clock_test.cpp.
#pragma once

#include "model/base/element_type.h"
#include "model/base/regime.h"
#include "model/base/units.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Work of one kernel run over the whole chip.
struct ChipWork {
  Flops tensor;  // as tensor_flops() counts them
  Bytes shared_memory;
  Bytes l2;  // that L2 puts out, concurrent requests for it once
  Bytes dram;
  Cycles elapsed;  // of the kernel
  ElementType dtype = ElementType::kFp16;
  Flops
      out_of_bounds{};  // multiplied with zeros beside the tensor's, where a tile is larger than C
  double promoted = 0;  // sums that leave the tensor cores to be added up in fp32
};

/// Where the energy of one kernel run goes.
struct EnergySplit {
  Joules tensor, shared_memory, l2, dram;
  Joules idle;  // static power over the kernel's time

  Joules total() const { return tensor + shared_memory + l2 + dram + idle; }
};

/// Of a whole run, at 1 GHz; without static power.
EnergySplit energy_at_1_ghz(const GpuSpec& gpu, const ChipWork& work, Inputs inputs);

EnergySplit energy_split(const GpuSpec& gpu, const ChipWork& work, Hertz sm_clock, Inputs inputs);

/// Energy of one SM cycle of the whole chip.
struct CycleEnergy {
  Joules scaled;  // with the voltage; at 1 GHz
  Joules fixed;
};

Watts power_at(const GpuSpec& gpu, const CycleEnergy& energy, Hertz f);

/// Highest clock up to `most` at which the power stays within `limit`.
Hertz held_to(const GpuSpec& gpu, const CycleEnergy& energy, Watts limit, Hertz most);

}  // namespace tilecast
