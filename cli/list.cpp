// tilecast list: the words that options accept, each with its meaning. tilecast gpus: the GPU
// files.

#include "cli/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/output_parts.h"
#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/ops/short_config_text.h"
#include "model/spec/limiter.h"
#include "model/spec/load_gpu.h"
#include "model/spec/yaml_tree.h"

namespace tilecast {
namespace {

/// Messages of unreadable GPU files, which must not hide the readable ones. A parent's message
/// occurs once.
using BrokenFiles = std::map<std::string, ExitCode>;

/// Throws all messages as one error, after the readable files were listed.
void report(const BrokenFiles& broken) {
  if (!broken.empty()) {
    std::fflush(stdout);
    std::vector<std::string> texts;
    for (const auto& [text, code] : broken) {
      texts.push_back(text);
    }
    throw Error(broken.begin()->second, join(texts, "; "));
  }
}

struct GpuRow {
  std::string name;  // name of its file
  LoadedGpu gpu;
  std::string based_on;                // GPU that the file is based on; empty if none
  std::map<std::string, int> sources;  // number of values by source
};

std::vector<GpuRow> gpu_rows(BrokenFiles& broken) {
  std::vector<GpuRow> rows;
  for (const std::string& name : known_gpus(config_folder())) {
    GpuRow row{on_one_line(name), {}, "", {}};
    try {
      row.gpu = load_gpu(name, true);
    } catch (const Error& error) {
      broken.emplace(error.what(), error.code());
      continue;
    }
    const YamlNode tree = load_yaml_tree(row.gpu.path);
    if (const YamlNode* parent = tree.find("based_on")) {
      row.based_on = parent->scalar;
    }
    for (const Constant& constant : row.gpu.constants) {
      ++row.sources[std::string(to_text(constant.source))];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

bool runs_gemms(const GpuRow& row) { return why_not_schedulable(row.gpu.spec).empty(); }

/// The op kinds that can be predicted on the GPU.
std::string_view runs(const GpuRow& row) {
  return !row.gpu.spec.stream ? (runs_gemms(row) ? "GEMMs" : "nothing")
         : runs_gemms(row)    ? "all"
                              : "copies";
}

/// Formats "85 measured, 31 datasheet", the largest number first.
std::string sources_text(const GpuRow& row) {
  std::vector<std::pair<int, std::string>> counts;
  for (const auto& [source, count] : row.sources) {
    counts.emplace_back(-count, source);
  }
  std::ranges::sort(counts);
  std::vector<std::string> parts;
  for (const auto& [count, source] : counts) {
    parts.push_back(fmt::format("{} {}", -count, source));
  }
  return join(parts, ", ");
}

void print_gpus(const std::vector<GpuRow>& rows, const std::string& format) {
  if (format == "json") {
    nlohmann::ordered_json answer{{"schema", 1}, {"gpus", nlohmann::ordered_json::array()}};
    for (const GpuRow& row : rows) {
      answer["gpus"].push_back({{"name", row.name},
                                {"product", row.gpu.spec.product},
                                {"architecture", to_text(row.gpu.spec.architecture)},
                                {"sm_count", row.gpu.spec.sm.count},
                                {"schedules_run", runs_gemms(row)},
                                {"memory_bound_run", row.gpu.spec.stream.has_value()},
                                {"calibrated", row.gpu.calibrated},
                                {"based_on", row.based_on},
                                {"sources", row.sources}});
    }
    fmt::print("{}", json_text(answer));
    return;
  }
  fmt::print("{:<15} {:>4}  {:<10} {:<7} {:<11} {}\n", "name", "SMs", "based on", "runs",
             "calibrated", "family; numbers by source");
  for (const GpuRow& row : rows) {
    fmt::print("{:<15} {:>4}  {:<10} {:<7} {:<11} {}\n{}", row.name, row.gpu.spec.sm.count,
               row.based_on.empty() ? "-" : row.based_on, runs(row),
               row.gpu.calibrated ? "yes" : "no", to_text(row.gpu.spec.architecture),
               wrapped("    ", sources_text(row), " "));
  }
}

/// Prints every number of one GPU, with its source.
void print_numbers(const LoadedGpu& gpu, const std::string& format) {
  if (format == "json") {
    nlohmann::ordered_json answer{{"schema", 1},
                                  {"gpu", gpu.spec.name},
                                  {"calibrated", gpu.calibrated},
                                  {"numbers", nlohmann::ordered_json::array()}};
    for (const Constant& c : gpu.constants) {
      answer["numbers"].push_back({{"key", c.key_path},
                                   {"value", c.value},
                                   {"unit", c.unit},
                                   {"source", to_text(c.source)},
                                   {"confidence", to_text(c.confidence)},
                                   {"ref", c.ref}});
      if (c.standard_error) {
        answer["numbers"].back()["standard_error"] = *c.standard_error;
      }
    }
    fmt::print("{}", json_text(answer));
    return;
  }
  fmt::print("{}", wrapped("",
                           fmt::format("{}: {}, {}calibrated, {}", gpu.spec.name, gpu.spec.product,
                                       gpu.calibrated ? "" : "not ", gpu.path),
                           " "));
  for (const Constant& c : gpu.constants) {
    const std::string error =
        c.standard_error ? fmt::format(" +- {:.2g}", *c.standard_error) : std::string();
    fmt::print("{:<38} {:<28} {}\n{}", c.key_path,
               fmt::format("{:.8g}{} {}", c.value, error, c.unit == "1" ? "" : c.unit),
               to_text(c.source), wrapped("    ", escaped(c.ref), " "));
  }
}

constexpr std::pair<Limiter, const char*> kBottlenecks[] = {
    {Limiter::kTensor, "FLOP rate of the tensor cores"},
    {Limiter::kSharedMemory, "operand reads by the tensor cores"},
    {Limiter::kSmIntake, "bytes that an SM can receive from L2"},
    {Limiter::kL2, "bytes that L2 delivers and receives"},
    {Limiter::kDram, "DRAM bandwidth"},
    {Limiter::kLatency, "latency of loads and of tensor operations"},
    {Limiter::kInstructions, "instructions around tensor operations and loads"},
    {Limiter::kEpilogue, "storing the accumulators to C"},
    {Limiter::kReduction, "exchange of partial sums through L2"},
    {Limiter::kLaunch, "launch and end of the kernel"}};

/// "; also float16, half, f16"
std::string also(ElementType type) { return "; also " + join(other_words(type), ", "); }

}  // namespace

std::vector<ListedWord> listed_words(const std::string& kind) {
  std::vector<ListedWord> words;
  const auto add = [&](std::string_view word, const std::string& meaning) {
    words.push_back({std::string(word), "", meaning});
  };
  if (kind == "schedules") {
    for (const AnySchedule& schedule : every_schedule()) {
      std::visit(
          [&](auto own) {
            if constexpr (requires { traits_of(own).meaning; }) {
              words.push_back({std::string(to_text(own)),
                               fmt::format("{:<5} ", traits_of(own).abbreviation),
                               traits_of(own).meaning});
            }
          },
          schedule);
    }
  } else if (kind == "dtypes") {
    for (i32 i = 0; i < kElementTypes; ++i) {
      const auto type = static_cast<ElementType>(i);
      add(to_text(type), traits_of(type).meaning + also(type));
    }
  } else if (kind == "epilogues") {
    add("none", "C = A B, or alpha A B + beta C (libtilecast)");
    for (const StepRow& step : output_steps()) {
      add(step.word, step.meaning);
    }
    add("bias_n+gelu", "several, in the order of this list");
  } else if (kind == "layouts") {
    for (const Layout layout : kEveryLayout) {
      add(to_text(layout), std::string(meaning_of(layout)));
    }
  } else if (kind == "scales") {
    add("tensor", "one scale for each operand");
    add("row", "a scale for each row of A and column of B");
    add("block", "a scale for each 1x128 block of A and 128x128 block of B");
  } else if (kind == "ops") {
    add(to_text(Op::kGemm), "C = A B, also in batches and groups");
    add(to_text(Op::kAttention), "softmax(Q K^T) V");
    add(to_text(Op::kMemcpy), "copies elements");
    add(to_text(Op::kElementwiseAdd), "adds two matrices");
  } else if (kind == "bottlenecks") {
    for (const auto& [limiter, meaning] : kBottlenecks) {
      add(to_text(limiter), meaning);
    }
  } else if (kind == "regimes") {
    add(to_text(Regime::kBurst), "a few milliseconds of work on an idle GPU");
    add(to_text(Regime::kSustained), "continuous load: the power cap holds the clock");
  } else if (kind == "inputs") {
    add(to_text(Inputs::kNormal), "normally distributed, as in most measured rows");
    add(to_text(Inputs::kUniform), "uniformly distributed");
    add(to_text(Inputs::kTernary), "-1, 0 and 1");
    add(to_text(Inputs::kZeros), "all zero, which draw the least power");
  }
  return words;
}

void run_list(const Arguments& args) {
  const std::string kind = args.text("KIND");
  BrokenFiles broken;
  const std::vector<std::string> kinds = options_of("list").front().words;
  for (const std::string& each : kinds) {
    if (!kind.empty() && kind != each) {
      continue;
    }
    if (kind.empty()) {
      fmt::print("{}\n", each);
    }
    const std::string indent = kind.empty() ? "  " : "";
    for (const GpuRow& row : each == "gpus" ? gpu_rows(broken) : std::vector<GpuRow>()) {
      fmt::print("{}",
                 wrapped(fmt::format("{}{:<26} ", indent, row.name), row.gpu.spec.product, " "));
    }
    for (const auto& [word, more, meaning] : listed_words(each)) {
      fmt::print("{}", wrapped(fmt::format("{}{:<26} {}", indent, word, more), meaning, " "));
    }
  }
  report(broken);
}

void run_gpus(const Arguments& args) {
  const std::string format = args.text("--format");
  if (args.given("NAME")) {
    print_numbers(load_gpu(args.text("NAME"), true), format);
    return;
  }
  BrokenFiles broken;
  print_gpus(gpu_rows(broken), format);
  report(broken);
}

}  // namespace tilecast
