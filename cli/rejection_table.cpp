#include "cli/rejection_table.h"

#include <vector>

namespace tilecast {

std::string_view rejection_reason(std::string_view rejection) {
  if (rejection.starts_with("spills") || rejection.starts_with("stack frame")) {
    return "spills";
  }
  if (rejection.starts_with("C7508")) {
    return "setmaxnreg_ignored";
  }
  return rejection.starts_with("C75") ? "wgmma_serialized" : "error";
}

RejectionTable::RejectionTable(std::string_view text, std::string_view name) {
  if (text.empty()) {
    return;
  }
  for (const CompilerRejection& row : parse_compiler_rejections(text, name)) {
    set(row);
  }
}

void RejectionTable::set(const CompilerRejection& row) {
  const std::string key = to_text(row);
  if (row.reason.empty()) {
    rows_.erase(key);
  } else {
    rows_.insert_or_assign(key, row);
  }
}

std::string RejectionTable::text() const {
  std::vector<CompilerRejection> rows;
  for (const auto& [key, row] : rows_) {
    rows.push_back(row);
  }
  return compiler_rejections_text(rows);
}

}  // namespace tilecast
