// GPU files: configs/gpus/<name>.yaml by hand, and beside it, once calibrated, an overlay
// <name>.calibrated.yaml that replaces some of its numbers, and <name>.learned.yaml
// with <name>.learned.csv (learned_model.h). A file that is `based_on` another gives what differs
// (gpu_reader.h); the other's overlay counts too, what was learned there does not.
//
// Which sections a file needs depends on its architecture: hopper and blackwell all that schedules
// need, the others at least `sm`; a section is whole or absent. Errors: FileError for a file that
// cannot be read, else ConfigError `file:line: key: what was expected`.
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
  bool calibrated;  // an overlay was read
};

/// The environment's TILECAST_CONFIG_DIR, else the folder this program was built from.
std::filesystem::path config_folder();

/// Names of the GPU files in `config_folder`/gpus, sorted.
std::vector<std::string> known_gpus(const std::filesystem::path& config_folder);

/// A word is a name in `config_folder`/gpus in any case, or begins only one of them, or is part of
/// only one ("4090"); h100 is h100_sxm. Anything with a '/' or ending in .yaml is a path.
LoadedGpu load_gpu(std::string_view name_or_path, bool use_calibration,
                   const std::filesystem::path& config_folder);
LoadedGpu load_gpu(std::string_view name_or_path, bool use_calibration);

/// What load_gpu may read of it: the file, those that it is based on, and what lies beside them.
std::vector<std::string> files_of_gpu(std::string_view name_or_path);

/// Without calibration, but with the numbers of some sections replaced by an overlay's, as a run of
/// micro-benchmarks writes it; keys of other sections are left aside.
LoadedGpu load_gpu_with(std::string_view name_or_path, const std::filesystem::path& overlay,
                        const std::vector<std::string>& sections);

/// Why no GEMM schedule of tilecast runs there, naming the GPU; empty where they do.
std::string why_not_schedulable(const GpuSpec& gpu);

std::string_view to_text(Architecture architecture);

}  // namespace tilecast
