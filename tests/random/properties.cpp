#include "tests/random/properties.h"

namespace tilecast {
namespace {

constexpr Property kProperties[] = {
    {"possible", "every prediction of a ranking could be true (why_impossible.h)", check_possible,
     30},
    {"unclamped", "no result has to be moved into its range", check_unclamped, 30},
    {"listed", "a listed configuration has the same prediction when it is asked for alone",
     check_listed_as_asked, 12},
    {"order", "like problems stand in their order", check_order, 8, 10},
    {"schedules", "no schedule alone has a faster first than all of them", check_schedules, 6, 10},
    {"menu", "what never pays (candidates.h) has no candidate more than 2 % faster than the first",
     check_menu, 6, 4},
};

}  // namespace

std::span<const Property> every_property() { return kProperties; }

}  // namespace tilecast
