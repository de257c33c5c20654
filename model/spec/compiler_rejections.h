// Kernels that a compiler does not make what they claim to be, though the rules of legality allow
// them: it spills registers, serialises wgmmas, ignores setmaxnreg, or fails. Found by compiling,
// kept in configs/compiler_rejections.csv (its columns: configs/README.md), so that the generator
// of candidates leaves them out.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

constexpr std::size_t kCompileTimeNumbers = 13;

/// A row: what it leaves empty may have any value.
struct CompilerRejection {
  std::string architecture;  // word of load_gpu.h
  std::optional<Schedule> schedule;
  std::array<std::optional<i32>, kCompileTimeNumbers> numbers;  // in the order of the columns
  std::optional<OperandSource> a_source;
  std::optional<ElementType> dtype;
  std::optional<Layout> layout;
  std::string compiler;  // which one, with its version
  std::string reason;    // spills, wgmma_serialized, setmaxnreg_ignored or error
};

/// Throws ConfigError `name:line: column: what was expected`.
std::vector<CompilerRejection> parse_compiler_rejections(std::string_view text,
                                                         std::string_view name);

/// The fields of its line, in the order of the file, without the compiler and the reason.
std::string to_text(const CompilerRejection& rejection);

/// The rows of `architecture` in `config_folder`/compiler_rejections.csv; none where there is no
/// such file.
std::vector<CompilerRejection> load_compiler_rejections(const std::filesystem::path& config_folder,
                                                        std::string_view architecture);

/// Whether any of them is about this kernel. instruction_n counts as the kernel uses it, chosen or
/// not.
bool any_rejects(const std::vector<CompilerRejection>& rejections, const GemmProblem& problem,
                 const KernelConfig& config);

}  // namespace tilecast
