// tilecast calibrate: constants and corrections of a GPU from its measured rows.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/joined_input.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/spec/correction.h"
#include "validate/calibrate/calibrate.h"
#include "validate/compare/data_split.h"

namespace tilecast {
namespace {

constexpr std::string_view kOverlay = ".calibrated.yaml";

struct CalibrateOptions {
  std::string gpu = "h200_sxm", out, split;
  std::vector<std::string> data;
  bool no_simulation = false;
  unsigned threads = 0;
};

/// The rows that a split lets a fit see.
void keep_fit(const DataSplit& split, std::vector<MeasurementFile>& files) {
  for (MeasurementFile& file : files) {
    std::erase_if(file.rows, [&](const MeasurementRow& row) {
      const Point& point = row.measurement.point;
      return point.op != Op::kGemm || split.part_of(point) != DataPart::kFit;
    });
  }
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
                     options.no_simulation ? " --no-simulation" : "");
}

/// The correction's file, beside the overlay's. Throws before a long fit what writing would after.
std::string correction_path(const std::string& out) {
  const std::filesystem::path path(out);
  const std::string name = path.filename().string();
  if (!name.ends_with(kOverlay) || name == kOverlay) {
    throw ConfigError(fmt::format("--out: expected a file NAME{}, got {}", kOverlay, out));
  }
  const std::string correction = out.substr(0, out.size() - kOverlay.size()) + ".correction.yaml";
  std::error_code ignored;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw FileError(fmt::format("{}: cannot write: {} is no folder", out, folder.string()));
  }
  for (const std::string& file : {out, correction}) {
    if (std::filesystem::is_directory(file, ignored)) {
      throw FileError(fmt::format("{}: cannot write: Is a directory", file));
    }
  }
  return correction;
}

void run_calibrate(const CalibrateOptions& options) {
  const std::string correction = correction_path(options.out);
  LoadedGpu gpu = load_gpu(options.gpu, false);
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
    keep_fit(DataSplit::load(options.split), files);
  }
  const Calibration done =
      calibrate(gpu, files,
                {.threads = options.threads, .simulate = !options.no_simulation, .progress = show});
  show("");
  write_file(correction, correction_text(gpu.spec.name, *gpu.spec.correction));
  write_file(options.out, overlay_text(gpu, done, command_line(options)));
  fmt::print("{}", to_table(done));
}

}  // namespace

void add_calibrate(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("calibrate", "Fit the model's constants to measurements of a GPU");
  const auto options = std::make_shared<CalibrateOptions>();
  command->add_option("--gpu", options->gpu, "A name in configs/gpus, or a path")
      ->capture_default_str();
  command->add_option("--data", options->data, "Measurement files, .csv or .csv.gz")->required();
  command->add_option("--split", options->split,
                      "YAML file that says which rows a fit may see; others are left out");
  command
      ->add_option("--out", options->out,
                   "NAME.calibrated.yaml, which belongs beside the GPU's file NAME.yaml; "
                   "NAME.correction.yaml is written beside it")
      ->required();
  command->add_flag("--no-simulation", options->no_simulation,
                    "Correct closed forms only, which takes a tenth of the time");
  command->add_option("--threads", options->threads, "0: one for each processor")
      ->check(CLI::Range(0u, 1024u))
      ->capture_default_str();
  command->callback([options] { run_calibrate(*options); });
}

}  // namespace tilecast
