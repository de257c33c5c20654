// tilecast doctor: the level this machine has, and what is missing for the next one.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/forward.h"
#include "cli/machine_level.h"
#include "cli/output_parts.h"
#include "cli/written_gpu.h"
#include "model/base/error.h"
#include "validate/run/child_process.h"

namespace tilecast {
namespace {

struct LevelText {
  MachineLevel level;
  const char* what;
};

constexpr LevelText kLevels[] = {
    {MachineLevel::kModel, "predict and validate"},
    {MachineLevel::kToolkit, "compile kernels for the GPU"},
    {MachineLevel::kGpu, "run and measure kernels"},
    {MachineLevel::kCounters, "collect hardware counters"},
};

void print_table(const ProbedMachine& machine) {
  fmt::print("level    {}\n", to_text(machine.level));
  for (const LevelText& row : kLevels) {
    fmt::print("{:<8} {:<4} {}\n", to_text(row.level), row.level <= machine.level ? "yes" : "no",
               row.what);
  }
  for (const auto& [name, value] : machine.found) {
    fmt::print("found    {} {}\n", name, value);
  }
  if (!machine.missing.empty()) {
    fmt::print("missing  {}\n", machine.missing);
  }
}

void print_json(const ProbedMachine& machine) {
  nlohmann::ordered_json answer{{"schema", 1}, {"level", to_text(machine.level)}};
  for (const LevelText& row : kLevels) {
    answer["levels"][std::string(to_text(row.level))] = row.level <= machine.level;
  }
  for (const auto& [name, value] : machine.found) {
    answer[name] = value;
  }
  if (!machine.missing.empty()) {
    answer["missing"] = machine.missing;
  }
  fmt::print("{}", json_text(answer));
}

}  // namespace

void add_doctor(Program& program) {
  const Command command =
      program.command("doctor", "Say what this machine can do, and what is missing");
  const auto format = std::make_shared<std::string>("table");
  const auto write_gpu = std::make_shared<std::string>();
  command.option("--format", *format, "table or json").one_of({"table", "json"});
  command.option(
      "--write-gpu", *write_gpu,
      "Write a GPU file NAME.yaml of what the driver says of this machine's GPU, based on "
      "the known one that is nearest");
  command.runs([format, write_gpu] {
    const ChildResult probe = run_child(gpu_program(), {"probe"});
    if (!write_gpu->empty()) {
      write_gpu_file(attributes_from_probe(probe), *write_gpu);
      fmt::print("{}: ./tilecast predict 4096x4096x4096 --gpu {}\n", *write_gpu, *write_gpu);
      return;
    }
    const ProbedMachine machine = machine_from_probe(probe);
    *format == "json" ? print_json(machine) : print_table(machine);
  });
}

}  // namespace tilecast
