#include "validate/plan/work_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/base/error.h"
#include "model/base/hash.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/base/trusted_path.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kFormat = "# tilecast plan 1";
constexpr i64 kLongestPoint = 86'400'000'000;  // one day; the sum of a plan then fits in 64 bits

/// Returns everything except the first line.
std::string table_of(const WorkPlan& plan) {
  std::vector<ListedPoint> points;
  for (const PlannedPoint& planned : plan.points) {
    points.push_back(planned.listed);
  }
  const std::string list = point_list_csv(points);
  std::string text;
  std::size_t line = 0, start = 0;
  while (start < list.size()) {
    const std::size_t end = list.find('\n', start) + 1;
    text += line == 0 ? "number,expected_us,"
                      : fmt::format("{},{},", line, plan.points[line - 1].expected_us);
    text += std::string_view(list).substr(start, end - start);
    start = end;
    ++line;
  }
  return text;
}

std::string head_of(const WorkPlan& plan) {
  return fmt::format("{}, gpu {}, counters {}, content ", kFormat, plan.gpu, plan.counters);
}

/// Returns the word after `key` in the first line.
std::string word_after(std::string_view head, std::string_view key, std::string_view name) {
  const std::size_t at = head.find(key);
  refuse_if(at == std::string_view::npos,
            "{}:1: expected '{}, gpu NAME, counters WORD, content HASH'", name, kFormat);
  const std::string_view rest = head.substr(at + key.size());
  return std::string(rest.substr(0, rest.find(',')));
}

i64 expected_of(const CsvRecord& record, std::size_t number, std::string_view name) {
  const auto value = [&](std::size_t column) {
    return column < record.fields.size() ? parse_integer(record.fields[column]) : std::nullopt;
  };
  refuse_if(value(0) != static_cast<i64>(number), "{}:{}: number: expected {}", name, record.line,
            number);
  const i64 expected = value(1).value_or(0);
  refuse_if(expected < 1 || expected > kLongestPoint,
            "{}:{}: expected_us: expected an integer from 1 to {}, got '{}'", name, record.line,
            kLongestPoint, printable(record.fields.size() > 1 ? record.fields[1] : ""));
  return expected;
}

}  // namespace

std::string content_hash(const WorkPlan& plan) { return hash_text(head_of(plan) + table_of(plan)); }

std::string plan_text(const WorkPlan& plan) {
  return head_of(plan) + content_hash(plan) + "\n" + table_of(plan);
}

WorkPlan read_plan(const std::filesystem::path& path) {
  return parse_plan(read_stored_text(path), path.string());
}

WorkPlan parse_plan(std::string_view text, std::string_view name) {
  const std::size_t end = text.find('\n');
  const std::string_view head = text.substr(0, end);
  WorkPlan plan;
  refuse_if(!head.starts_with(kFormat) || end == std::string_view::npos,
            "{}:1: expected a plan, as `tilecast campaign plan` writes it", name);
  plan.gpu = word_after(head, ", gpu ", name);
  plan.counters = word_after(head, ", counters ", name);
  const std::string content = word_after(head, ", content ", name);
  const std::string table(text.substr(end));  // an empty line replaces the head, to keep line
                                              // numbers
  std::vector<ListedPoint> points = parse_point_list(table, name);
  const CsvText csv = parse_csv(table, name);
  refuse_if(csv.records.size() != points.size() + 1, "{}: duplicate point", name);
  for (std::size_t i = 0; i < points.size(); ++i) {
    plan.points.push_back({std::move(points[i]), expected_of(csv.records[i + 1], i + 1, name)});
  }
  const std::string now = content_hash(plan);
  refuse_if(
      now != content,
      "{}: it was changed after `tilecast campaign plan` wrote it (content {}, now {}); make it "
      "again",
      name, content, now);
  return plan;
}

PlanRange range_of(const WorkPlan& plan, const Shard& shard) {
  i64 total = 0;
  for (const PlannedPoint& planned : plan.points) {
    total += planned.expected_us;
  }
  // Compares twice the midpoint of a point's time, so that integers suffice; it never decreases.
  PlanRange range{plan.points.size(), plan.points.size()};
  i64 before = 0;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const double middle = static_cast<double>(2 * before + plan.points[i].expected_us) /
                          static_cast<double>(2 * total);
    const i64 index = static_cast<i64>(middle * static_cast<double>(shard.count)) + 1;
    if (index >= shard.index) {
      range.first = std::min(range.first, i);
    }
    if (index > shard.index) {
      range.end = i;
      break;
    }
    before += plan.points[i].expected_us;
  }
  return range;
}

Seconds expected_time(const WorkPlan& plan, const PlanRange& range) {
  constexpr double kMicro = 1e-6;
  i64 sum = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    sum += plan.points[i].expected_us;
  }
  return Seconds{static_cast<double>(sum) * kMicro};
}

namespace {

std::string stem_of(const std::filesystem::path& plan) {
  std::string name = plan.filename().string();
  for (const std::string_view ending : {".gz", ".csv"}) {
    if (name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

/// Throws ConfigError for a link and for another user's file, because shards are found by name
/// only.
void refuse_foreign(const std::filesystem::path& plan, const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status shard = std::filesystem::symlink_status(path, unknown);
  if (!std::filesystem::exists(shard)) {
    return;  // reading the file reports why
  }
  const bool trusted = has_trusted_owner(path, plan);
  refuse_if(!std::filesystem::is_regular_file(shard) || !trusted,
            "{}: has a shard's name but {}: remove it, or name the files to merge", path.string(),
            trusted ? "is not a regular file" : "belongs to another user");
}

}  // namespace

std::filesystem::path shard_file(const std::filesystem::path& plan, const Shard& shard) {
  return plan.parent_path() /
         fmt::format("{}.{}-of-{}.csv", stem_of(plan), shard.index, shard.count);
}

std::optional<Shard> shard_named(const std::filesystem::path& plan,
                                 const std::filesystem::path& file) {
  constexpr std::string_view kOf = "-of-", kEnding = ".csv";
  const std::string start = stem_of(plan) + ".", name = file.filename().string();
  std::string_view numbers = name;
  if (!name.starts_with(start) || !name.ends_with(kEnding)) {
    return std::nullopt;
  }
  numbers.remove_prefix(start.size());
  numbers.remove_suffix(std::min(kEnding.size(), numbers.size()));
  const std::size_t of = std::min(numbers.find(kOf), numbers.size());
  const auto index = parse_integer(numbers.substr(0, of));
  const auto count = parse_integer(numbers.substr(std::min(of + kOf.size(), numbers.size())));
  if (!index || !count || *index < 1 || *index > *count || *count > kMostShards) {
    return std::nullopt;
  }
  const Shard shard{*index, *count};
  return shard_file(plan, shard).filename() == name ? std::optional(shard) : std::nullopt;
}

std::vector<ShardFile> shard_files_of(const std::filesystem::path& plan) {
  std::vector<ShardFile> files;
  std::error_code unreadable;
  const std::filesystem::path folder = plan.has_parent_path() ? plan.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
    if (const auto shard = shard_named(plan, entry.path())) {
      const std::filesystem::path path = shard_file(plan, *shard);
      refuse_foreign(plan, path);
      files.push_back({*shard, path});
    }
  }
  std::ranges::sort(files, {}, [](const ShardFile& file) {
    return std::tuple(file.shard.count, file.shard.index);
  });
  return files;
}

Shard parse_shard(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '/');
  const i64 index = parts.size() == 2 ? parse_integer(parts[0]).value_or(0) : 0;
  const i64 count = parts.size() == 2 ? parse_integer(parts[1]).value_or(0) : 0;
  refuse_if(index < 1 || count > kMostShards || index > count,
            "--shard '{}': expected I/N with I from 1 to N, such as 3/16", text);
  return {index, count};
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

}  // namespace tilecast
