#include "model/spec/load_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/parallel.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/spec/gpu_fields.h"
#include "model/spec/gpu_reader.h"
#include "model/spec/learned_files.h"
#include "model/spec/product_name.h"
#include "model/spec/strict_map.h"
#include "model/spec/yaml_tree.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kYaml = ".yaml";
constexpr std::string_view kOverlay = ".calibrated.yaml", kLearned = ".learned.yaml";

/// Files and features of an op's learned correction.
struct LearnedOfOp {
  std::string_view yaml, rows;
  FeatureNames features;
  std::shared_ptr<const LearnedModel> GpuSpec::*model;
};
constexpr LearnedOfOp kLearnedOfOps[] = {
    {kLearned, ".learned.csv", kGemmFeatures, &GpuSpec::learned},
    {".attention.learned.yaml", ".attention.learned.csv", kAttentionFeatures,
     &GpuSpec::attention_learned}};

/// A file that cannot be read counts as present; reading it reports the error.
bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::status(file, ignored).type() != fs::file_type::not_found;
}

fs::path beside(const fs::path& gpu, std::string_view ending) {
  return fs::path(gpu).replace_extension(ending);
}

/// Formats "b200, h200_sxm (hipparchus_h10: no kernel runs on it)".
std::string list_of(const std::vector<std::string>& known, const fs::path& config_folder) {
  std::vector<std::string> run, others;
  for (const std::string& name : known) {
    bool fictional = false;
    try {
      const YamlNode tree = load_yaml_tree(config_folder / "gpus" / (name + std::string(kYaml)));
      const YamlNode* architecture = tree.find("architecture");  // absent if inherited
      fictional = architecture != nullptr && architecture->scalar == "fictional";
    } catch (const Error&) {  // ignored: reported when that file is loaded
    }
    (fictional ? others : run).push_back(name);
  }
  return join(run, ", ") +
         (others.empty() ? "" : fmt::format(" ({}: no kernel runs on it)", join(others, ", ")));
}

/// Returns a name without separators, in lower case: "rtx4090".
std::string squeezed_name(std::string_view name) {
  std::string word = lower_case(name);
  std::erase_if(word,
                [](char c) { return std::string_view(" -_").find(c) != std::string_view::npos; });
  return word;
}

/// Whether the second word is a model, as in "NVIDIA H100 80GB HBM3".
bool names_model(const std::string& given) {
  const std::vector<std::string_view> words = split(given, ' ');
  return words.size() > 1 && words[1].find_first_of("0123456789") != words[1].npos;
}

/// Whether `given` is the file's name, or its product as nvidia-smi writes it. Separators are
/// ignored.
bool is_same_name(const std::string& given, const std::string& name, const fs::path& folder) {
  const std::string word = squeezed_name(given);
  if (word == squeezed_name(name) || word + "sxm" == squeezed_name(name)) {
    return true;
  }
  try {
    const YamlNode tree = load_yaml_tree(folder / "gpus" / (name + std::string(kYaml)));
    const YamlNode* product = tree.find("product");
    return product != nullptr && (word == squeezed_name(product->scalar) ||
                                  (names_model(given) && is_product(given, product->scalar)));
  } catch (const Error&) {  // ignored: reported when that file is loaded
    return false;
  }
}

/// Returns the known name that equals `given` or contains it as whole words, ignoring case ("4090",
/// "RTX 4090"). The start of a word does not match: an H20 or L40 is not an H200 or L40S. SXM wins
/// among several matches.
std::string name_of(const std::string& given, const fs::path& config_folder) {
  const std::vector<std::string> known = known_gpus(config_folder);
  std::string words = lower_case(given);
  std::ranges::replace_if(
      words, [](char c) { return c == ' ' || c == '-'; }, '_');
  for (const std::string& name : {words, words + "_sxm"}) {
    if (std::ranges::find(known, name) != known.end()) {
      return name;
    }
  }
  std::vector<std::string> begun;
  std::ranges::copy_if(known, std::back_inserter(begun), [&](const std::string& name) {
    return ("_" + name + "_").find("_" + words + "_") != std::string::npos;
  });
  refuse_if(begun.size() > 1, "GPU '{}' is ambiguous: matches {}", printable(given),
            join(begun, ", "));
  refuse_if(known.empty(), "{}: contains no GPU files",
            printable((config_folder / "gpus").string()));
  if (begun.empty()) {
    std::vector<std::string> same;
    std::ranges::copy_if(known, std::back_inserter(same), [&](const std::string& name) {
      return is_same_name(given, name, config_folder);
    });
    const std::string_view form = words.find("pcie") != words.npos ? "_pcie" : "_sxm";
    std::ranges::stable_partition(same,
                                  [&](const std::string& name) { return name.ends_with(form); });
    if (!same.empty()) {
      return same.front();
    }
    throw ConfigError(fmt::format("unknown GPU '{}': expected one of {}, or the path of a .yaml{}",
                                  printable(given), list_of(known, config_folder),
                                  did_you_mean(given, known)));
  }
  return begun.front();
}

fs::path resolve(std::string_view name_or_path, const fs::path& config_folder) {
  const std::string given(name_or_path);
  for (const std::string_view ending : {kOverlay, kLearnedOfOps[1].yaml, kLearned}) {
    refuse_if(given.ends_with(ending),
              "{}: expected a GPU file; this one is only an addition to {}{}", printable(given),
              given.substr(0, given.size() - ending.size()), kYaml);
  }
  if (given.find('/') != std::string::npos || given.ends_with(kYaml)) {
    std::error_code ignored;
    const fs::file_status status = fs::status(given, ignored);
    refuse_if(fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status),
              "{}: expected a GPU file, not a pipe or a device", printable(given));
    refuse_if(!fs::exists(status) && is_there(beside(given, kOverlay)),
              "{}: not found, although its overlay {} exists", given,
              beside(given, kOverlay).string());
    return given;
  }
  return config_folder / "gpus" / (name_of(given, config_folder) + std::string(kYaml));
}

/// Path of the GPU file `name` that the file at `path` is based on.
fs::path parent_of(const fs::path& path, const std::string& name, const fs::path& config_folder) {
  const fs::path sibling = path.parent_path() / (name + std::string(kYaml));
  return is_there(sibling) ? sibling : config_folder / "gpus" / (name + std::string(kYaml));
}

/// A file's tree, with its overlay applied if there is one and calibration is requested.
struct GpuTree {
  YamlNode tree;
  bool calibrated = false;
};

GpuTree tree_of(const fs::path& path, bool use_calibration) {
  GpuTree read{load_yaml_tree(path)};
  const fs::path overlay = beside(path, kOverlay);
  if (use_calibration && is_there(overlay)) {
    apply_overlay(read.tree, load_yaml_tree(overlay));
    read.calibrated = true;
  }
  return read;
}

/// `children`: files based on this one, to detect cycles.
LoadedGpu read_tree(const YamlNode& tree, const fs::path& path, bool use_calibration,
                    const fs::path& config_folder, std::vector<fs::path> children = {}) {
  const StrictValue root(std::make_shared<const YamlNode>(tree));
  const YamlNode* based_on = tree.find("based_on");
  LoadedGpu loaded;
  if (based_on == nullptr) {
    loaded = read_gpu(root, nullptr);
  } else {
    const fs::path parent = parent_of(path, based_on->scalar, config_folder);
    children.push_back(path);
    if (!is_there(parent)) {
      fail_at(*based_on, based_on->key_path,
              fmt::format("expected a GPU with a file next to this one, or one of {}, got '{}'",
                          join(known_gpus(config_folder), ", "), printable(based_on->scalar)));
    }
    if (std::ranges::find(children, parent) != children.end()) {
      fail_at(*based_on, based_on->key_path,
              fmt::format("expected a GPU file that is not based on this one, got '{}'",
                          printable(based_on->scalar)));
    }
    // A calibration does not apply to another architecture.
    const bool calibrated = use_calibration && tree.find("architecture") == nullptr;
    const LoadedGpu base =
        read_tree(tree_of(parent, calibrated).tree, parent, calibrated, config_folder, children);
    loaded = read_gpu(root, &base);
  }
  loaded.path = path.string();
  return loaded;
}

LoadedGpu finished(const YamlNode& tree, const fs::path& path, bool use_calibration,
                   const fs::path& config_folder) {
  LoadedGpu loaded = read_tree(tree, path, use_calibration, config_folder);
  read_for_ops(config_folder, loaded.spec);
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
    std::error_code ignored;
    if (at->is_regular_file(ignored) && file.ends_with(kYaml) && !file.ends_with(kOverlay) &&
        !file.ends_with(kLearned)) {
      names.push_back(file.substr(0, file.size() - kYaml.size()));
    }
  }
  refuse_if<FileError>(error.value() != 0,
                       "{}: cannot list the GPU files: {}; TILECAST_CONFIG_DIR can name "
                       "the folder that holds gpus/",
                       folder.string(), error.message());
  std::sort(names.begin(), names.end());
  return names;
}

LoadedGpu load_gpu(std::string_view name_or_path, bool use_calibration,
                   const fs::path& config_folder) {
  const fs::path path = resolve(name_or_path, config_folder);
  const fs::path overlay = beside(path, kOverlay);
  constexpr std::size_t kOps = std::size(kLearnedOfOps);
  LoadedGpu loaded;
  std::optional<LearnedFiles> files[kOps];
  // in parallel, since each takes long
  parallel_for(1 + kOps, 0, [&](std::size_t which) {
    if (which == kOps) {
      GpuTree read = tree_of(path, use_calibration);
      loaded = finished(read.tree, path, use_calibration, config_folder);
      loaded.calibrated = read.calibrated;
    } else if (const LearnedOfOp& op = kLearnedOfOps[which];
               use_calibration && is_there(overlay) && is_there(beside(path, op.yaml))) {
      files[which] = read_learned(beside(path, op.yaml), op.features);
    }
  });
  for (std::size_t i = 0; i < kOps; ++i) {
    if (!files[i]) {
      continue;
    }
    LearnedModel model = learned_of(*std::move(files[i]), loaded.spec.name);
    refuse_if(!model.overlay.empty() && model.overlay != hash_text(read_file(overlay)),
              "{}: overlay: expected the overlay {} that it was fitted with: calibrate again",
              beside(path, kLearnedOfOps[i].yaml).string(), overlay.string());
    loaded.spec.*kLearnedOfOps[i].model = std::make_shared<const LearnedModel>(std::move(model));
  }
  return loaded;
}

LoadedGpu load_gpu_with(std::string_view name_or_path, const fs::path& overlay,
                        const std::vector<std::string>& sections) {
  const fs::path path = resolve(name_or_path, config_folder());
  YamlNode tree = load_yaml_tree(path);
  YamlNode measured = load_yaml_tree(overlay);
  std::erase_if(measured.entries, [&](const YamlEntry& entry) {
    return entry.name != "name" && std::ranges::find(sections, entry.name) == sections.end();
  });
  apply_overlay(tree, measured);
  return finished(tree, path, false, config_folder());
}

LoadedGpu load_gpu(std::string_view name_or_path, bool use_calibration) {
  return load_gpu(name_or_path, use_calibration, config_folder());
}

std::vector<std::string> files_of_gpu(std::string_view name_or_path) {
  std::vector<std::string> files;
  fs::path path = resolve(name_or_path, config_folder());
  // Stops at a cycle; reading the file reports it.
  while (is_there(path) && std::ranges::find(files, path.string()) == files.end()) {
    files.push_back(path.string());
    std::vector<std::string_view> endings{kOverlay};
    for (const LearnedOfOp& op : kLearnedOfOps) {
      endings.insert(endings.end(), {op.yaml, op.rows});
    }
    for (const std::string_view ending : endings) {
      if (const fs::path more = beside(path, ending); is_there(more)) {
        files.push_back(more.string());
      }
    }
    const YamlNode tree = load_yaml_tree(path);
    if (const YamlNode* parent = tree.find("based_on")) {
      path = parent_of(path, parent->scalar, config_folder());
    }
  }
  return files;
}

std::string why_not_schedulable(const GpuSpec& gpu) {
  std::string reason;
  if (gpu.architecture == Architecture::kFictional) {
    reason = "this GPU is fictional, for worked examples of tile orders";
  } else if (has_mma_sync_alone(gpu.architecture)) {
    const char* const missing = !gpu.mma_sync    ? "mma_sync"
                                : !gpu.l2        ? "l2"
                                : !gpu.machine   ? "machine"
                                : !gpu.reduction ? "reduction"
                                                 : nullptr;
    if (missing == nullptr) {
      return "";
    }
    reason = fmt::format(
        "its file has no section {}; only --op memcpy and elementwise_add can be predicted",
        missing);
  } else {
    return "";
  }
  return fmt::format("none of tilecast's GEMM schedules runs on {} ({}): {}", gpu.name, gpu.product,
                     reason);
}

}  // namespace tilecast
