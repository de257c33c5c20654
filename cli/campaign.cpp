// tilecast campaign: expands suites to points, plans them with the expected time of each,
// distributes them with Slurm, and reports and merges the results. `measure --plan --shard I/N`
// measures a shard.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/budget.h"
#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/forward.h"
#include "cli/measure_options.h"
#include "cli/merge_files.h"
#include "cli/output_parts.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/shell_text.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/ops/any_op.h"
#include "model/spec/load_gpu.h"
#include "validate/plan/make_plan.h"
#include "validate/plan/progress.h"
#include "validate/plan/slurm_job.h"
#include "validate/run/child_process.h"
#include "validate/run/measure_progress.h"

namespace tilecast {
namespace {

struct GpuPoints {
  GpuSpec gpu;
  MeasurePlan plan;  // excludes points that cannot be measured
};

/// Returns the points of `expand` and `plan`.
GpuPoints points_of(const Arguments& args) {
  const std::vector<std::string>& given = args.texts("FILE");
  MeasureOptions options{.gpu = args.text("--gpu"),
                         .counters = args.text("--counters"),
                         .regime = args.text("--regime")};
  options.regime_given = args.given("--regime");
  for (const std::string& file : given) {
    const bool list = file.ends_with(".csv") || file.ends_with(".csv.gz");
    (list ? options.points : options.suites).push_back(file);
  }
  FilePlan files;
  files.reads("--gpu", files_of_gpu(options.gpu));
  files.reads("FILE", given);
  files.writes("--out", args.text("--out"));
  files.check();
  GpuPoints made{load_gpu(options.gpu, true).spec, {}};
  const Waiting waiting(join(given, ", "));
  made.plan = points_of_files(options, made.gpu);
  std::vector<SuitePoint>& points = made.plan.points;
  const auto refused =
      std::ranges::find_if(points, [](const auto& p) { return !p.refusal.empty(); });
  const std::string why =
      refused == points.end()
          ? ""
          : fmt::format(", the first one: {} {}: {}", to_text(refused->point.problem),
                        refused->point.config, refused->refusal);
  const auto left_out = std::erase_if(points, [](const auto& p) { return !p.refusal.empty(); });
  refuse_if(points.empty(), "{}: no point can be measured on {}{}", join(given, ", "),
            made.gpu.name, why);
  if (left_out > 0) {
    say("{} cannot be measured{}", counted(left_out, "point"), why);
  }
  return made;
}

/// Throws if status and merge would mistake such a file for a shard's.
void refuse_shard_name(const std::filesystem::path& plan, const std::filesystem::path& out) {
  if (shard_named(plan, out)) {
    throw ConfigError(fmt::format(
        "--out {}: this is the name of a shard's file; choose another name", out.string()));
  }
}

void print_json(const WorkPlan& plan, const PlanProgress& progress) {
  nlohmann::ordered_json shards = nlohmann::ordered_json::array();
  for (const ShardProgress& shard : progress.shards) {
    shards.push_back({{"shard", to_text(shard.shard)},
                      {"points", shard.points},
                      {"done", shard.done},
                      {"counts", shard.counts},
                      {"running", shard.running},
                      {"last", shard.last}});
  }
  nlohmann::ordered_json pace;
  if (progress.pace) {
    pace = rounded(*progress.pace, 4);
  }
  const nlohmann::ordered_json answer = {{"schema", 1},
                                         {"content", content_hash(plan)},
                                         {"points", progress.points},
                                         {"done", progress.done},
                                         {"counts", progress.counts},
                                         {"running", progress.running},
                                         {"left_s", rounded(progress.left().value, 6)},
                                         {"pace", pace},
                                         {"reasons", progress.reasons},
                                         {"shards", shards}};
  fmt::print("{}\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const PlanProgress& progress) {
  fmt::print("{} of {} ({}), {} running\n", progress.done, counted(progress.points, "point"),
             counts_text(progress.counts), counted(progress.running, "shard"));
  if (progress.done < progress.points) {
    std::string left = fmt::format("left: {} of one GPU", clock_text(progress.left()));
    if (progress.running > 1) {
      left += fmt::format(", {} of {}",
                          clock_text(progress.left() / static_cast<double>(progress.running)),
                          progress.running);
    }
    if (progress.pace) {
      left += fmt::format("; points take {:.2f} times the planned time", *progress.pace);
    }
    fmt::print("{}\n", left);
  }
  for (const ShardProgress& shard : progress.shards) {
    const char* const state = shard.running                ? "running"
                              : shard.done == shard.points ? "done"
                                                           : "stopped";
    fmt::print("{:>9}  {:>6} of {:<6} {:<8} {:<20}  {}\n", to_text(shard.shard), shard.done,
               shard.points, state, shard.last, counts_text(shard.counts));
  }
  for (const auto& [reason, number] : progress.reasons) {
    fmt::print("{} x {}\n", number, reason);
  }
}

/// Returns MaxArraySize of this machine's cluster, if it belongs to one.
std::optional<i64> max_array_size() {
  const ChildResult config = run_child("/usr/bin/env", {"scontrol", "show", "config"});
  for (const std::string_view line : split(config.output, '\n')) {
    if (config.exit_code == 0 && line.starts_with("MaxArraySize")) {
      return parse_integer(line.substr(line.rfind(' ') + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

void run_expand(const Arguments& args) {
  std::vector<ListedPoint> listed;
  for (const SuitePoint& point : points_of(args).plan.points) {
    listed.push_back({point.point, point.drawn});
  }
  const std::string csv = point_list_csv(listed), out = args.text("--out");
  out.empty() ? fmt::print("{}", csv) : write_file(out, csv);
  say("{}", counted(listed.size(), "point"));
}

void run_plan(const Arguments& args) {
  const auto& [gpu, points] = points_of(args);
  const std::string out = args.text("--out");
  std::optional<Waiting> waiting(std::in_place, "planning " + out);
  const WorkPlan made = make_plan(points.points, gpu, points.counters);
  waiting.reset();
  write_file(out, plan_text(made));
  say("{}: {}, expected to take one GPU {}; content {}", out, counted(made.points.size(), "point"),
      clock_text(expected_time(made, {0, made.points.size()})), content_hash(made));
}

void run_status(const Arguments& args) {
  const WorkPlan plan = read_plan(args.text("PLAN"));
  const PlanProgress progress = progress_of(plan, shard_files_of(args.text("PLAN")));
  args.text("--format") == "json" ? print_json(plan, progress) : print_table(progress);
}

void run_merge(const Arguments& args) {
  const std::string path = args.text("--plan"), out = args.text("--out");
  const WorkPlan plan = read_plan(path);
  const std::vector<std::string>& given = args.texts("CSV");
  std::vector<std::filesystem::path> shards(given.begin(), given.end());
  if (shards.empty()) {
    for (const ShardFile& file : shard_files_of(path)) {
      shards.push_back(file.path);
    }
  }
  FilePlan files;  // rejects a shard that is also the output
  files.reads("--plan", path);
  for (const std::filesystem::path& shard : shards) {
    files.reads("CSV", shard);
  }
  files.writes("--out", out);
  files.check();
  refuse_shard_name(path, out);
  report_merge(out, plan, merge_into(out, plan, shards));
}

void run_slurm(const Arguments& args) {
  const std::string path = args.text("PLAN");
  const WorkPlan plan = read_plan(path);
  SlurmJob job{.program = gpu_program().parent_path() / "tilecast",
               .plan = std::filesystem::absolute(path),
               .gpus_per_node = args.number("--gpus-per-node"),
               .time = parse_budget(args.text("--time"), "--time"),
               .options = args.texts("--option")};
  job.name = job.plan.stem().string();
  const auto next_to_plan = [&](const char* ending) {
    return job.plan.parent_path() / (job.name + ending);
  };
  job.out = args.given("--out") ? std::filesystem::absolute(args.text("--out"))
                                : next_to_plan(".rows.csv");
  job.shards = args.given("--shards") ? args.number("--shards")
                                      : shards_for(plan, job.time, job.gpus_per_node);
  const std::optional<i64> most = args.number_if_any("--max-array-size");
  if (const std::optional<i64> size = most ? most : max_array_size()) {
    job.max_array_size = *size;
  }
  const std::filesystem::path measure = next_to_plan(".measure.sh"),
                              merge = next_to_plan(".merge.sh"),
                              submit = next_to_plan(".submit.sh");
  FilePlan files;
  files.reads("PLAN", job.plan);
  files.writes("--out", job.out);
  files.check();
  refuse_shard_name(job.plan, job.out);
  write_file(measure, measure_script(job));
  write_file(merge, merge_script(job));
  write_file(submit, submit_script(job, measure, merge));
  fmt::print(
      stderr, "{}: {} points in {} shards of {}, {} GPUs of a node at a time\n", submit.string(),
      plan.points.size(), job.shards,
      clock_text(expected_time(plan, {0, plan.points.size()}) / static_cast<double>(job.shards)),
      job.gpus_per_node);
  if (args.given("--submit")) {
    if (run_child("/bin/sh", {"-c", "command -v sbatch"}).exit_code != 0) {
      throw FileError(fmt::format("sbatch: not installed here; on a machine with Slurm run: sh {}",
                                  shell_word(submit.string())));
    }
    const ChildResult submitted = run_child("/bin/sh", {submit.string()});
    if (submitted.exit_code != 0) {
      throw Error(ExitCode::kWrong, fmt::format("{}: {}", submit.string(), submitted.output));
    }
    fmt::print("{}", submitted.output);
  }
}

}  // namespace tilecast
