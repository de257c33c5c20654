// tilecast doctor: which commands this machine can run, and what the next level requires.

#include <fmt/format.h>

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
    {MachineLevel::kModel, "predict, explain, compare, emit, validate, calibrate"},
    {MachineLevel::kToolkit, "compile: kernels are built for the GPU"},
    {MachineLevel::kGpu, "measure, micro, calibrate --run: kernels run here"},
    {MachineLevel::kCounters, "measure --counters"},
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

void run_doctor(const Arguments& args) {
  const ChildResult probe = run_child(gpu_program(), {"probe"});
  if (const std::string path = args.text("--write-gpu"); !path.empty()) {
    write_gpu_file(attributes_from_probe(probe), path);
    fmt::print("{}: ./tilecast predict 4096x4096x4096 --gpu {}\n", path, path);
    return;
  }
  const ProbedMachine machine = machine_from_probe(probe);
  args.text("--format") == "json" ? print_json(machine) : print_table(machine);
}

}  // namespace tilecast
