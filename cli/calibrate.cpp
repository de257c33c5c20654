// tilecast calibrate: fits a GPU's constants and the learned correction to its measured rows. With
// --run it first measures them with tilecast-gpu: micro-benchmarks, then a designed set of kernels.
//
// --budget limits the whole command; its first line of output says how the time is spent.
//
// --run writes its measurements next to --out, as NAME.measured.csv and NAME.micro.csv, and the
// next --run resumes them: nothing is measured twice. The micro-benchmarks need Hopper; a GPU that
// runs kernels with mma.sync alone is calibrated by kernels, whose points are NAME.points.csv.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/budget.h"
#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/forward.h"
#include "cli/machine_level.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/parallel.h"
#include "model/base/shell_text.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/spec/learned_model.h"
#include "validate/calibrate/calibrate.h"
#include "validate/calibrate/design_points.h"
#include "validate/calibrate/fit_attention.h"
#include "validate/calibrate/fit_stream.h"
#include "validate/compare/data_split.h"
#include "validate/record/point_list.h"
#include "validate/record/times_of_today.h"
#include "validate/record/verified_rows.h"
#include "validate/run/child_process.h"
#include "validate/run/measure_progress.h"
#include "validate/run/status_line.h"

namespace tilecast {
namespace {

constexpr std::string_view kOverlay = ".calibrated.yaml", kLearnedGemms = ".learned.yaml",
                           kLearnedAttention = ".attention.learned.yaml";
constexpr std::string_view kWrittenBy =
    "# Written by `tilecast calibrate";  // the learned correction
constexpr std::string_view kNoPrior = "none";
constexpr std::string_view kUsualPrior = "h200_sxm";  // GPU with most of the training data

struct CalibrateOptions {
  std::string gpu, out, measured, prior, budget, points;
  std::vector<std::string> data, split;
  LoadedGpu known;  // the GPU without its calibration
  bool mma_sync;    // it runs kernels with mma.sync alone
  bool run, no_simulation, keep_constants;
  unsigned threads;
};

/// Returns whether the GPU runs kernels with mma.sync alone. Throws ConfigError if tilecast's
/// kernels for it have never run.
bool runs_mma_sync_alone(const GpuSpec& gpu) {
  if (const std::string why = why_not_schedulable(gpu); !why.empty()) {
    throw ConfigError(why);
  }
  const TensorCore core = menu_tensor_core(gpu);
  if (core == TensorCore::kTcgen05) {
    throw ConfigError(
        fmt::format("{}: expected a Hopper GPU or one that runs kernels with mma.sync; those with "
                    "tcgen05 have never run",
                    gpu.name));
  }
  return core == TensorCore::kMmaSync;
}

CalibrateOptions calibrate_options(const Arguments& args) {
  const LoadedGpu known = load_gpu(args.text("--gpu"), false);
  return {.gpu = args.text("--gpu"),
          .out = args.text("--out"),
          .measured = args.text("--measured"),
          .prior = args.text("--prior"),
          .budget = args.text("--budget"),
          .points = args.text("--points"),
          .data = args.texts("--data"),
          .split = args.texts("--split"),
          .known = known,
          .mma_sync = runs_mma_sync_alone(known.spec),
          .run = args.given("--run"),
          .no_simulation = args.given("--no-simulation"),
          .keep_constants = args.given("--keep-constants"),
          .threads = static_cast<unsigned>(args.number("--threads"))};
}

std::string beside(const CalibrateOptions& options, std::string_view extension) {
  return options.out.substr(0, options.out.size() - kOverlay.size()) + std::string(extension);
}

void run_gpu(const std::vector<std::string>& arguments, const std::vector<int>& accepted) {
  const ChildResult child = run_visibly(gpu_program(), arguments);
  if (!child.started) {
    throw DeviceError(
        fmt::format("{}: not built, or cannot be started; calibrate --run requires it",
                    gpu_program().string()));
  }
  if (std::ranges::find(accepted, child.exit_code) == accepted.end()) {
    throw Error(static_cast<ExitCode>(child.exit_code),
                fmt::format("tilecast-gpu {} failed", arguments.front()));
  }
}

bool has_prior(const CalibrateOptions& options) {
  return !options.prior.empty() && options.prior != kNoPrior;
}

/// Returns the command that writes the same files again, for a comment of one line.
std::string command_line(const CalibrateOptions& options) {
  const auto words = [](const std::vector<std::string>& files) {
    std::string text;
    for (const std::string& file : files) {
      text += " " + shell_word(file);
    }
    return text;
  };
  return on_one_line(fmt::format(
      "tilecast calibrate --gpu {} --data{}{} --out {}{}", shell_word(options.gpu),
      words(options.data), options.split.empty() ? "" : " --split" + words(options.split),
      shell_word(options.out),
      (options.measured.empty() ? "" : " --measured " + shell_word(options.measured)) +
          (has_prior(options) ? " --prior " + shell_word(options.prior) : "") +
          (options.keep_constants ? " --keep-constants" : "") +
          (options.no_simulation ? " --no-simulation" : "")));
}

using Clock = std::chrono::steady_clock;

// Durations of --run other than measuring kernels: micro-benchmarks on an H200, the fit on one CPU.
constexpr Seconds kMicroTakes{135}, kLeastMeasuring{60}, kFitStart{10}, kFitOfRow{0.045};
constexpr double kRowsPerSecond = 3;

/// Counts the lines of a file that may be missing or end inside a row.
std::size_t lines_of(const std::string& path) {
  const std::string text = std::filesystem::exists(path) ? read_file(path) : "";
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// Returns how long to measure so that the fit to all rows ends within `left`.
Seconds measuring_time(Seconds left, std::size_t rows_before) {
  const Seconds row = kFitOfRow / static_cast<double>(processor_count());
  return (left - kFitStart - row * static_cast<double>(rows_before)) /
         (1 + row.value * kRowsPerSecond);
}

/// Prints what --run will do and how long it takes. Throws ConfigError if --budget is too short.
void announce(const CalibrateOptions& options, bool micro, Seconds budget,
              std::size_t rows_before) {
  const Seconds first = micro ? kMicroTakes : Seconds{0};
  const Seconds measuring = measuring_time(budget - first, rows_before);
  if (measuring < kLeastMeasuring) {
    throw ConfigError(
        fmt::format("--budget {}: expected {} or more, since it covers {}at least a minute of "
                    "kernels, and the fit (about {})",
                    options.budget, clock_text(budget + (kLeastMeasuring - measuring) * 1.1),
                    micro ? fmt::format("micro-benchmarks (about {}), ", clock_text(first)) : "",
                    clock_text(budget - first - measuring)));
  }
  say("tilecast: calibrate --run ends in {}: {}kernels for {}, then the fit (about {})",
      clock_text(budget),
      micro ? fmt::format("micro-benchmarks (about {}), ", clock_text(first)) : "",
      clock_text(measuring), clock_text(budget - first - measuring));
}

/// Throws DeviceError if this machine cannot measure kernels.
void require_gpu() {
  const ProbedMachine machine = machine_from_probe(run_child(gpu_program(), {"probe"}));
  if (machine.level < MachineLevel::kGpu) {
    throw DeviceError("calibrate --run needs a GPU to measure: " + machine.missing);
  }
}

/// Measures this machine's GPU and adds the files it writes to the fit's inputs.
void measure_first(CalibrateOptions& options) {
  constexpr int kDone = 0, kPartly = 5;  // failed rows, and the end of the budget, are not errors
  const Clock::time_point begin = Clock::now();
  const Seconds budget{static_cast<double>(parse_budget(options.budget).count())};
  const std::string rows = beside(options, ".measured.csv");
  const std::size_t before = lines_of(rows);
  const bool micro = options.measured.empty() && !options.mma_sync &&
                     !std::filesystem::exists(beside(options, ".micro.yaml"));
  announce(options, micro, budget, before);
  if (options.measured.empty() && !options.mma_sync) {
    options.measured = beside(options, ".micro.yaml");
  }
  options.data.push_back(rows);
  say("tilecast: if stopped, --run resumes; to fit the rows measured so far: ./{}",
      command_line(options));
  if (micro) {
    run_gpu({"micro", "--out", beside(options, ".micro.csv"), "--overlay", options.measured,
             "--gpu", options.gpu},
            {kDone, kPartly});
  }
  const Seconds passed{std::chrono::duration<double>(Clock::now() - begin).count()};
  const Seconds left = std::max(measuring_time(budget - passed, before), kLeastMeasuring);
  std::string points = options.points;
  if (points.empty() && options.mma_sync) {
    points = beside(options, ".points.csv");
    write_file(points, point_list_csv(design_points(options.known.spec)));
  } else if (points.empty()) {
    points = (config_folder() / "calibration_points.csv").string();
  }
  std::vector<std::string> arguments{"measure",
                                     "--points",
                                     points,
                                     "--gpu",
                                     options.gpu,
                                     "--budget",
                                     fmt::format("{}s", std::llround(left.value)),
                                     "--out",
                                     rows};
  if (std::filesystem::exists(rows)) {
    arguments.emplace_back("--resume");
  }
  run_gpu(arguments, {kDone, kPartly});
}

/// Path of NAME with `extension`, next to the overlay.
std::string learned_path(const std::string& out, std::string_view extension) {
  const std::filesystem::path path(out);
  const std::string name = path.filename().string();
  if (!name.ends_with(kOverlay) || name == kOverlay) {
    throw ConfigError(out.empty()
                          ? fmt::format("expected --out NAME{}", kOverlay)
                          : fmt::format("--out: expected a file NAME{}, got {}", kOverlay, out));
  }
  const std::string learned = out.substr(0, out.size() - kOverlay.size()) + std::string(extension);
  if (std::filesystem::is_regular_file(learned) && !read_text(learned).starts_with(kWrittenBy)) {
    throw ConfigError(fmt::format(
        "{}: not written by calibrate; refusing to overwrite it. Move it first", learned));
  }
  const auto rows = std::filesystem::path(learned).replace_extension(".csv");
  if (!std::filesystem::exists(learned) && std::filesystem::exists(rows)) {
    throw ConfigError(fmt::format("{}: has no matching {}; refusing to overwrite it. Move it first",
                                  rows.string(), learned));
  }
  return learned;
}

/// Checks all files to read and write before the work starts.
void check_files(const CalibrateOptions& options, const std::string& learned) {
  FilePlan plan;
  plan.reads("--data", options.data);
  plan.reads("--split", options.split);
  plan.reads("--measured", options.measured);
  if (options.run && !options.points.empty()) {
    plan.reads("--points", options.points);
  }
  plan.writes("--out", options.out);
  if (!learned.empty()) {
    plan.writes("--out", learned);
    plan.writes("--out", std::filesystem::path(learned).replace_extension(".csv").string());
  }
  plan.check();
}

template <class Problem>
bool any_row(const std::vector<MeasurementFile>& files) {
  return std::ranges::any_of(files, [&](const MeasurementFile& file) {
    return std::ranges::any_of(file.rows, [&](const MeasurementRow& row) {
      return std::holds_alternative<Problem>(row.measurement.point.problem);
    });
  });
}

/// Returns the path of the existing overlay --out; empty if there is none.
std::string overlay_before(const CalibrateOptions& options) {
  return std::filesystem::exists(options.out) ? read_text(options.out) : std::string();
}

/// Fits only section stream. An existing overlay of that name keeps its other sections.
void fit_stream_section(const CalibrateOptions& options, LoadedGpu& gpu,
                        const std::vector<MeasurementFile>& files) {
  const StreamFit fit = fit_stream(gpu, files);
  write_file(options.out,
             with_section(overlay_before(options), gpu.spec.name, "stream",
                          section_text("stream", fit.constants,
                                       fmt::format("{} copies and additions", fit.rows),
                                       command_line(options))));
  fmt::print("{}", to_table(fit));
}

/// Writes the two files of a learned correction, tied to the overlay with which it was fitted.
void write_learned(const CalibrateOptions& options, const std::string& yaml, const std::string& gpu,
                   LearnedModel model, const std::string& overlay) {
  model.overlay = hash_text(overlay);
  write_file(
      yaml, fmt::format("# Written by `{}`.\n{}", command_line(options), learned_yaml(gpu, model)));
  write_file(std::filesystem::path(yaml).replace_extension(".csv"), learned_csv(model));
}

/// Fits only section attention, as fit_stream_section fits section stream, and the correction of
/// attention.
void fit_attention_alone(const CalibrateOptions& options, LoadedGpu& gpu,
                         const std::vector<MeasurementFile>& files) {
  StatusLine stage_line;
  const AttentionFit fit = fit_attention(gpu, files, !options.keep_constants, options.threads,
                                         [&](const std::string& stage) { stage_line.show(stage); });
  stage_line.erase();
  std::string overlay = overlay_before(options);
  if (!options.keep_constants) {
    overlay = with_section(
        overlay, gpu.spec.name, "attention",
        section_text("attention", fit.constants, fmt::format("{} attention kernels", fit.rows),
                     command_line(options)));
    write_file(options.out, overlay);
  }
  write_learned(options, learned_path(options.out, kLearnedAttention), gpu.spec.name,
                fit.learned.model, overlay);
  fmt::print("{}", to_table(fit));
}

/// Loads the starting values of a fit: those of the GPU's file, of the micro-benchmarks, or of
/// --out.
LoadedGpu loaded_for(const CalibrateOptions& options) {
  if (options.keep_constants) {
    return load_gpu_with(options.gpu, options.out,
                         {"sm", "clusters", "wgmma", "l2", "dram", "reduction", "stream",
                          "attention", "machine", "clock", "power"});
  }
  return options.measured.empty()
             ? options.known
             : load_gpu_with(options.gpu, options.measured,
                             {"machine", "dram", "reduction", "clusters", "stream", "clock"});
}

std::shared_ptr<const LearnedModel> learned_before(const CalibrateOptions& options) {
  if (!has_prior(options)) {
    return nullptr;
  }
  const LoadedGpu gpu = load_gpu(options.prior, true);
  if (gpu.spec.learned == nullptr) {
    throw ConfigError(
        fmt::format("--prior {}: expected a GPU with a learned correction", options.prior));
  }
  return gpu.spec.learned;
}

/// Default prior of --run, whose rows are few compared with those of a known GPU; none for kernels
/// that no known GPU was calibrated with.
std::string usual_prior(const CalibrateOptions& options) {
  const bool there = std::filesystem::exists(config_folder() / "gpus" /
                                             fmt::format("{}.learned.yaml", kUsualPrior));
  return options.run && there && !options.mma_sync ? std::string(kUsualPrior) : "";
}

}  // namespace

void run_calibrate(const Arguments& args) {
  CalibrateOptions options = calibrate_options(args);
  const Waiting waiting = Waiting::off_terminal("calibrate");
  if (options.prior.empty()) {
    options.prior = usual_prior(options);
  }
  const std::string learned = learned_path(options.out, kLearnedGemms);
  check_files(options, learned);
  (void)parse_budget(options.budget);
  if (options.run) {
    require_gpu();
    measure_first(options);
  }
  if (options.data.empty()) {
    throw ConfigError(
        "calibrate needs measurements: --data CSV, or --run to measure this machine's GPU");
  }
  LoadedGpu gpu = loaded_for(options);
  const std::shared_ptr<const LearnedModel> before = learned_before(options);
  std::vector<MeasurementFile> files;
  for (const std::string& path : options.data) {
    files.push_back(in_times_of_today(read_measurements(path)));
  }
  if (!options.split.empty()) {
    keep_part(DataSplit::load(options.split), DataPart::kFit, files);
  }
  if (!any_row<GemmProblem>(files)) {
    if (any_row<AttentionProblem>(files)) {
      fit_attention_alone(options, gpu, files);
      return;
    }
    if (any_row<StreamProblem>(files)) {
      fit_stream_section(options, gpu, files);
      return;
    }
  }
  StatusLine stage_line;
  const Calibration done =
      calibrate(gpu, files,
                {.threads = options.threads,
                 .simulate = !options.no_simulation,
                 .fit_constants = !options.keep_constants,
                 .before = before,
                 .prior = has_prior(options) ? options.prior : "",
                 .progress = [&](const std::string& stage) { stage_line.show(stage); }});
  stage_line.erase();
  const std::string overlay = options.keep_constants
                                  ? read_file(options.out)
                                  : overlay_text(gpu, options.known, done, command_line(options));
  write_learned(options, learned, gpu.spec.name, *gpu.spec.learned, overlay);
  if (!options.keep_constants) {
    write_file(options.out, overlay);
  }
  fmt::print("{}", to_table(done));
  if (const std::string base = beside(options, ".yaml"); !std::filesystem::exists(base)) {
    fmt::print("\n{} is read together with {}, which is missing: copy {} there\n",
               on_one_line(options.out), on_one_line(base), on_one_line(gpu.path));
  }
}

}  // namespace tilecast
