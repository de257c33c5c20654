// The numbers of a GPU file, section by section: key, member, what it measures, sensible range.
// One table, so that the loader, its messages and the overlay rules agree on every key.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "model/spec/quantity.h"

namespace tilecast {

struct Field {
  std::string_view key;
  std::variant<i32*, double*> target;  // into the section it was asked for
  Dimension dimension;
  double least, most;  // in the dimension's basic unit, both allowed
};

std::vector<Field> fields_of(SmSpec& sm);
std::vector<Field> fields_of(ClusterSpec& clusters);
std::vector<Field> fields_of(WgmmaSpec& wgmma);
std::vector<Field> fields_of(Tcgen05Spec& tcgen05);
std::vector<Field> fields_of(TmaSpec& tma);
std::vector<Field> fields_of(L2Spec& l2);
std::vector<Field> fields_of(DramSpec& dram);
std::vector<Field> fields_of(EpilogueSpec& epilogue);
std::vector<Field> fields_of(ReductionSpec& reduction);
std::vector<Field> fields_of(LaunchSpec& launch);
std::vector<Field> fields_of(StreamSpec& stream);
std::vector<Field> fields_of(MachineSpec& machine);
/// Those that a GPU of the architecture has: of Blackwell without a warpgroup's own, around wgmmas.
std::vector<Field> fields_of(MachineSpec& machine, Architecture architecture);
std::vector<Field> fields_of(ClockSpec& clock);
std::vector<Field> fields_of(PowerSpec& power);
std::vector<Field> fields_of(CeilingsSpec& ceilings);

}  // namespace tilecast
