#include "validate/plan/slurm_job.h"

#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

namespace {

WorkPlan plan_of(std::size_t points, i64 expected_us) {
  WorkPlan plan{.gpu = "h200_sxm", .counters = "none", .points = {}};
  plan.points.resize(points, PlannedPoint{{}, expected_us});
  return plan;
}

SlurmJob job_of(i64 shards, i64 gpus_per_node, i64 max_array_size) {
  return {.program = "/opt/tilecast/tilecast",
          .plan = "/data/it's/a.csv",
          .out = "/data/it's/a.rows.csv",
          .name = "a",
          .shards = shards,
          .gpus_per_node = gpus_per_node,
          .max_array_size = max_array_size,
          .time = std::chrono::minutes(30),
          .options = {"--partition=fast"}};
}

}  // namespace

TEST_CASE("Each shard needs four fifths of the time, and shards fill whole nodes") {
  // 1000 points of 0.16 s take 160 s. Four fifths of 10 s are 8 s: 20 shards, or 24 on nodes of 8.
  const WorkPlan plan = plan_of(1000, 160'000);
  CHECK(shards_for(plan, std::chrono::seconds(10), 1) == 20);
  CHECK(shards_for(plan, std::chrono::seconds(10), 8) == 24);
  CHECK(shards_for(plan, std::chrono::hours(1), 8) == 8);
  CHECK(shards_for(plan_of(3, 160'000), std::chrono::hours(1), 8) == 3);
}

TEST_CASE("Arrays stay below MaxArraySize and cover every shard once") {
  // 21 shards on nodes of 4 GPUs are 6 tasks; arrays of 4 tasks begin at shards 1 and 17.
  const std::string text = submit_script(job_of(21, 4, 4), "/m.sh", "/n.sh");
  CHECK(contains(text, "--array=0-3 /m.sh 1)"));
  CHECK(contains(text, "--array=0-1 /m.sh 17)"));
  CHECK_FALSE(contains(text, "/m.sh 33)"));
  CHECK(contains(text, "--dependency=\"afterany$jobs\" /n.sh"));
  CHECK(contains(submit_script(job_of(16, 4, 4), "/m.sh", "/n.sh"), "--array=0-3 /m.sh 1)"));
  CHECK_FALSE(contains(submit_script(job_of(16, 4, 4), "/m.sh", "/n.sh"), "17)"));
}

TEST_CASE("A node's script has one process per GPU, its time limit, and the user's options") {
  const std::string text = measure_script(job_of(21, 4, 4));
  CHECK(contains(text, "#SBATCH --ntasks=4\n"));
  CHECK(contains(text, "#SBATCH --time=30:00\n"));
  CHECK(contains(text, "#SBATCH --partition=fast\n"));
  CHECK(contains(text, "#SBATCH --requeue\n"));
  CHECK(contains(text, "first=$(($1 + SLURM_ARRAY_TASK_ID * 4))"));
  CHECK(contains(text, "[ \"$shard\" -le 21 ] || exit 0"));
  CHECK(contains(text, "'/data/it'\\''s/a.csv'"));
  CHECK(contains(measure_script(job_of(2, 4, 4)), "#SBATCH --ntasks=2\n"));
}

TEST_CASE("A name or an option cannot add a line to a job's script") {
  SlurmJob job = job_of(2, 1, 4);
  job.name = "a\nrm x";
  CHECK(ERROR_MESSAGE(measure_script(job))
            .ends_with("an #SBATCH line cannot contain control characters or backslashes"));
  job.name = "a # b";
  job.options = {"--comment=c d"};
  CHECK(contains(measure_script(job), "#SBATCH --job-name=\"a # b\"\n"));
  CHECK(contains(merge_script(job), "#SBATCH --job-name=\"a # b-merge\"\n"));
  CHECK(contains(measure_script(job), "#SBATCH --comment=\"c d\"\n"));
  job.options = {"--comment=c\nrm x"};
  CHECK(!ERROR_MESSAGE(merge_script(job)).empty());
  job.options = {};
  job.plan = "/data/100%/a.csv";  // Slurm replaces %a, and reads %% as one %
  CHECK(contains(merge_script(job), "#SBATCH --output=\"/data/100%%/a # b-merge.%j.log\"\n"));
}
