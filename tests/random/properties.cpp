#include "tests/random/properties.h"

namespace tilecast {
namespace {

constexpr Property kProperties[] = {
    {"order", "like problems stand in their order", check_order, 8},
    {"schedules", "no schedule alone has a faster first than all of them", check_schedules, 6},
};

}  // namespace

std::span<const Property> every_property() { return kProperties; }

}  // namespace tilecast
