// The table of kernels that the compiler rejects (configs/compiler_rejections.csv), as `compile`
// writes it; model/spec/compiler_rejections.h reads it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// The columns that say which kernel a row is about: everything that is compiled in. Without a
/// dtype the row is about every one.
std::string rejection_key(Architecture architecture, const KernelConfig& config,
                          std::optional<ElementType> dtype, Layout layout);

/// The word of the column `reason` for what CompiledKernel::rejection says.
std::string_view rejection_reason(std::string_view rejection);

class RejectionTable {
 public:
  /// From the text of a table, or from none. Throws ConfigError `name:line: ...`.
  RejectionTable(std::string_view text, std::string_view name);

  /// What is now known of one kernel replaces its row: a reason, or nothing where it is usable.
  void set(const std::string& key, std::string_view compiler, std::string_view reason);

  std::string text() const;
  std::size_t rows() const { return rows_.size(); }

 private:
  std::map<std::string, std::string> rows_;  // compiler and reason, by key
};

}  // namespace tilecast
