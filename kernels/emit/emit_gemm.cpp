#include "kernels/emit/emit_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "kernels/jit/embedded_sources.h"
#include "kernels/jit/gemm_source.h"
#include "kernels/jit/source_closure.h"
#include "kernels/registry.h"
#include "model/base/shell_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/op/config_key.h"

namespace tilecast {
namespace {

constexpr const char* kHostSide = "kernels/emit/main.cu";

/// "sm_90a" -> "90a"
std::string_view number_of(std::string_view architecture) { return architecture.substr(3); }

/// A source with each file that it includes in the place of the first include; a condition around
/// an include is ignored, since a file that is pasted for it may be needed without.
class Pasted {
 public:
  void add(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      if (const std::string path(included_path(line)); !path.empty()) {
        add_file(path);
      } else if (line != "#pragma once") {
        text_ += line;
        text_ += '\n';
      }
    }
    text_.erase(text_.find_last_not_of('\n') + 1);
    text_ += '\n';
  }

  void add_file(const std::string& path) {
    if (seen_.insert(path).second) {
      text_ += fmt::format("\n// ---- {}\n", path);
      add(source_closure(path, embedded_sources()).front().text);
    }
  }

  const std::string& text() const { return text_; }

 private:
  std::set<std::string> seen_;
  std::string text_;
};

/// Some releases of nvcc compile for plain compute_90 as well as sm_90a, which has no such
/// instructions: there the kernel is empty, and never runs.
std::string guarded(std::string source, std::string_view architecture) {
  constexpr std::string_view kCall = "  tilecast::run(args);\n";
  const std::string_view family =
      number_of(architecture).substr(0, number_of(architecture).size() - 1);
  return source.replace(
      source.find(kCall), kCall.size(),
      fmt::format("#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM{}_ALL)\n{}#endif\n",
                  family, kCall));
}

/// Of groups or a batch.
std::string products_text(const GemmProblem& problem) {
  const Batch& batch = problem.batch;
  if (problem.groups != nullptr) {
    return fmt::format("groups of {} rows {}, ", list_text(*problem.groups),
                       grouped_along_k(problem) ? "along K with a C each" : "with a B each");
  }
  if (batch.products == 1) {
    return "";
  }
  const std::string shared = batch.one_a && batch.one_b ? "A and B" : batch.one_a ? "A" : "B";
  return fmt::format("{} products{}, each ", batch.products,
                     batch.one_a || batch.one_b ? " that share " + shared : "");
}

std::string first_comment(const EmittedGemm& gemm, const std::string& file) {
  const i64 m = rows_in_memory(gemm.problem), n = c_columns(gemm.problem);
  const i64 k = gemm.problem.shape.k;
  const std::string text = to_text(gemm.config), leading = to_text(gemm.problem.leading);
  std::string comment = fmt::format(
      "// {}: {}C[{},{}] = A[{},{}] B{}, {} with {}sums in fp32{}, layout {} ({}){}.\n"
      "// Forecast of tilecast for {}: {:.2f} us.\n//\n//   {}\n//\n// {}\n",
      file, products_text(gemm.problem), m, n, m, k,
      fuses(gemm.problem.epilogue) ? ", then " + to_text(gemm.problem.epilogue) : "",
      to_text(gemm.problem.dtype), gemm.problem.accumulate == Accumulate::kExact ? "exact " : "",
      c_type(gemm.problem) != gemm.problem.dtype
          ? fmt::format(" and C in {}", to_text(c_type(gemm.problem)))
          : "",
      to_text(gemm.problem.layout), meaning_of(gemm.problem.layout),
      leading.empty() ? "" : ", " + leading, gemm.gpu, gemm.forecast.value * 1e6,
      build_line(gemm.config, file), text);
  comment += fmt::format("//   {:<24}  {}\n", to_text(gemm.config.schedule),
                         traits_of(gemm.config.schedule).meaning);
  for (const auto& [key_value, meaning] : key_values(gemm.config)) {
    comment += fmt::format("//   {:<24}  {}\n", key_value, meaning);
  }
  return comment;
}

/// A choice of the configuration that is an enumerator's number, as its word.
std::string comment_of(const EmittedGemm& gemm, std::string_view name) {
  if (name == "RUN_SCHEDULE") {
    return fmt::format("  // {}", to_text(gemm.config.schedule));
  }
  const std::string key = lower_case(name);
  for (const KeyValue& choice : key_values(gemm.config)) {
    const std::size_t equals = choice.text.find('=');
    const std::string value = choice.text.substr(equals + 1);
    if (choice.text.substr(0, equals) == key && std::isalpha(value.front()) != 0) {
      return "  // " + value;
    }
  }
  return "";
}

std::string defines(const EmittedGemm& gemm) {
  constexpr std::string_view kPrefix = "TILECAST_";
  const KernelConfig& config = gemm.config;
  std::string text = "\n#pragma nv_diag_suppress 177  // constants of other schedules\n";
  const auto add = [&](std::string_view name, const auto& value) {
    text += fmt::format("#define {}{} {}{}\n", kPrefix, name, value, comment_of(gemm, name));
  };
  const GemmTypes types = types_of(gemm.problem);
  text += "\n// Decided as it is launched:\n";
  add("M", rows_in_memory(gemm.problem));
  add("N", gemm.problem.shape.n);
  add("K", gemm.problem.shape.k);
  add("LDA", a_row(gemm.problem));
  add("LDB", b_row(gemm.problem));
  add("LDC", c_row(gemm.problem));
  add("PRODUCTS", matrices_of_c(gemm.problem));
  add("ONE_A", gemm.problem.batch.one_a ? 1 : 0);
  add("ONE_B", gemm.problem.batch.one_b ? 1 : 0);
  if (const SharedGroupRows& groups = gemm.problem.groups; groups != nullptr) {
    add("GROUP_NUMBERS", fmt::format("{}", fmt::join(groups->on_device(), ",")));
    add("GROUP_CAPACITY", groups->capacity());
  }
  add("RUN_SCHEDULE", static_cast<i32>(config.schedule));
  add("GRID", static_cast<i32>(config.grid));
  add("RASTER", static_cast<i32>(config.raster.kind));
  add("GROUP", config.raster.group);
  add("WALK", static_cast<i32>(config.raster.walk));
  add("SPLITS", config.decomposition.splits);
  add("MIN_K_BLOCKS", config.decomposition.min_k_blocks);
  add("REDUCTION", static_cast<i32>(config.decomposition.reduction));
  text += "\n// Of the check and the launch:\n";
  add("ELEMENT", traits_of(types.operands).of_cuda);
  add("C_ELEMENT", traits_of(types.c).of_cuda);
  add("C_ROUNDING", fmt::format("0x1p-{}", traits_of(types.c).digits));
  add("BIAS_ELEMENT", traits_of(half_type(types.c)).of_cuda);
  add("COMPUTE_CAPABILITY", uses_tcgen05(config.schedule) ? 100 : 90);
  add("FORECAST_US", fmt::format("{:.2f}", gemm.forecast.value * 1e6));
  return text;
}

}  // namespace

std::string build_line(const KernelConfig& config, const std::string& file) {
  const std::string architecture =
      gemm_source(config, {ElementType::kFp16, Layout::kTn}).architecture;
  const std::string program = file.substr(0, file.rfind('.'));
  return fmt::format(
      "nvcc -std=c++20 -O3 -Xptxas -warn-spills -gencode arch=compute_{},code={} -o {} {} && ./{}",
      number_of(architecture), architecture, shell_word(program), shell_word(file),
      shell_word(program));
}

std::string emitted_source(const EmittedGemm& gemm, const std::string& file) {
  const KernelSource source = gemm_source(gemm.config, ProblemKind::of(gemm.problem));
  Pasted pasted;
  pasted.add(guarded(source.text, source.architecture));
  pasted.add_file(kHostSide);
  return first_comment(gemm, file) + defines(gemm) + pasted.text();
}

}  // namespace tilecast
