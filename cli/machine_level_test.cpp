#include "cli/machine_level.h"

#include "tests/catch.h"

using tilecast::ChildResult;
using tilecast::contains;
using tilecast::machine_from_probe;
using tilecast::MachineLevel;
using tilecast::ProbedMachine;

namespace {

ChildResult answer(const std::string& text) {
  return {.started = true, .exit_code = 0, .output = text};
}

}  // namespace

TEST_CASE("A toolkit with a device and counters measures, and nothing is missing") {
  const ProbedMachine machine =
      machine_from_probe(answer(R"({"schema":1,"toolkit":"13.0","nvrtc":"13.0","cupti":130000,)"
                                R"("device":{"name":"H200","sms":132},)"
                                R"("counters":{"chip":"GH100","core_passes":2}})"));
  CHECK(machine.level == MachineLevel::kCounters);
  CHECK(machine.missing.empty());
  REQUIRE(machine.found.size() == 5);
  CHECK(machine.found[4].second == "GH100");
  CHECK(machine.found[2].second == "130000");  // a number is kept as it is written
  CHECK(machine.found[3].second == "H200");
}

TEST_CASE("Without permission for counters a device is still measured, and the reason is given") {
  const std::string device =
      R"({"schema":1,"toolkit":"13.0","nvrtc":"13.0","cupti":130000,"device":{"name":"H200"})";
  const ProbedMachine refused =
      machine_from_probe(answer(device + R"(,"counters":{"error":"the driver restricts them"}})"));
  CHECK(refused.level == MachineLevel::kGpu);
  CHECK(refused.missing == "the driver restricts them");
  const ProbedMachine silent = machine_from_probe(answer(device + "}"));
  CHECK(silent.level == MachineLevel::kGpu);
  CHECK(silent.missing.starts_with("hardware counters"));
}

TEST_CASE("A toolkit without a device can compile, and the reason is given") {
  const ProbedMachine machine = machine_from_probe(
      answer(R"({"schema":1,"toolkit":"13.0","nvrtc":"13.0","device_error":"no driver"})"));
  CHECK(machine.level == MachineLevel::kToolkit);
  CHECK(machine.missing == "no driver");
}

TEST_CASE("A device without CUPTI is not measured") {
  const ProbedMachine machine =
      machine_from_probe(answer(R"({"schema":1,"toolkit":"13.0","nvrtc":"13.0","device":"H200"})"));
  CHECK(machine.level == MachineLevel::kToolkit);
  CHECK(machine.missing == "CUPTI of the CUDA toolkit");
}

TEST_CASE("A probe that was not built, fails, or prints nonsense leaves the model alone") {
  const ChildResult bad[] = {
      {.started = false, .exit_code = 127, .output = ""},
      {.started = true, .exit_code = 127, .output = "error while loading libnvrtc\nmore"},
      {.started = true, .exit_code = 1, .output = R"({"toolkit":"13.0","nvrtc":"13.0"})"},
      answer(""),
      answer("{\"toolkit\":"),
      answer("[1]"),
      answer("{}"),
  };
  for (const ChildResult& probe : bad) {
    const ProbedMachine machine = machine_from_probe(probe);
    CHECK(machine.level == MachineLevel::kModel);
    CHECK(!machine.missing.empty());
    CHECK(!contains(machine.missing, '\n'));
  }
}
