// Loads GPU files: configs/gpus/<name>.yaml, written by hand. Calibration adds an overlay
// <name>.calibrated.yaml, which replaces some of its numbers, and <name>.learned.yaml with
// <name>.learned.csv (learned_model.h). A file `based_on` another gives only the numbers that
// differ (gpu_reader.h) and inherits the other's overlay, but not its learned correction.
//
// Required sections depend on the architecture: Hopper and Blackwell files need all sections that
// schedules use, other files at least `sm`. A section is whole or absent. Throws FileError for a
// file that cannot be read, else ConfigError `file:line: key: expectation`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "model/spec/quantity.h"

namespace tilecast {

struct LoadedGpu {
  GpuSpec spec;
  std::vector<Constant> constants;  // every number of the spec, in the order of gpu_fields.h
  std::string path;
  bool calibrated;  // an overlay was applied
};

/// Returns TILECAST_CONFIG_DIR, else the source folder of this build.
std::filesystem::path config_folder();

/// Returns the sorted names of the GPU files in `config_folder`/gpus.
std::vector<std::string> known_gpus(const std::filesystem::path& config_folder);

/// Accepts a name in `config_folder`/gpus in any case, or words of it that no other name contains
/// ("4090", "RTX 4090"); h100 means h100_sxm. Anything with a '/' or ending in .yaml is a path.
LoadedGpu load_gpu(std::string_view name_or_path, bool use_calibration,
                   const std::filesystem::path& config_folder);
LoadedGpu load_gpu(std::string_view name_or_path, bool use_calibration);

/// Returns the files that load_gpu may read for a name: the file, its parents, and the overlays and
/// learned corrections of all of them.
std::vector<std::string> files_of_gpu(std::string_view name_or_path);

/// Loads a GPU without its calibration, but with some sections replaced by an overlay that a
/// micro-benchmark run wrote. Keys in other sections are ignored.
LoadedGpu load_gpu_with(std::string_view name_or_path, const std::filesystem::path& overlay,
                        const std::vector<std::string>& sections);

/// Reads the files of `config_folder` that ops need in addition to the GPU's. Defined by the table
/// of ops (model/ops/gpu_for_ops.cpp).
void read_for_ops(const std::filesystem::path& config_folder, GpuSpec& gpu);

/// Explains why no GEMM schedule runs on this GPU, and names the GPU; empty if schedules do.
std::string why_not_schedulable(const GpuSpec& gpu);

std::string_view to_text(Architecture architecture);

}  // namespace tilecast
