// tilecast campaign: suites expanded to points, planned with the time that each is expected to
// take, shared out by Slurm, watched and merged. `measure --plan --shard I/N` measures.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
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
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
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

constexpr const char* kPlanHelp = "The plan, with the files of its shards next to it";

/// Of `expand` and `plan`.
struct FilesOptions : MeasureOptions {
  std::vector<std::string> files;  // suites, or points as CSV
};

struct GpuPoints {
  GpuSpec gpu;
  MeasurePlan plan;  // without the points that cannot be measured
};

GpuPoints points_of(FilesOptions& options) {
  for (const std::string& file : options.files) {
    const bool list = file.ends_with(".csv") || file.ends_with(".csv.gz");
    (list ? options.points : options.suites).push_back(file);
  }
  FilePlan files;
  files.reads("--gpu", files_of_gpu(options.gpu));
  files.reads("FILE", options.files);
  files.writes("--out", options.out);
  files.check();
  GpuPoints made{load_gpu(options.gpu, true).spec, {}};
  const Waiting waiting(join(options.files, ", "));
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
  if (points.empty()) {
    throw ConfigError(fmt::format("{}: no point can be measured on {}{}", join(options.files, ", "),
                                  made.gpu.name, why));
  }
  if (left_out > 0) {
    fmt::print(stderr, "{} cannot be measured{}\n", counted(left_out, "point"), why);
  }
  return made;
}

void run_expand(FilesOptions& options) {
  std::vector<ListedPoint> listed;
  for (const SuitePoint& point : points_of(options).plan.points) {
    listed.push_back({point.point, point.drawn});
  }
  const std::string csv = point_list_csv(listed);
  options.out.empty() ? fmt::print("{}", csv) : write_file(options.out, csv);
  fmt::print(stderr, "{}\n", counted(listed.size(), "point"));
}

void run_plan(FilesOptions& options) {
  const auto& [gpu, points] = points_of(options);
  std::optional<Waiting> waiting(std::in_place, "planning " + options.out);
  const WorkPlan made = make_plan(points.points, gpu, points.counters);
  waiting.reset();
  write_file(options.out, plan_text(made));
  fmt::print(stderr, "{}: {}, expected to take one GPU {}; content {}\n", options.out,
             counted(made.points.size(), "point"),
             clock_text(expected_time(made, {0, made.points.size()})), content_hash(made));
}

struct MergeOptions {
  std::vector<std::string> files;
  std::string plan, out;
};

/// status and merge would take such a file for a shard's.
void refuse_shard_name(const std::filesystem::path& plan, const std::filesystem::path& out) {
  if (shard_named(plan, out)) {
    throw ConfigError(fmt::format("--out {}: this is the name of a shard's file; expected another",
                                  out.string()));
  }
}

void run_merge(const MergeOptions& options) {
  const WorkPlan plan = read_plan(options.plan);
  std::vector<std::filesystem::path> shards(options.files.begin(), options.files.end());
  if (shards.empty()) {
    for (const ShardFile& file : shard_files_of(options.plan)) {
      shards.push_back(file.path);
    }
  }
  FilePlan files;  // a merge would replace a shard that is also its output
  files.reads("--plan", options.plan);
  for (const std::filesystem::path& shard : shards) {
    files.reads("CSV", shard);
  }
  files.writes("--out", options.out);
  files.check();
  refuse_shard_name(options.plan, options.out);
  report_merge(options.out, plan, merge_into(options.out, plan, shards));
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
      left += fmt::format("; points take {:.2f} times what the plan expects", *progress.pace);
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

struct SlurmOptions {
  std::string plan, time = "30m", out;
  i64 gpus_per_node = 1;
  std::optional<i64> shards, max_array_size;
  std::vector<std::string> options;
  bool submit = false;
};

/// MaxArraySize of the cluster that this machine is part of; nothing where it is of none.
std::optional<i64> max_array_size() {
  const ChildResult config = run_child("/usr/bin/env", {"scontrol", "show", "config"});
  for (const std::string_view line : split(config.output, '\n')) {
    if (config.exit_code == 0 && line.starts_with("MaxArraySize")) {
      return parse_integer(line.substr(line.rfind(' ') + 1));
    }
  }
  return std::nullopt;
}

void run_slurm(const SlurmOptions& options) {
  const WorkPlan plan = read_plan(options.plan);
  SlurmJob job{.program = gpu_program().parent_path() / "tilecast",
               .plan = std::filesystem::absolute(options.plan),
               .gpus_per_node = options.gpus_per_node,
               .time = parse_budget(options.time, "--time"),
               .options = options.options};
  job.name = job.plan.stem().string();
  const auto next_to_plan = [&](const char* ending) {
    return job.plan.parent_path() / (job.name + ending);
  };
  job.out =
      options.out.empty() ? next_to_plan(".rows.csv") : std::filesystem::absolute(options.out);
  job.shards = options.shards ? *options.shards : shards_for(plan, job.time, options.gpus_per_node);
  if (const auto size = options.max_array_size ? options.max_array_size : max_array_size()) {
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
  if (options.submit) {
    if (run_child("/bin/sh", {"-c", "command -v sbatch"}).exit_code != 0) {
      throw FileError(fmt::format("sbatch: not installed here; where Slurm is, run: sh {}",
                                  shell_word(submit.string())));
    }
    const ChildResult submitted = run_child("/bin/sh", {submit.string()});
    if (submitted.exit_code != 0) {
      throw Error(ExitCode::kWrong, fmt::format("{}: {}", submit.string(), submitted.output));
    }
    fmt::print("{}", submitted.output);
  }
}

Command files_command(const Command& campaign, const char* name, const char* description,
                      const std::shared_ptr<FilesOptions>& options) {
  const Command command = campaign.command(name, description);
  command.option("FILE", options->files, "Suite YAML, or points as CSV; several are joined")
      .required();
  command.option("--gpu", options->gpu, "GPU name (`tilecast gpus`), or a path to a GPU file");
  return command;
}

void add_expand(const Command& campaign) {
  const auto options = std::make_shared<FilesOptions>();
  const Command command =
      files_command(campaign, "expand", "Expand suites into a list of points, as CSV", options);
  command.option("--out", options->out, "CSV to write instead of standard output");
  command.runs([options] { run_expand(*options); });
}

void add_plan(const Command& campaign) {
  const auto options = std::make_shared<FilesOptions>();
  const Command command =
      files_command(campaign, "plan",
                    "Write a numbered list of points, for `measure --plan --shard I/N`", options);
  command.option("--out", options->out, "Plan to write, a CSV").required();
  const auto regime = std::make_shared<std::optional<std::string>>();
  command.option("--regime", *regime, "burst or sustained, of points that come as CSV");
  command.option("--counters", options->counters,
                 "none, core or full; default none, or what the suites say");
  command.runs([options, regime] {
    options->regime_given = regime->has_value();
    options->regime = regime->value_or(options->regime);
    run_plan(*options);
  });
}

void add_status(const Command& campaign) {
  const Command command =
      campaign.command("status", "Show the progress of a plan's shards: done, failed, time left");
  const auto path = std::make_shared<std::string>();
  const auto format = std::make_shared<std::string>("table");
  command.option("PLAN", *path, kPlanHelp).required();
  command.option("--format", *format, "table or json").one_of({"table", "json"});
  command.runs([path, format] {
    const WorkPlan plan = read_plan(*path);
    const PlanProgress progress = progress_of(plan, shard_files_of(*path));
    *format == "json" ? print_json(plan, progress) : print_table(progress);
  });
}

void add_merge(const Command& campaign) {
  const Command command = campaign.command(
      "merge", "Merge the rows of a plan's shards; exits with 5 where points are missing");
  const auto options = std::make_shared<MergeOptions>();
  command.option("CSV", options->files, "Rows of shards; default all PLAN.I-of-N.csv");
  command.option("--plan", options->plan, kPlanHelp).required();
  command.option("--out", options->out, "CSV to write; rows already in it stay").required();
  command.runs([options] { run_merge(*options); });
}

void add_slurm(const Command& campaign) {
  const Command command = campaign.command("slurm", "Write Slurm job scripts that measure a plan");
  const auto options = std::make_shared<SlurmOptions>();
  command.option("PLAN", options->plan, "The plan, on a file system that the nodes share")
      .required();
  command.option("--gpus-per-node", options->gpus_per_node, "Measuring processes on a node")
      .in_range(1, 64);
  command.option("--time", options->time,
                 "Time limit of a task, after which it is requeued: 30m, 4h");
  command.option("--shards", options->shards, "Default: enough for each to fit --time")
      .in_range(i64{1}, kMostShards);
  command.option("--out", options->out, "The merged table; default PLAN.rows.csv");
  command
      .option("--max-array-size", options->max_array_size,
              "Slurm's MaxArraySize; default what `scontrol show config` says, else 1001")
      .in_range(1, 4'000'000);
  command.option("--option", options->options,
                 "A line for sbatch, such as --option=--partition=gpu; repeatable");
  command.flag("--submit", options->submit, "Submit them; prints the jobs' numbers");
  command.runs([options] { run_slurm(*options); });
}

}  // namespace

void add_campaign(Program& program) {
  const Command campaign = program.command("campaign");
  add_expand(campaign);
  add_plan(campaign);
  add_status(campaign);
  add_merge(campaign);
  add_slurm(campaign);
}

}  // namespace tilecast
