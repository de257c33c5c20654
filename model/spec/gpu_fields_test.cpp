#include "model/spec/gpu_fields.h"

#include <algorithm>
#include <set>

#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

/// Returns every row of the table, from a Hopper GPU with all sections.
std::vector<Field> every_field(GpuSpec& spec) {
  spec.architecture = Architecture::kHopper;
  each_section(spec, [](std::string_view, auto& section) { section.emplace(); });
  return fields_of(spec);
}

TEST_CASE("Every key is in the table once, with a non-empty range") {
  GpuSpec spec{};
  std::set<std::string> paths;
  std::set<const void*> places;
  for (const Field& field : every_field(spec)) {
    CAPTURE(field.path());
    CHECK(paths.insert(field.path()).second);
    CHECK(places
              .insert(std::visit([](auto* place) { return static_cast<const void*>(place); },
                                 field.target))
              .second);
    CHECK(field.least < field.most);
  }
  CHECK(paths.contains("default_interval"));
  CHECK(paths.contains("stream.interval"));
}

TEST_CASE("A number scales with another existing number, without cycles") {
  GpuSpec spec{};
  const std::vector<Field> all = every_field(spec);
  for (const Field& field : all) {
    CAPTURE(field.path());
    std::size_t steps = 0;
    for (std::string_view with = field.proportional_to; !with.empty();) {
      const auto next = std::ranges::find(all, with, &Field::path);
      REQUIRE(next != all.end());
      CHECK((next->least > 0 || with == "power.per_flop_normal"));
      REQUIRE(++steps < all.size());
      with = next->proportional_to;
    }
  }
}

TEST_CASE("Setting a number clamps it to its range and rounds a count down") {
  GpuSpec spec{};
  every_field(spec);
  field_of(spec, "l2.usable_fraction").set(1.5);
  CHECK(spec.l2->usable_fraction == 1);
  field_of(spec, "l2.usable_fraction").set(0);
  CHECK(spec.l2->usable_fraction == 0.05);
  field_of(spec, "sm.count").set(113.9);
  CHECK(spec.sm.count == 113);
  field_of(spec, "sm.count").set(132.0 * 114 / 132);
  CHECK(spec.sm.count == 114);
}

TEST_CASE("Only numbers with a prior are fitted") {
  GpuSpec spec{};
  for (const Field& field : every_field(spec)) {
    CAPTURE(field.path());
    CHECK((field.prior_width == 0 || std::holds_alternative<double*>(field.target)));
    CHECK((field.prior_width == 0 || field.section != "machine"));  // set by micro-benchmarks
                                                                    // (gpu_spec.h)
  }
}

}  // namespace
}  // namespace tilecast
