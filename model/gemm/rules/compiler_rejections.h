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
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// What a kernel is compiled for (kernels/jit/gemm_source.h), in the order of the file's columns.
enum class VariantPart : std::size_t {
  kSchedule,  // of those that split K, which are one kernel, stream_k
  kBlockM,
  kBlockN,
  kBlockK,  // in bytes; texts count elements, of 16 bits in a row of any type
  kStages,
  kWarpgroupsM,
  kWarpgroupsN,
  kClusterM,
  kClusterN,
  kCtas,
  kInflight,
  kCSlots,
  kProducer,
  kInstructionN,  // as the kernel uses it, chosen or not
  kA,
  kOrder,  // of tiles: on a Hilbert curve, or in bands of any kind
  kStore,
  kOperands,
  kDtype,
  kDtypeC,
  kAccumulate,
  kLayout,  // as the kernel runs it (swapped_operands.h)
  kEpilogue,
  kProducts,  // one, a batch, groups along M or along K
};
constexpr std::size_t kVariantParts = static_cast<std::size_t>(VariantPart::kProducts) + 1;

/// A number for each part, of enumerations their value. Kernels of equal variants are one machine
/// code.
using KernelVariant = std::array<i32, kVariantParts>;
KernelVariant variant_of(const GemmProblem& problem, const KernelConfig& config);

/// A row: what it leaves empty may have any value.
struct CompilerRejection {
  std::string architecture;  // word of load_gpu.h
  std::array<std::optional<i32>, kVariantParts> parts;
  std::string compiler;  // which one, with its version
  std::string reason;    // spills, wgmma_serialized, setmaxnreg_ignored or error

  std::optional<i32>& operator[](VariantPart part) { return parts[static_cast<std::size_t>(part)]; }
};

/// The row about this variant alone.
CompilerRejection rejection_of(std::string_view architecture, const KernelVariant& variant,
                               std::string_view compiler, std::string_view reason);

/// Throws ConfigError `name:line: column: what was expected`.
std::vector<CompilerRejection> parse_compiler_rejections(std::string_view text,
                                                         std::string_view name);
/// Inverse of parse_compiler_rejections.
std::string compiler_rejections_text(const std::vector<CompilerRejection>& rows);

/// The fields of its line, in the order of the file, without the compiler and the reason.
std::string to_text(const CompilerRejection& rejection);

/// The rows of `architecture` in `config_folder`/compiler_rejections.csv; none where there is no
/// such file.
std::vector<CompilerRejection> load_compiler_rejections(const std::filesystem::path& config_folder,
                                                        std::string_view architecture);

/// Whether any of them is about this kernel.
bool any_rejects(const std::vector<CompilerRejection>& rejections, const GemmProblem& problem,
                 const KernelConfig& config);

}  // namespace tilecast
