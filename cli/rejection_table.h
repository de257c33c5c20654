// The table of kernels that the compiler rejects (configs/compiler_rejections.csv), as `compile`
// writes it; model/spec/compiler_rejections.h reads it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/spec/compiler_rejections.h"

namespace tilecast {

/// The word of the column `reason` for what CompiledKernel::rejection says.
std::string_view rejection_reason(std::string_view rejection);

class RejectionTable {
 public:
  /// From the text of a table, or from none. Throws ConfigError `name:line: ...`.
  RejectionTable(std::string_view text, std::string_view name);

  /// Replaces the row of these kernels, or removes it if `row` has no reason.
  void set(const CompilerRejection& row);

  std::string text() const;
  std::size_t rows() const { return rows_.size(); }

 private:
  std::map<std::string, CompilerRejection> rows_;  // by text
};

}  // namespace tilecast
