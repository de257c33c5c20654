#include "cli/machine_level.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr Words<MachineLevel, 4> kLevelWords{{{MachineLevel::kModel, "model"},
                                              {MachineLevel::kToolkit, "toolkit"},
                                              {MachineLevel::kGpu, "gpu"},
                                              {MachineLevel::kCounters, "counters"}}};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Returns why there are no hardware counters; empty if there are.
std::string counters_error(const nlohmann::json& answer) {
  const auto found = answer.find("counters");
  if (found == answer.end() || !found->is_object()) {
    return "hardware counters (this tilecast-gpu does not report whether it has them)";
  }
  const auto error = found->find("error");
  return error == found->end() ? ""
         : error->is_string()  ? error->get<std::string>()
                               : error->dump();
}

/// Reads a version, which may be a string or a number, or a device, which is an object with a name.
std::optional<std::string> text_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) {
    return std::nullopt;
  }
  if (found->is_object() && found->contains("name")) {
    return text_at(*found, "name");
  }
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string describe_failure(const ChildResult& probe) {
  if (!probe.started) {
    return "the CUDA toolkit 12.8 or later with NVRTC, CUPTI and cuBLASLt (tilecast-gpu was not "
           "built)";
  }
  if (probe.exit_code == 0) {
    return "readable output of tilecast-gpu probe";
  }
  return "a tilecast-gpu that starts here (exit code " + std::to_string(probe.exit_code) + ")" +
         (probe.output.empty() ? "" : ": " + first_line(probe.output));
}

}  // namespace

std::string_view to_text(MachineLevel level) { return word_of(kLevelWords, level); }

ProbedMachine machine_from_probe(const ChildResult& probe) {
  ProbedMachine machine;
  const nlohmann::json answer = nlohmann::json::parse(probe.output, nullptr, false);
  if (!probe.started || probe.exit_code != 0 || !answer.is_object()) {
    machine.missing = describe_failure(probe);
    return machine;
  }
  for (const char* key : {"toolkit", "nvrtc", "cupti", "driver", "device"}) {
    if (const std::optional<std::string> text = text_at(answer, key)) {
      machine.found.emplace_back(key, *text);
    }
  }
  if (!text_at(answer, "toolkit") || !text_at(answer, "nvrtc")) {
    machine.missing = "NVRTC of the CUDA toolkit";
    return machine;
  }
  machine.level = MachineLevel::kToolkit;
  if (!text_at(answer, "device")) {
    machine.missing = text_at(answer, "device_error").value_or("a GPU");
  } else if (!text_at(answer, "cupti")) {
    machine.missing = "CUPTI of the CUDA toolkit";
  } else {
    machine.level = MachineLevel::kGpu;
    machine.missing = counters_error(answer);
    if (machine.missing.empty()) {
      machine.level = MachineLevel::kCounters;
      const nlohmann::json& counters = answer["counters"];
      if (const std::optional<std::string> chip = text_at(counters, "chip")) {
        machine.found.emplace_back("counters", *chip);
      }
    }
  }
  return machine;
}

}  // namespace tilecast
