#include "model/spec/load_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/text.h"
#include "model/spec/gpu_fields.h"
#include "model/spec/gpu_overlay.h"
#include "model/spec/strict_map.h"
#include "model/spec/yaml_tree.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kYaml = ".yaml";
constexpr std::string_view kOverlay = ".calibrated.yaml", kLearned = ".learned.yaml";

constexpr Words<Architecture, 4> kArchitectures{{{Architecture::kAmpere, "ampere"},
                                                 {Architecture::kHopper, "hopper"},
                                                 {Architecture::kBlackwell, "blackwell"},
                                                 {Architecture::kFictional, "fictional"}}};

/// GEMM schedules run there, so that nothing may be missing.
bool is_schedulable(Architecture architecture) {
  return architecture == Architecture::kHopper || architecture == Architecture::kBlackwell;
}

/// Reads the whole spec out of one tree and notes every number's source on the way.
class GpuReader {
 public:
  explicit GpuReader(const StrictValue& root)
      : map_(root.map({"name", "product", "architecture", "default_interval", "sm", "clusters",
                       "wgmma", "tcgen05", "tma", "l2", "dram", "epilogue", "reduction", "launch",
                       "stream", "machine", "clock", "power", "ceilings"})) {}

  LoadedGpu read() {
    GpuSpec& spec = loaded_.spec;
    spec.name = map_.required("name").text();
    spec.product = map_.required("product").text();
    spec.architecture = map_.required("architecture").word(kArchitectures);
    spec.default_interval =
        number(map_.required("default_interval"), Dimension::kFraction, 0.01, 1);
    read_section(map_.required("sm"), fields_of(spec.sm));
    section("clusters", spec.clusters);
    section("wgmma", spec.wgmma, Architecture::kHopper);
    section("tcgen05", spec.tcgen05, Architecture::kBlackwell);
    section("tma", spec.tma);
    section("l2", spec.l2);
    section("dram", spec.dram);
    section("epilogue", spec.epilogue);
    section("reduction", spec.reduction);
    section("launch", spec.launch);
    if (is_schedulable(spec.architecture) || map_.optional("machine")) {
      read_section(map_.required("machine"), fields_of(spec.machine.emplace(), spec.architecture));
    }
    section("clock", spec.clock);
    section("power", spec.power);
    if (map_.optional("stream")) {  // nobody publishes these: measured, or not there
      read_section(map_.required("stream"), fields_of(spec.stream.emplace()));
    }
    if (map_.optional("ceilings")) {
      read_section(map_.required("ceilings"), fields_of(spec.ceilings.emplace()));
    }
    check_together();
    return std::move(loaded_);
  }

 private:
  double number(const StrictValue& value, Dimension dimension, double least, double most) {
    ReadQuantity read = read_quantity(value, dimension, least, most);
    loaded_.constants.push_back(std::move(read.constant));
    return read.value;
  }

  void read_section(const StrictValue& section, const std::vector<Field>& fields) {
    std::vector<std::string> keys;
    for (const Field& field : fields) {
      keys.emplace_back(field.key);
    }
    const StrictMap map = section.map(keys);
    for (const Field& field : fields) {
      const double value =
          number(map.required(field.key), field.dimension, field.least, field.most);
      if (i32* const* count = std::get_if<i32*>(&field.target)) {
        **count = static_cast<i32>(value);
      } else {
        *std::get<double*>(field.target) = value;
      }
    }
  }

  template <class Section>
  void section(std::string_view key, std::optional<Section>& target) {
    if (is_schedulable(loaded_.spec.architecture) || map_.optional(key)) {
      read_section(map_.required(key), fields_of(target.emplace()));
    }
  }

  /// Tensor cores of one architecture; another one that runs schedules has its own.
  template <class Section>
  void section(std::string_view key, std::optional<Section>& target, Architecture of) {
    const Architecture architecture = loaded_.spec.architecture;
    if (architecture == of || (!is_schedulable(architecture) && map_.optional(key))) {
      read_section(map_.required(key), fields_of(target.emplace()));
    } else if (map_.optional(key)) {
      map_.required(key).fail(
          fmt::format("expected in GPUs of architecture {} only", word_of(kArchitectures, of)));
    }
  }

  /// What single ranges cannot say.
  void check_together() const {
    const GpuSpec& spec = loaded_.spec;
    if (spec.sm.shared_memory_per_cta + spec.sm.shared_memory_reserved_per_cta >
        spec.sm.shared_memory) {
      map_.required("sm").fail(
          "expected shared_memory_per_cta + shared_memory_reserved_per_cta within shared_memory");
    }
    if (spec.clock && spec.clock->tensor_plateau > spec.clock->max) {
      map_.required("clock").fail("expected tensor_plateau to be at most max");
    }
    if (spec.power && !(spec.power->static_power < spec.power->sustained_limit &&
                        spec.power->static_power < spec.power->burst_limit)) {
      map_.required("power").fail("expected static_power below both limits");
    }
  }

  StrictMap map_;
  LoadedGpu loaded_{};
};

fs::path resolve(std::string_view name_or_path, const fs::path& config_folder) {
  const std::string given(name_or_path);
  if (given.find('/') != std::string::npos || given.ends_with(kYaml)) {
    return given;
  }
  const std::vector<std::string> known = known_gpus(config_folder);
  if (std::find(known.begin(), known.end(), given) == known.end()) {
    throw ConfigError(fmt::format("unknown GPU '{}': expected one of {}, or the path of a .yaml{}",
                                  printable(given), join(known, ", "), did_you_mean(given, known)));
  }
  return config_folder / "gpus" / (given + std::string(kYaml));
}

LoadedGpu finished(YamlNode tree, const fs::path& path, const fs::path& config_folder) {
  LoadedGpu loaded =
      GpuReader(StrictValue(std::make_shared<const YamlNode>(std::move(tree)))).read();
  loaded.spec.compiler_rejections =
      load_compiler_rejections(config_folder, to_text(loaded.spec.architecture));
  loaded.path = path.string();
  return loaded;
}

}  // namespace

fs::path config_folder() {
  const char* chosen = std::getenv("TILECAST_CONFIG_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : TILECAST_CONFIG_DIR_DEFAULT;
}

std::vector<std::string> known_gpus(const fs::path& config_folder) {
  const fs::path folder = config_folder / "gpus";
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().filename().string();
    if (file.ends_with(kYaml) && !file.ends_with(kOverlay) && !file.ends_with(kLearned)) {
      names.push_back(file.substr(0, file.size() - kYaml.size()));
    }
  }
  if (error) {
    throw FileError(
        fmt::format("{}: cannot list the GPU files: {}; TILECAST_CONFIG_DIR can name "
                    "the folder that holds gpus/",
                    folder.string(), error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

LoadedGpu load_gpu(std::string_view name_or_path, bool use_calibration,
                   const fs::path& config_folder) {
  const fs::path path = resolve(name_or_path, config_folder);
  YamlNode tree = load_yaml_tree(path);
  const fs::path overlay = fs::path(path).replace_extension(kOverlay);
  const fs::path learned = fs::path(path).replace_extension(kLearned);
  const auto exists = [](const fs::path& file) {  // one that cannot be read is reported by the read
    std::error_code ignored;
    return fs::status(file, ignored).type() != fs::file_type::not_found;
  };
  const bool calibrated = use_calibration && exists(overlay);
  if (calibrated) {
    apply_overlay(tree, load_yaml_tree(overlay));
  }
  LoadedGpu loaded = finished(std::move(tree), path, config_folder);
  if (calibrated && exists(learned)) {
    LearnedModel read = load_learned(learned, loaded.spec.name);
    if (!read.overlay.empty() && read.overlay != hash_text(read_file(overlay))) {
      throw ConfigError(
          fmt::format("{}: overlay: expected what was learnt with {}: "
                      "calibrate again",
                      learned.string(), overlay.string()));
    }
    loaded.spec.learned = std::make_shared<const LearnedModel>(std::move(read));
  }
  loaded.calibrated = calibrated;
  return loaded;
}

LoadedGpu load_gpu_with(std::string_view name_or_path, const fs::path& overlay,
                        const std::vector<std::string>& sections) {
  const fs::path path = resolve(name_or_path, config_folder());
  YamlNode tree = load_yaml_tree(path);
  YamlNode measured = load_yaml_tree(overlay);
  std::erase_if(measured.entries, [&](const auto& entry) {
    return entry.first != "name" && std::ranges::find(sections, entry.first) == sections.end();
  });
  apply_overlay(tree, measured);
  return finished(std::move(tree), path, config_folder());
}

LoadedGpu load_gpu(std::string_view name_or_path, bool use_calibration) {
  return load_gpu(name_or_path, use_calibration, config_folder());
}

std::string why_not_schedulable(const GpuSpec& gpu) {
  std::string_view reason;
  switch (gpu.architecture) {
    case Architecture::kHopper:
    case Architecture::kBlackwell:
      return "";
    case Architecture::kAmpere:
      reason = "they need wgmma and TMA, which came with Hopper";
      break;
    case Architecture::kFictional:
      reason =
          "they need wgmma and TMA, and this GPU is fictional, for worked examples of tile "
          "orders";
      break;
  }
  return fmt::format("none of tilecast's GEMM schedules runs on {} ({}): {}", gpu.name, gpu.product,
                     reason);
}

std::string_view to_text(Architecture architecture) {
  return word_of(kArchitectures, architecture);
}

}  // namespace tilecast
