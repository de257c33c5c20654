// Merges the rows of a plan's shards into one file, for `campaign merge` and `measure --devices`.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/plan/merge.h"

namespace tilecast {

/// Reads the shards' files, and `out` if it exists, whose rows are kept; writes the table.
/// Throws ConfigError if a file is not such a table, and FileError.
Merge merge_into(const std::filesystem::path& out, const WorkPlan& plan,
                 const std::vector<std::filesystem::path>& shards);

/// "1998 ok, 2 failed"
std::string counts_text(const std::map<std::string, std::size_t>& counts);

/// Reports each contradiction and the first missing points on standard error. Throws Error(kWrong)
/// if rows contradict each other or the plan, Error(kPartial) if points are missing.
void report_merge(const std::filesystem::path& out, const WorkPlan& plan, const Merge& merge);

}  // namespace tilecast
