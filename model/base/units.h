// Physical quantities as types, so that a time cannot be passed as a rate.
//
// Each holds one double in the unit that its name states. Sums of one unit, scaling and ratios are
// operators; products that change the unit are named functions at the end.
#pragma once

#include <compare>

namespace tilecast {

template <class Tag>
struct Quantity {
  double value = 0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const { return {value + other.value}; }
  constexpr Quantity operator-(Quantity other) const { return {value - other.value}; }
  constexpr Quantity operator*(double factor) const { return {value * factor}; }
  constexpr Quantity operator/(double divisor) const { return {value / divisor}; }
  constexpr double operator/(Quantity other) const { return value / other.value; }
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
};

template <class Tag>
constexpr Quantity<Tag> operator*(double factor, Quantity<Tag> quantity) {
  return quantity * factor;
}

/// SI prefixes.
namespace si {
constexpr double kPico = 1e-12, kNano = 1e-9, kMicro = 1e-6, kMega = 1e6, kGiga = 1e9, kTera = 1e12;
}

using Seconds = Quantity<struct SecondsTag>;
using Cycles = Quantity<struct CyclesTag>;  // SM clock cycles
using Hertz = Quantity<struct HertzTag>;
using Bytes = Quantity<struct BytesTag>;
using Flops = Quantity<struct FlopsTag>;  // a count of floating-point operations
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
using BytesPerCycle = Quantity<struct BytesPerCycleTag>;
using FlopsPerCycle = Quantity<struct FlopsPerCycleTag>;
using Joules = Quantity<struct JoulesTag>;
using Watts = Quantity<struct WattsTag>;
using Celsius = Quantity<struct CelsiusTag>;  // absolute temperature, not a difference

constexpr Cycles cycles_of(Seconds time, Hertz clock) { return {time.value * clock.value}; }
constexpr Seconds time_of(Cycles cycles, Hertz clock) { return {cycles.value / clock.value}; }
constexpr Cycles transfer_cycles(Bytes size, BytesPerCycle rate) {
  return {size.value / rate.value};
}
constexpr Seconds transfer_time(Bytes size, BytesPerSecond rate) {
  return {size.value / rate.value};
}
constexpr Cycles compute_cycles(Flops work, FlopsPerCycle rate) {
  return {work.value / rate.value};
}

}  // namespace tilecast
