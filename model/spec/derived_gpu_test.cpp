// Tests GPU files that are based on another one: the keys that each gives, and the values derived
// from its parent.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "model/base/file.h"
#include "model/spec/gpu_fields.h"
#include "model/spec/load_gpu.h"
#include "model/spec/yaml_tree.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

const Constant& constant(const LoadedGpu& gpu, const std::string& path) {
  const auto found = std::ranges::find(gpu.constants, path, &Constant::key_path);
  REQUIRE(found != gpu.constants.end());
  return *found;
}

/// Values in basic units, by path.
std::map<std::string, double> values(LoadedGpu gpu) {
  std::map<std::string, double> all;
  for (const Field& field : fields_of(gpu.spec)) {
    all[field.path()] = field.value();
  }
  return all;
}

/// Returns the keys that the file itself gives and does not inherit.
std::set<std::string> given(const std::string& path) {
  std::set<std::string> keys;
  for (const auto& [section, node] : load_yaml_tree(path).entries) {
    for (const auto& [key, quantity] : node.entries) {
      keys.insert(section + "." + key);
    }
  }
  return keys;
}

/// A value that is scaled from the parent's, and its ratio to that.
struct Scaled {
  const char* key;
  double factor;
};
struct Derived {
  const char *name, *parent;
  std::vector<Scaled> scaled;
};

// Bandwidth: 3.35 of 4.8 TB/s, and 2.04 of that. SMs: 114 of 132, 152 of 148. Clock: 1755 of 1980
// MHz. Power: half. L2: 16.9 of 10.3 TB/s.
const std::vector<Derived> kDerived{{"h100_sxm", "h200_sxm", {{"dram.write_rate", 3.35 / 4.8}}},
                                    {"h100_pcie",
                                     "h200_sxm",
                                     {{"clusters.max_active_of_2", 57.0 / 66},
                                      {"clusters.max_active_of_4", 25.0 / 30},  // 25.9
                                      {"clusters.max_active_of_8", 12.0 / 15},  // 12.95
                                      {"machine.l2_output", 1755.0 / 1980},
                                      {"reduction.chip_store", 1755.0 / 1980},
                                      {"reduction.chip_add", 1755.0 / 1980},
                                      {"dram.write_rate", 2.04 / 4.8},
                                      {"power.burst_limit", 0.5},
                                      {"power.static_power", 114.0 / 132}}},
                                    {"h800_sxm", "h100_sxm", {}},
                                    {"b200",
                                     "h200_sxm",
                                     {{"reduction.chip_store", 16.9 / 8.72},
                                      {"reduction.chip_add", 16.9 / 8.72},
                                      {"power.per_flop_uniform", 0.18 / 0.3923},
                                      {"power.per_flop_ternary", 0.18 / 0.3923},
                                      {"power.per_flop_zeros", 0.18 / 0.3923}}},
                                    {"gb200",
                                     "b200",
                                     {{"clusters.max_active_of_2", 76.0 / 74},
                                      {"clusters.max_active_of_4", 36.0 / 36},  // 36.97
                                      {"clusters.max_active_of_8", 16.0 / 16},  // 16.4
                                      {"power.burst_limit", 1.2},
                                      {"power.static_power", 152.0 / 148}}}};

}  // namespace

TEST_CASE(
    "A derived GPU takes its parent's numbers, except those it gives and those that scale with "
    "them") {
  for (const Derived& derived : kDerived) {
    const LoadedGpu gpu = load_gpu(derived.name, false), parent = load_gpu(derived.parent, false);
    const std::set<std::string> own = given(gpu.path);
    const auto numbers = values(gpu), parents = values(parent);
    for (const auto& [key, value] : numbers) {
      CAPTURE(derived.name, key);
      const auto of_parent = parents.find(key);
      if (own.contains(key)) {
        const Constant& own_value = constant(gpu, key);
        CHECK((own_value.source != Source::kFitted ||
               own_value.ref.starts_with("public rows of libraries")));
        continue;
      }
      REQUIRE(of_parent != parents.end());
      const auto scaled = std::ranges::find(derived.scaled, key,
                                            [](const Scaled& s) { return std::string(s.key); });
      const bool interval = key == "stream.interval";  // fitted to the H200's measurements
      const double factor = interval                         ? 0.3 / of_parent->second
                            : scaled == derived.scaled.end() ? 1
                                                             : scaled->factor;
      CHECK(value == Approx(factor * of_parent->second).epsilon(1e-12));
      CHECK(constant(gpu, key).confidence == Confidence::kLow);
    }
  }
}

TEST_CASE("A GPU without wgmma and tcgen05 has neither their sections nor clusters") {
  // 1008 of 4800 GB/s, 128 of 132 SMs, 450 of 700 W.
  const LoadedGpu ada = load_gpu("rtx_4090", false), h200 = load_gpu("h200_sxm", false);
  CHECK(ada.spec.dram->read_rate.value == Approx(h200.spec.dram->read_rate.value * 1008 / 4800));
  CHECK(ada.spec.stream->load_latency.value == h200.spec.stream->load_latency.value);
  CHECK(ada.spec.stream->interval == 0.4);  // no measurement checks it
  CHECK(ada.spec.power->static_power.value ==
        Approx(h200.spec.power->static_power.value * 128 / 132));
  CHECK(ada.spec.power->burst_limit.value ==
        Approx(h200.spec.power->burst_limit.value * 450 / 700));
  // The value is scaled in two steps: 600 of 4800 GB/s.
  CHECK(load_gpu("a10", false).spec.dram->read_rate.value ==
        Approx(h200.spec.dram->read_rate.value * 600 / 4800));
  CHECK_FALSE(ada.spec.wgmma);
  CHECK(ada.spec.machine);
  CHECK_FALSE(ada.spec.clusters);
  const TemporaryFolder folder;
  const std::string path = (folder / "mine.yaml").string();
  write_file(path, "name: mine\nproduct: Mine\nbased_on: rtx_4090\nclusters: {}\n");
  CHECK(
      ERROR_MESSAGE(load_gpu(path, false))
          .ends_with(
              ":4: clusters: allowed only for GPUs of architecture hopper or blackwell, not ada"));
}

TEST_CASE("Every GPU with wgmma or tcgen05 is measured or based on another") {
  std::set<std::string> derived{"h200_sxm"};
  for (const Derived& one : kDerived) {
    derived.insert(one.name);
  }
  for (const std::string& name : known_gpus(config_folder())) {
    const GpuSpec gpu = load_gpu(name, false).spec;
    CHECK(derived.contains(name) ==
          (why_not_schedulable(gpu).empty() && (gpu.wgmma || gpu.tcgen05)));
  }
}

TEST_CASE("An inherited number states its source and its scaling") {
  const LoadedGpu pcie = load_gpu("h100_pcie", false);
  CHECK(constant(pcie, "machine.wake").ref.starts_with("as on h200_sxm: validate/data/h200_sxm"));
  CHECK(constant(pcie, "machine.wake").source == Source::kAssumed);
  CHECK(constant(pcie, "power.burst_limit").ref == "h200_sxm's, scaled by power.sustained_limit");
  CHECK(constant(pcie, "power.burst_limit").source == Source::kDerived);
  CHECK(constant(pcie, "clusters.max_active_of_4").value == 25);
  // The source is named once, even if several files are based on one another.
  CHECK(constant(load_gpu("h800_sxm", false), "machine.wake")
            .ref.starts_with("as on h200_sxm: validate/data/h200_sxm"));
}

TEST_CASE(
    "A parent's calibration is inherited within its architecture, its learned correction never") {
  const auto exponent = [](const char* name, bool calibrated) {
    return load_gpu(name, calibrated).spec.clock->energy_exponent;
  };
  const double fitted = exponent("h100_sxm", true), by_hand = exponent("h100_sxm", false);
  REQUIRE(fitted != by_hand);
  REQUIRE(load_gpu("h100_sxm", true).spec.learned != nullptr);
  CHECK(exponent("h800_sxm", true) == fitted);
  CHECK(exponent("h800_sxm", false) == by_hand);
  CHECK(exponent("gb200", true) == by_hand);
  const LoadedGpu h800 = load_gpu("h800_sxm", true);
  CHECK_FALSE(h800.calibrated);
  CHECK(h800.spec.learned == nullptr);
}

TEST_CASE("A derived file must name an existing parent, be valid, and not contradict it") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text) {
    const std::string path = (folder / "mine.yaml").string();
    write_file(path, "name: mine\nproduct: Mine\nbased_on: " + text);
    std::string message = ERROR_MESSAGE(load_gpu(path, false));
    const std::size_t at = message.find(path);
    return at == std::string::npos ? message : message.erase(at, path.size());
  };
  const std::string end = ", source: measured, ref: \"a test\", confidence: high}\n";
  CHECK(complaint("h200_sxm\n").empty());
  const std::string missing = complaint("h300\n");
  CHECK(
      missing.starts_with("2 :3: based_on: expected a GPU with a file next to this one, or one "
                          "of a10, a100_sxm80, b200, "));
  CHECK(missing.ends_with(", got 'h300'"));
  CHECK(complaint("mine\n") ==
        "2 :3: based_on: expected a GPU file that is not based on this one, got 'mine'");
  CHECK(complaint("h200_sxm\ndram:\n  bandwith: {value: 3, unit: TB/s" + end) ==
        "2 :5: dram.bandwith: unknown key; did you mean bandwidth?");
  CHECK(complaint("h200_sxm\ndram:\n  bandwidth: {value: 3000, unit: TB/s" + end)
            .starts_with("2 :5: dram.bandwidth.value: expected"));
  // The H200's measured rates are scaled too, so less bandwidth is no contradiction.
  CHECK(complaint("h200_sxm\ndram:\n  bandwidth: {value: 1, unit: TB/s" + end).empty());
  CHECK(complaint("h200_sxm\ndram:\n  read_rate: {value: 1.19, unit: TB/s" + end)
            .starts_with("2 :5: dram.read_rate"));
  CHECK(complaint("h200_sxm\ndram:\n  read_rate: {value: 1.21, unit: TB/s" + end).empty());
  CHECK(complaint("h200_sxm\ndram:\n  read_rate: {value: 4.9, unit: TB/s" + end) ==
        "2 :5: dram.read_rate: expected at most dram.bandwidth (4.8 TB/s), got 4.9 TB/s");
  CHECK(complaint("h200_sxm\nclock:\n  tensor_plateau: {value: 1390, unit: MHz" + end +
                  "  max: {value: 1380, unit: MHz" + end)
            .starts_with("2 :5: clock.tensor_plateau: expected at most clock.max (1380 MHz)"));
  // A number that contradicts an inherited one is reported where it is set: the H200's bursts have
  // 1019 W.
  CHECK(complaint("h200_sxm\npower:\n  static_power: {value: 360, unit: W" + end)
            .starts_with("2 :5: power.static_power: expected at most 0.5 times"));
  CHECK(complaint("a100_sxm80\narchitecture: hopper\n") == "2 :1: clusters: missing key");
}

}  // namespace tilecast
