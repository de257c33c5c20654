// tilecast calibrate: constants and corrections of a GPU from its measured rows; with --run it
// measures them first, by tilecast-gpu: micro-benchmarks, then a designed set of kernels.
//
// What --run measured lies beside --out, NAME.measured.csv and NAME.micro.csv, and is resumed by
// the next --run: what was measured once is not measured again.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/budget.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/forward.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/spec/correction.h"
#include "validate/calibrate/calibrate.h"
#include "validate/calibrate/design.h"
#include "validate/calibrate/fit_stream.h"
#include "validate/compare/data_split.h"
#include "validate/record/point_list.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr std::string_view kOverlay = ".calibrated.yaml";
constexpr std::string_view kWrittenBy = "# Written by `tilecast calibrate`";  // a correction
constexpr std::size_t kLeastRows = 300;  // of a design to choose from

struct CalibrateOptions {
  std::string gpu = "h200_sxm", out, split, measured;
  std::vector<std::string> data;
  bool run = false, no_simulation = false;
  std::string budget = "7m", points;
  int design = 0;
  unsigned threads = 0;
};

std::string beside(const CalibrateOptions& options, std::string_view extension) {
  return options.out.substr(0, options.out.size() - kOverlay.size()) + std::string(extension);
}

void run_gpu(const std::vector<std::string>& arguments, const std::vector<int>& accepted) {
  const ChildResult child = run_visibly(gpu_program(), arguments);
  if (!child.started) {
    throw DeviceError(fmt::format("{}: was not built, or cannot be started; --run needs it",
                                  gpu_program().string()));
  }
  if (std::ranges::find(accepted, child.exit_code) == accepted.end()) {
    throw Error(static_cast<ExitCode>(child.exit_code),
                fmt::format("tilecast-gpu {} failed", arguments.front()));
  }
}

/// Measures this machine's GPU; the files become those that the fit reads.
void measure_first(CalibrateOptions& options) {
  constexpr int kDone = 0, kPartly = 5;  // a row that failed, or a budget that ended, is no reason
  const std::string micro = beside(options, ".micro.csv");
  options.measured = beside(options, ".micro.yaml");
  if (!std::filesystem::exists(options.measured)) {
    run_gpu({"micro", "--out", micro, "--overlay", options.measured, "--gpu", options.gpu},
            {kDone, kPartly});
  }
  const std::string rows = beside(options, ".measured.csv");
  std::vector<std::string> arguments{"measure",      "--points",  options.points,
                                     "--gpu",        options.gpu, "--budget",
                                     options.budget, "--out",     rows};
  if (std::filesystem::exists(rows)) {
    arguments.emplace_back("--resume");
  }
  run_gpu(arguments, {kDone, kPartly});
  options.data.push_back(rows);
}

void show(const std::string& stage) {
  if (::isatty(STDERR_FILENO) == 1) {
    fmt::print(stderr, "\r\033[K{}", stage);
    std::fflush(stderr);
  }
}

/// That makes the same files again.
std::string command_line(const CalibrateOptions& options) {
  return fmt::format("tilecast calibrate --gpu {} --data {}{} --out {}{}", options.gpu,
                     join(options.data, " "),
                     options.split.empty() ? "" : " --split " + options.split, options.out,
                     (options.measured.empty() ? "" : " --measured " + options.measured) +
                         (options.no_simulation ? " --no-simulation" : ""));
}

/// The correction's file, beside the overlay's.
std::string correction_path(const std::string& out) {
  const std::filesystem::path path(out);
  const std::string name = path.filename().string();
  if (!name.ends_with(kOverlay) || name == kOverlay) {
    throw ConfigError(out.empty()
                          ? fmt::format("expected --out NAME{}", kOverlay)
                          : fmt::format("--out: expected a file NAME{}, got {}", kOverlay, out));
  }
  const std::string correction = out.substr(0, out.size() - kOverlay.size()) + ".correction.yaml";
  if (std::filesystem::is_regular_file(correction) &&
      !read_text(correction).starts_with(kWrittenBy)) {
    throw ConfigError(fmt::format(
        "{}: was not written by calibrate, which would replace it: move it", correction));
  }
  return correction;
}

/// Everything that is read and written, tried before the work.
void check_files(const CalibrateOptions& options, const std::string& correction) {
  FilePlan plan;
  plan.reads("--data", options.data);
  plan.reads("--split", options.split);
  plan.reads("--measured", options.measured);
  if (options.run) {
    plan.reads("--points", options.points);
  }
  plan.writes("--out", options.out);
  plan.writes("--out", correction);
  plan.check();
}

/// The most telling of the given rows, as points to measure: bursts, and all sustained ones.
void write_design(const CalibrateOptions& options, const LoadedGpu& gpu,
                  std::vector<MeasurementFile> files) {
  std::vector<ListedPoint> points;
  std::vector<ListedPoint> sustained;
  for (MeasurementFile& file : files) {
    std::erase_if(file.rows, [&](const MeasurementRow& row) {
      const Measurement& m = row.measurement;
      if (m.point.regime == Regime::kSustained && is_verified(m) && !is_baseline(m.point.config)) {
        sustained.push_back({m.point, "named"});
      }
      return m.point.regime != Regime::kBurst;
    });
  }
  const FitRows rows = fit_rows(gpu.spec, files, kLeastRows);
  const auto count = static_cast<std::size_t>(options.design);
  for (const std::size_t row : most_informative(gpu, rows, count, options.threads)) {
    points.push_back({rows.rows[row].point, "named"});
  }
  // Where a budget ends early both regimes have been seen.
  const std::size_t every =
      sustained.empty() ? 1 : std::max<std::size_t>(1, points.size() / sustained.size());
  std::vector<ListedPoint> mixed;
  for (std::size_t i = 0, next = 0; i < points.size() || next < sustained.size(); ++i) {
    if (i < points.size()) {
      mixed.push_back(points[i]);
    }
    if (next < sustained.size() && (i % every == 0 || i >= points.size())) {
      mixed.push_back(sustained[next++]);
    }
  }
  write_file(options.out, point_list_csv(mixed));
  fmt::print("{}: {} of {}, {} sustained\n", options.out, counted(points.size(), "burst"),
             counted(rows.rows.size(), "row"), sustained.size());
}

/// Whether there are rows of GEMMs, or of the memory-bound ops.
bool any_op(const std::vector<MeasurementFile>& files, bool gemm) {
  return std::ranges::any_of(files, [&](const MeasurementFile& file) {
    return std::ranges::any_of(file.rows, [&](const MeasurementRow& row) {
      return (row.measurement.point.op == Op::kGemm) == gemm;
    });
  });
}

/// Section stream alone. What else an overlay of that name has stays as it is.
void fit_stream_section(const CalibrateOptions& options, LoadedGpu& gpu,
                        const std::vector<MeasurementFile>& files) {
  const StreamFit fit = fit_stream(gpu, files);
  const std::string before =
      std::filesystem::exists(options.out) ? read_text(options.out) : std::string();
  write_file(options.out, with_stream_section(before, gpu.spec.name,
                                              stream_section_text(fit, command_line(options))));
  fmt::print("{}", to_table(fit));
}

void run_calibrate(CalibrateOptions options) {
  if (options.design > 0 && options.out.empty()) {
    throw ConfigError("expected --out POINTS.csv, which --design writes");
  }
  const std::string correction = options.design > 0 ? "" : correction_path(options.out);
  check_files(options, correction);
  (void)parse_budget(options.budget);
  if (options.run) {
    measure_first(options);
  }
  if (options.data.empty()) {
    throw ConfigError("expected --data, or --run");
  }
  LoadedGpu gpu = options.measured.empty()
                      ? load_gpu(options.gpu, false)
                      : load_gpu_with(options.gpu, options.measured,
                                      {"machine", "reduction", "clusters", "stream"});
  if (const std::string why = why_not_schedulable(gpu.spec); !why.empty()) {
    throw ConfigError(why);
  }
  if (!gpu.spec.wgmma) {
    throw ConfigError(fmt::format(
        "{}: expected a GPU whose kernels have run; tcgen05 ones have not", gpu.spec.name));
  }
  std::vector<MeasurementFile> files;
  for (const std::string& path : options.data) {
    files.push_back(read_measurements(path));
  }
  if (!options.split.empty()) {
    keep_part(DataSplit::load(options.split), DataPart::kFit, files);
  }
  if (options.design > 0) {
    write_design(options, gpu, std::move(files));
    return;
  }
  const bool any_gemm = any_op(files, true), any_stream = any_op(files, false);
  if (any_stream && !any_gemm) {
    fit_stream_section(options, gpu, files);
    return;
  }
  const Calibration done =
      calibrate(gpu, files,
                {.threads = options.threads, .simulate = !options.no_simulation, .progress = show});
  show("");
  const std::string overlay =
      overlay_text(gpu, load_gpu(options.gpu, false), done, command_line(options));
  Correction tied = *gpu.spec.correction;
  tied.overlay = hash_text(overlay);
  write_file(correction, correction_text(gpu.spec.name, tied));
  write_file(options.out, overlay);
  fmt::print("{}", to_table(done));
  if (const std::string base = beside(options, ".yaml"); !std::filesystem::exists(base)) {
    fmt::print("\n{} is read together with {}, which is missing: copy {} there\n", options.out,
               base, gpu.path);
  }
}

}  // namespace

void add_calibrate(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("calibrate", "Fit the model's constants to measurements of a GPU");
  const auto options = std::make_shared<CalibrateOptions>();
  command->add_option("--gpu", options->gpu, "A name in configs/gpus, or a path")
      ->capture_default_str();
  command->add_option("--data", options->data,
                      "Measurement files, .csv or .csv.gz; of copies and additions alone, section "
                      "stream is fitted and the rest of --out stays as it is");
  CLI::Option* run = command->add_flag(
      "--run", options->run, "Measure this machine's GPU first; rows join those of --data");
  command->add_option("--budget", options->budget, "Time for measuring kernels with --run")
      ->needs(run)
      ->capture_default_str();
  command->add_option("--measured", options->measured,
                      "Overlay of tilecast-gpu micro: constants that need no fit");
  options->points = (config_folder() / "calibration_points.csv").string();
  command->add_option("--points", options->points, "What --run measures")
      ->needs(run)
      ->capture_default_str();
  CLI::Option* design = command->add_option("--design", options->design,
                                            "Do not fit; write the N most informative bursts of "
                                            "--data, and its sustained rows, to --out, "
                                            "as --points reads them");
  design->check(CLI::Range(1, 100'000))->excludes(run);
  command->add_option("--split", options->split,
                      "YAML file that says which rows a fit may see; others are left out");
  command->add_option("--out", options->out,
                      "NAME.calibrated.yaml, which belongs beside the GPU's file NAME.yaml; "
                      "NAME.correction.yaml is written beside it");
  command->add_flag("--no-simulation", options->no_simulation,
                    "Correct closed forms only, which takes a tenth of the time");
  command->add_option("--threads", options->threads, "0: one for each processor")
      ->check(CLI::Range(0u, 1024u))
      ->capture_default_str();
  command->callback([options] { run_calibrate(*options); });
}

}  // namespace tilecast
