// Reads the list of legal kernels that a compiler does not translate as intended: it spills
// registers, serializes wgmmas, ignores setmaxnreg, or fails. Found by compiling; kept in
// configs/compiler_rejections.csv (columns: configs/README.md) and excluded from the candidates.
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

/// Compile-time parameters of a kernel (kernels/jit/gemm_source.h), in the order of the file's
/// columns.
enum class VariantPart : std::size_t {
  kSchedule,  // schedules that split K share a kernel: stream_k
  kBlockM,
  kBlockN,
  kBlockK,  // bytes of K; the file counts elements, of 16 bits if the type is open
  kStages,
  kWarpgroupsM,
  kWarpgroupsN,
  kClusterM,
  kClusterN,
  kCtas,
  kInflight,
  kCSlots,
  kProducer,
  kInstructionN,  // N of the instruction, chosen or derived
  kA,
  kOrder,  // order of tiles: Hilbert curve, or swizzle groups of any kind
  kStore,
  kOperands,
  kDtype,
  kDtypeC,
  kAccumulate,
  kLayout,  // layout as run by the kernel (swapped_operands.h)
  kEpilogue,
  kProducts,  // single GEMM, batch, groups along M or groups along K
};
constexpr std::size_t kVariantParts = static_cast<std::size_t>(VariantPart::kProducts) + 1;

/// One number per part; enumerations by value. Equal variants compile to the same machine code.
using KernelVariant = std::array<i32, kVariantParts>;
KernelVariant variant_of(const GemmProblem& problem, const KernelConfig& config);

/// A row; empty fields match any value.
struct CompilerRejection {
  std::string architecture;  // word for the architecture, as in load_gpu.h
  std::array<std::optional<i32>, kVariantParts> parts;
  std::string compiler;  // compiler and version
  std::string reason;    // spills, wgmma_serialized, setmaxnreg_ignored or error

  std::optional<i32>& operator[](VariantPart part) { return parts[static_cast<std::size_t>(part)]; }
};

/// Returns the CSV row that rejects this variant and no other.
CompilerRejection rejection_of(std::string_view architecture, const KernelVariant& variant,
                               std::string_view compiler, std::string_view reason);

/// Parses the file. Throws ConfigError `name:line: column: expectation`.
std::vector<CompilerRejection> parse_compiler_rejections(std::string_view text,
                                                         std::string_view name);
/// Inverse of parse_compiler_rejections.
std::string compiler_rejections_text(const std::vector<CompilerRejection>& rows);

/// Formats the fields as a CSV line, without compiler and reason.
std::string to_text(const CompilerRejection& rejection);

/// Returns the rows of `architecture` in `config_folder`/compiler_rejections.csv, sorted by
/// schedule; empty if the file does not exist.
std::vector<CompilerRejection> load_compiler_rejections(const std::filesystem::path& config_folder,
                                                        std::string_view architecture);

void sort_by_schedule(std::vector<CompilerRejection>& rows);

/// Whether any row matches this kernel. The rows must be sorted by schedule.
bool any_rejects(const std::vector<CompilerRejection>& rejections, const GemmProblem& problem,
                 const KernelConfig& config);

}  // namespace tilecast
