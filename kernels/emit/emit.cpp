#include "kernels/emit/emit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "kernels/emit/emitted_program.h"
#include "kernels/emit/used_source.h"
#include "model/base/error.h"
#include "model/base/shell_text.h"
#include "model/base/text.h"
#include "model/op/config_key.h"

namespace tilecast {
namespace {

/// An op that can be emitted.
struct Row {
  Op op;
  std::string (*name)(const AnyProblem&);
  EmittedProgram (*program)(const AnyProblem&, const AnyConfig&);
  std::string (*choices)(const AnyConfig&);  // comments that explain each choice
};

template <class Config>
std::string choices_of(const Config& config) {
  const auto traits = traits_of(config.schedule);
  std::string text = fmt::format("//   {:<24}  {}\n", traits.name, traits.meaning);
  for (const auto& [key_value, meaning] : key_values(config)) {
    text += fmt::format("//   {:<24}  {}\n", key_value, meaning);
  }
  return text;
}

template <class Problem>
constexpr Row row_of(Op op) {
  return {
      .op = op,
      .name = [](const AnyProblem& p) { return emitted_name(std::get<Problem>(p)); },
      .program =
          [](const AnyProblem& p, const AnyConfig& config) {
            return emitted_program(std::get<Problem>(p), std::get<ConfigOf<Problem>>(config));
          },
      .choices =
          [](const AnyConfig& config) { return choices_of(std::get<ConfigOf<Problem>>(config)); }};
}

constexpr Row kRows[] = {row_of<GemmProblem>(Op::kGemm), row_of<AttentionProblem>(Op::kAttention)};

const Row& row_for(const AnyProblem& problem) {
  const auto* const row = std::ranges::find(kRows, op_of(problem), &Row::op);
  if (row == std::end(kRows)) {
    std::vector<std::string_view> names;
    std::ranges::transform(kRows, std::back_inserter(names),
                           [](const Row& r) { return to_text(r.op); });
    throw ConfigError(fmt::format("emit supports only {}, not {}", fmt::join(names, " and "),
                                  to_text(op_of(problem))));
  }
  return *row;
}

/// Whether code for the architecture, such as "sm_90a", does not run on later GPUs.
bool is_specific(std::string_view architecture) { return architecture.ends_with('a'); }

/// Converts "sm_90a" to "90".
std::string_view number_of(std::string_view architecture) {
  architecture.remove_suffix(is_specific(architecture) ? 1 : 0);
  return architecture.substr(3);
}

/// Guards a source. Some releases of nvcc also compile it for plain compute_90, which lacks these
/// instructions: for that target the call is omitted, and the kernel is empty and never runs.
std::string guarded(std::string source, std::string_view architecture) {
  if (!is_specific(architecture)) {
    return source;
  }
  const std::size_t call = source.rfind("  tilecast::run"), end = source.find('\n', call) + 1;
  return source.replace(
      call, end - call,
      fmt::format("#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM{}_ALL)\n{}#endif\n",
                  number_of(architecture), source.substr(call, end - call)));
}

std::string build_line(const EmittedProgram& program, const std::string& file) {
  const std::string& architecture = program.kernel.architecture;
  const std::string name = file.substr(0, file.rfind('.'));
  const std::string target =
      is_specific(architecture)
          ? fmt::format("-gencode arch=compute_{}a,code={}", number_of(architecture), architecture)
          : "-arch=" + architecture;
  return fmt::format("nvcc -std=c++20 -O3 -Xptxas -warn-spills {} -o {} {} && ./{}", target,
                     shell_word(name), shell_word(file), shell_word(name));
}

std::string first_comment(const Emitted& emitted, const EmittedProgram& program,
                          const std::string& file) {
  return fmt::format(
      "// {}: {}.\n// Forecast of tilecast for {}: {:.2f} us.\n//\n//   {}\n//\n// {}\n{}", file,
      program.title, emitted.gpu, emitted.forecast.value * 1e6, build_line(program, file),
      to_text(emitted.config), row_for(emitted.problem).choices(emitted.config));
}

/// Formats the problem's numbers, which launch, check and timing read.
std::string problem_text(const EmittedProgram& program, Seconds forecast) {
  ConstantsText common;
  common.add("i32", "kSharedBytes", program.shared_bytes, "of a CTA");
  common.add("i32", "kClusterSize", program.cluster_size, "CTAs");
  common.add("i32", "kTensorMemoryColumns", program.tensor_memory_columns);
  common.add("int", "kComputeCapability", number_of(program.kernel.architecture));
  common.flag("kRunsOnLaterGpus", !is_specific(program.kernel.architecture));
  common.add(
      "i64", "kStep",
      program.most_checked > 0 ? static_cast<i64>(program.checked / program.most_checked) + 1 : 1,
      "from one result that is checked to the next");
  common.add("i64", "kSetBytes", static_cast<i64>(program.set_bytes), "of buffers");
  common.add("double", "kWork", fmt::format("{:.0f}.0", program.work), "of a launch");
  common.add("const char*", "kWorkUnit", fmt::format("\"{}\"", program.work_unit));
  common.add("double", "kForecastUs", fmt::format("{:.2f}", forecast.value * 1e6));
  return fmt::format(
      "namespace tilecast::emitted {{\n\n{}\n{}\n}}  // namespace tilecast::emitted\n",
      program.problem, common.text());
}

/// Formats functions that repeat what the launch's bind function computes for the problem.
std::string binding_text(const EmittedProgram& program) {
  return fmt::format(
      "namespace tilecast::emitted {{\n\n"
      "using Arguments = {0};\nusing DeviceBuffers = {6};\nconstexpr auto kKernel = {1};\n\n"
      "/// Sets the arguments that depend on no buffer. `resident`: clusters (or CTAs) that the "
      "device\n/// holds at once; `workers`: clusters or CTAs launched.{2}\n"
      "{0} launch_args([[maybe_unused]] u32 resident, u32& workers) {{\n"
      "  {0} args{{}};\n{3}  workers = {4};\n  return args;\n}}\n\n"
      "{0} bound_args({0} args, const DeviceBuffers& buffers) {{\n{5}  return args;\n}}\n\n"
      "}}  // namespace tilecast::emitted\n",
      program.arguments, program.entry, program.workers_comment, program.launch_args,
      program.workers, program.bound_args, program.buffers);
}

/// Adds a list of contents after the first comment.
std::string with_contents(const std::string& file, const EmittedProgram& program) {
  const std::vector<std::string_view> lines = split(file, '\n');
  const auto line_of = [&](const std::string& part) {
    const auto found =
        std::ranges::find_if(lines, [&](std::string_view line) { return line.starts_with(part); });
    return found - lines.begin() + 2;  // line number from 1 on, including the line of this list
  };
  const std::size_t end = file.find("\n\n");
  return fmt::format("{}\n// Configuration: line {}, kernel: {}, launch: {}, check: {}.{}",
                     file.substr(0, end), line_of("struct Config {"),
                     line_of("// ---- " + program.kernel.path), line_of("// ---- arguments"),
                     line_of(fmt::format("// ---- kernels/emit/{}_check.cuh", program.host)),
                     file.substr(end));
}

/// Whether a source uses an include that only some sources need.
bool needed(const std::string& include, const std::string& text) {
  static const std::map<std::string, std::string> kOf = {
      {"<bit>", "std::bit_cast"},         {"<cmath>", "std::sqrt"},
      {"<limits>", "numeric_limits"},     {"<cuda_fp16.h>", "__half"},
      {"<cuda_bf16.h>", "__nv_bfloat16"}, {"<cuda_fp8.h>", "__nv_fp8"}};
  const auto found = kOf.find(include);
  return found == kOf.end() || text.find(found->second) != std::string::npos;
}

/// Adds a kernel's source: its architecture, then its source and entry point.
void add_kernel(const std::string& text, SourceParts& to) {
  const std::size_t kernel = text.rfind("#include \"");
  to.add("configuration", text.substr(0, kernel));
  to.add("entry", text.substr(kernel));
}

EmittedProgram program_of(const AnyProblem& problem, const AnyConfig& config) {
  EmittedProgram program = row_for(problem).program(problem, config);
  program.use.kernel = program.kernel.path;
  return program;
}

}  // namespace

std::string emitted_file_name(const AnyProblem& problem) {
  return row_for(problem).name(problem) + ".cu";
}

std::string build_line(const Emitted& emitted, const std::string& file) {
  return build_line(program_of(emitted.problem, emitted.config), file);
}

KernelSource emitted_kernel(const AnyProblem& problem, const AnyConfig& config) {
  const EmittedProgram program = program_of(problem, config);
  SourceUse use = program.use;
  use.roots = {program.entry};
  use.known.clear();
  SourceParts parts;
  add_kernel(program.kernel.text, parts);
  KernelSource kept = program.kernel;
  kept.text = used_source(parts, use).text;
  return kept;
}

std::string emitted_source(const Emitted& emitted, const std::string& file) {
  const EmittedProgram program = program_of(emitted.problem, emitted.config);
  SourceUse use = program.use;
  use.roots = {program.entry, "main", "fill", "compare"};
  SourceParts parts;
  add_kernel(guarded(program.kernel.text, program.kernel.architecture), parts);
  parts.add_file("kernels/emit/device.cuh");
  parts.add("problem", problem_text(program, emitted.forecast));
  parts.add_file(fmt::format("kernels/emit/{}_buffers.cuh", program.host));
  parts.add("arguments", binding_text(program));
  parts.add_file("kernels/emit/launch.cuh");
  parts.add_file(fmt::format("kernels/emit/{}_check.cuh", program.host));
  parts.add_file("kernels/emit/main.cu");
  const UsedSource used = used_source(parts, use);
  std::string text = first_comment(emitted, program, file) + "\n";
  for (const std::string& include : used.toolkit) {
    if (needed(include, used.text)) {
      text += fmt::format("#include {}\n", include);
    }
  }
  return with_contents(text + used.text, program);
}

}  // namespace tilecast
