#include "cli/merge_files.h"
#include "cli/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/base/error.h"
#include "model/base/file.h"
#include "validate/run/measure_progress.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostListed = 10;

/// Throws if the table that --out names has rows that are not in the plan, because it keeps its
/// rows.
void require_of_plan(const std::filesystem::path& out, const MeasurementFile& rows,
                     const WorkPlan& plan) {
  const Merge own = merge_rows(plan, {rows});
  if (!own.contradictions.empty()) {
    throw ConfigError(fmt::format(
        "--out {}: contains rows of another plan ({}), which merge would keep; nothing was written",
        out.string(), own.contradictions.front()));
  }
}

}  // namespace

Merge merge_into(const std::filesystem::path& out, const WorkPlan& plan,
                 const std::vector<std::filesystem::path>& shards) {
  std::vector<MeasurementFile> files;
  for (const std::filesystem::path& shard : shards) {
    files.push_back(read_shard(shard));
  }
  if (std::filesystem::exists(out)) {
    files.push_back(read_shard(out));
    require_of_plan(out, files.back(), plan);
  }
  Merge merge = merge_rows(plan, files);
  write_file(out, merged_csv(merge, files));
  return merge;
}

std::string counts_text(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [status, number] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, status);
  }
  return text.empty() ? "none" : text;
}

void report_merge(const std::filesystem::path& out, const WorkPlan& plan, const Merge& merge) {
  for (std::size_t i = 0; i < std::min(kMostListed, merge.contradictions.size()); ++i) {
    say("{}", merge.contradictions[i]);
  }
  for (std::size_t i = 0; i < std::min(kMostListed, merge.missing.size()); ++i) {
    const std::size_t place = merge.missing[i];
    say("missing: {}: {}", place + 1, describe(plan.points[place].point()));
  }
  const std::string summary =
      fmt::format("{}: {} of {} points ({}), {} duplicate rows", out.string(), merge.rows.size(),
                  plan.points.size(), counts_text(merge.counts), merge.duplicates);
  if (!merge.contradictions.empty()) {
    throw Error(ExitCode::kWrong,
                fmt::format("{}; {} contradictions", summary, merge.contradictions.size()));
  }
  if (!merge.missing.empty()) {
    throw Error(ExitCode::kPartial,
                fmt::format("{}; {} points are missing", summary, merge.missing.size()));
  }
  say("{}", summary);
}

}  // namespace tilecast
