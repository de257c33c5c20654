#include "validate/plan/work_plan.h"

#include "model/base/error.h"
#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

using namespace tilecast;

namespace {

/// Points with these expected times in microseconds.
WorkPlan plan_of(const std::vector<i64>& times) {
  WorkPlan plan{.gpu = "h200_sxm", .counters = "none", .points = {}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    ListedPoint listed;
    listed.point.problem =
        GemmProblem{{64, 64, static_cast<i64>(8 * (i + 1))}, ElementType::kFp16, Layout::kTn};
    listed.point.config = "cublaslt:top1";
    plan.points.push_back({listed, times[i]});
  }
  return plan;
}

}  // namespace

TEST_CASE("A plan is read back as written, and equal plans have equal text") {
  const WorkPlan plan = plan_of({150'000, 120'000, 1});
  const std::string text = plan_text(plan);
  const WorkPlan read = parse_plan(text, "p.csv");
  CHECK(read.gpu == "h200_sxm");
  CHECK(read.counters == "none");
  REQUIRE(read.points.size() == 3);
  CHECK(read.points[2].expected_us == 1);
  CHECK(read.points[2].point() == plan.points[2].point());
  CHECK(plan_text(read) == text);
  CHECK(contains(text, "content " + content_hash(plan) + "\n"));
  CHECK(content_hash(plan) != content_hash(plan_of({150'000, 120'001, 1})));
}

TEST_CASE("A plan that was edited, truncated or renumbered is an error with its line") {
  const std::string text = plan_text(plan_of({5, 6, 7}));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return ERROR_MESSAGE(parse_plan(changed, "p.csv"));
  };
  CHECK(contains(with("\n2,6,", "\n2,8,"), "changed after"));
  CHECK(contains(with("\n2,6,", "\n3,6,"), "p.csv:4: number: expected 2"));
  CHECK(contains(with("\n2,6,", "\n2,0,"), "p.csv:4: expected_us"));
  CHECK(contains(with("gpu h200_sxm", "gpu h100_sxm"), "changed after"));
  CHECK(contains(with(", counters none", ""), "p.csv:1"));
  CHECK_THROWS_AS(parse_plan(text.substr(0, text.size() - 3), "p.csv"), ConfigError);
  const std::size_t last_line = text.rfind('\n', text.size() - 2) + 1;
  CHECK_THROWS_AS(parse_plan(text.substr(0, last_line), "p.csv"), ConfigError);
  CHECK_THROWS_AS(parse_plan("op,m\n", "p.csv"), ConfigError);
}

TEST_CASE("Shards have equal expected time, and each point is in exactly one") {
  // 60 in total, 30 per half: the midpoints are at 5, 20, 35, 45 and 55, so the third point starts
  // the second half.
  const WorkPlan plan = plan_of({10, 20, 10, 10, 10});
  CHECK(range_of(plan, {1, 2}).first == 0);
  CHECK(range_of(plan, {1, 2}).end == 2);
  CHECK(range_of(plan, {2, 2}).first == 2);
  CHECK(range_of(plan, {2, 2}).end == 5);
  CHECK(expected_time(plan, range_of(plan, {1, 2})).value == Approx(30e-6));
  for (const i64 count : {1, 2, 3, 4, 7, 100}) {
    std::size_t next = 0;
    for (i64 index = 1; index <= count; ++index) {
      const PlanRange range = range_of(plan, {index, count});
      CHECK(range.end >= range.first);
      if (range.size() > 0) {
        CHECK(range.first == next);
        next = range.end;
      }
    }
    CHECK(next == 5);
  }
}

TEST_CASE("A point whose midpoint is on a border belongs to the later shard") {
  // 2 + 4 + 2: the midpoint of the second point is at 4 of 8.
  const WorkPlan plan = plan_of({2, 4, 2});
  CHECK(range_of(plan, {1, 2}).end == 1);
  CHECK(range_of(plan_of({3, 4, 2}), {1, 2}).end == 1);  // 5 of 9 lies in the second half
  CHECK(range_of(plan_of({2, 4, 3}), {1, 2}).end == 2);  // 4 of 9 lies in the first half
}

TEST_CASE("Four shards subdivide two") {
  std::vector<i64> times;
  for (i64 i = 0; i < 1000; ++i) {
    times.push_back(1 + i * i % 97);
  }
  const WorkPlan plan = plan_of(times);
  for (const i64 half : {1, 2}) {
    CHECK(range_of(plan, {half, 2}).first == range_of(plan, {2 * half - 1, 4}).first);
    CHECK(range_of(plan, {2 * half - 1, 4}).end == range_of(plan, {2 * half, 4}).first);
    CHECK(range_of(plan, {half, 2}).end == range_of(plan, {2 * half, 4}).end);
  }
}

TEST_CASE("A shard is I/N from 1 to N") {
  CHECK(parse_shard("1/1") == Shard{1, 1});
  CHECK(parse_shard("16/16") == Shard{16, 16});
  for (const char* bad :
       {"0/4", "5/4", "1", "1/", "/4", "1/0", "1/2/3", "a/4", "-1/4", "1/100001"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_shard(bad), ConfigError);
  }
}

TEST_CASE("The files of a plan's shards are found by name") {
  const TemporaryFolder folder;
  const std::filesystem::path plan = folder / "a.plan.csv";
  CHECK(shard_file(plan, {3, 16}) == folder / "a.plan.3-of-16.csv");
  CHECK(shard_file("a.csv.gz", {1, 2}) == "a.1-of-2.csv");
  for (const char* name :
       {"a.plan.2-of-10.csv", "a.plan.10-of-10.csv", "a.plan.1-of-2.csv", "a.plan.3-of-2.csv",
        "b.1-of-2.csv", "a.plan.x-of-2.csv", "a.plan.csv", "a.plan.1-of-1000000000.csv",
        "a.plan.1-of-100001.csv", "a.plan.01-of-2.csv"}) {
    write_file(folder / name, "");
  }
  const std::vector<ShardFile> files = shard_files_of(plan);
  REQUIRE(files.size() == 3);
  CHECK(files[0].shard == Shard{1, 2});
  CHECK(files[1].shard == Shard{2, 10});
  CHECK(files[2].shard == Shard{10, 10});
  CHECK(files[2].path == folder / "a.plan.10-of-10.csv");
  std::filesystem::create_symlink(folder / "b.1-of-2.csv", folder / "a.plan.2-of-2.csv");
  CHECK(ERROR_MESSAGE(shard_files_of(plan)) ==
        "2 " + (folder / "a.plan.2-of-2.csv").string() +
            ": has a shard's name but is not a regular file: remove it, or name the "
            "files to merge");
}
