#include "tests/structure/include_direction.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/base/text.h"

namespace tilecast {
namespace {

using Folders = std::vector<std::string_view>;

struct Layer {
  std::string_view folder;                // its path, with the closing slash
  Folders below;                          // folders it may include in addition to itself
  std::vector<std::string_view> outside;  // prefixes of restricted <...> includes that it may use
};

// Prefixes of headers that only the named layers may include.
constexpr std::string_view kRestricted[] = {"cuda", "cublas", "cupti",    "nvrtc",
                                            "nvml", "nvperf", "yaml-cpp/"};

Folders and_more(Folders folders, const Folders& more) {
  folders.insert(folders.end(), more.begin(), more.end());
  return folders;
}

const std::vector<Layer>& layers() {
  static const std::vector<std::string_view> kCuda{"cuda",  "cublas", "cudnn", "cupti",
                                                   "nvrtc", "nvml",   "nvperf"};
  static const std::vector<std::string_view> kOfTilecastGpu{"model/", "kernels/", "validate/",
                                                            "cli/"};
  // Shared by kernels, model and texts.
  static const Folders kGemm{"model/gemm/output/", "model/gemm/problem/", "model/gemm/config/",
                             "model/gemm/order/"};
  static const Folders kStream{"model/stream/block_walk", "model/stream/stream_config",
                               "model/stream/stream_problem"};
  static const Folders kAttention{
      "model/attention/attention_problem", "model/attention/attention_config",
      "model/attention/attention_work", "model/attention/attention_text"};
  static const Folders kOps =
      and_more(and_more(and_more({"model/base/", "model/op/"}, kGemm), kStream), kAttention);
  static const Folders kLab{"model/base/",      "model/op/",       "model/ops/",
                            "validate/record/", "validate/run/",   "kernels/jit/",
                            "kernels/micro/",   "kernels/verify/", "kernels/registry.h"};
  static const Folders kOfOneLab =
      and_more({"kernels/", "validate/measure/timing/", "validate/measure/lab_op.h",
                "validate/measure/output_check.h", "validate/measure/device_"},
               kLab);
  static const std::vector<Layer> kLayers{
      {"model/base/", {}, {}},
      {"model/op/", {"model/base/"}, {}},
      {"model/spec/", {"model/base/"}, {"yaml-cpp/"}},
      {"model/sim/engine/", {"model/base/"}, {}},
      {"model/sim/chip/", {"model/base/", "model/spec/", "model/sim/engine/"}, {}},
      {"model/sim/parts/",
       {"model/base/", "model/spec/", "model/sim/engine/", "model/sim/chip/"},
       {}},
      {"model/form/", {"model/base/", "model/spec/"}, {}},
      {"model/clock/", {"model/base/", "model/spec/"}, {}},
      {"model/gemm/output/", {"model/base/"}, {}},
      {"model/gemm/problem/", and_more({"model/base/", "model/op/"}, kGemm), {}},
      {"model/gemm/config/", and_more({"model/base/", "model/op/"}, kGemm), {}},
      {"model/gemm/order/", and_more({"model/base/"}, kGemm), {}},
      {"model/gemm/rules/", and_more({"model/base/", "model/op/"}, kGemm), {}},
      {"model/gemm/costs/", and_more({"model/base/", "model/spec/"}, kGemm), {}},
      {"model/gemm/form/",
       and_more({"model/base/", "model/spec/", "model/form/", "model/gemm/costs/"}, kGemm),
       {}},
      {"model/gemm/sim/kernel/",
       and_more({"model/base/", "model/spec/", "model/sim/", "model/gemm/costs/"}, kGemm),
       {}},
      {"model/gemm/sim/schedules/",
       and_more({"model/base/", "model/spec/", "model/sim/", "model/gemm/costs/",
                 "model/gemm/sim/kernel/"},
                kGemm),
       {}},
      {"model/gemm/sim/",
       and_more({"model/base/", "model/spec/", "model/sim/", "model/gemm/costs/",
                 "model/gemm/sim/kernel/", "model/gemm/sim/schedules/"},
                kGemm),
       {}},
      {"model/gemm/menu/",
       and_more(
           {"model/base/", "model/op/", "model/spec/", "model/gemm/rules/", "model/gemm/costs/"},
           kGemm),
       {}},
      {"model/gemm/triton/",
       and_more({"model/base/", "model/spec/", "model/form/", "model/rank/",
                 "model/gemm/predict/gemm_question.h"},
                kGemm),
       {}},
      {"model/gemm/predict/",
       {"model/base/", "model/op/", "model/spec/", "model/clock/", "model/rank/", "model/learn/",
        "model/ops/", "model/gemm/"},
       {}},
      {"model/stream/block_walk", {"model/base/"}, {}},
      {"model/stream/stream_config", {"model/base/", "model/op/", "model/stream/block_walk"}, {}},
      {"model/stream/stream_problem", and_more({"model/base/", "model/op/"}, kStream), {}},
      {"model/stream/",
       {"model/base/", "model/op/", "model/spec/", "model/form/", "model/clock/", "model/rank/",
        "model/ops/", "model/stream/"},
       {}},
      {"model/attention/attention_problem", {"model/base/"}, {}},
      {"model/attention/attention_config",
       {"model/base/", "model/attention/attention_problem"},
       {}},
      {"model/attention/attention_work", and_more({"model/base/"}, kAttention), {}},
      {"model/attention/attention_text", and_more({"model/base/", "model/op/"}, kAttention), {}},
      {"model/attention/",
       {"model/base/", "model/op/", "model/spec/", "model/form/", "model/sim/", "model/clock/",
        "model/rank/", "model/learn/", "model/ops/", "model/attention/"},
       {}},
      // Defines functions that model/spec/load_gpu.h declares for the ops.
      {"model/ops/gpu_for_ops.cpp",
       {"model/base/", "model/spec/", "model/gemm/rules/compiler_rejections.h"},
       {}},
      {"model/ops/", kOps, {}},
      {"model/rank/",
       {"model/base/", "model/op/", "model/ops/", "model/spec/", "model/form/", "model/clock/"},
       {}},
      {"model/learn/", {"model/base/", "model/spec/", "model/clock/", "model/rank/"}, {}},
      {"model/predict/", {"model/"}, {}},
      {"kernels/emit/emit.", {"model/", "kernels/"}, {}},  // of every op
      {"kernels/emit/emit_test.cpp", {"kernels/"}, {}},
      {"kernels/revision_test.cpp", {"kernels/"}, {}},
      {"kernels/",
       and_more(and_more({"model/base/", "model/op/", "model/gemm/rules/", "model/stream/"}, kGemm),
                kAttention),
       kCuda},
      {"validate/record/", and_more({"model/ops/", "kernels/revision.h"}, kOps), {}},
      {"validate/plan/", {"model/", "validate/record/"}, {}},
      {"validate/run/", and_more({"model/ops/", "validate/record/", "validate/plan/"}, kOps), {}},
      // The benchmark harness knows no operation: each is a folder and a row of lab_ops.cpp.
      {"validate/measure/gemm/", and_more(and_more({"model/gemm/rules/"}, kGemm), kOfOneLab),
       kCuda},
      {"validate/measure/stream/", and_more({"model/stream/"}, kOfOneLab), kCuda},
      {"validate/measure/attention/", and_more(kAttention, kOfOneLab), kCuda},
      {"validate/measure/lab_ops.cpp", {"model/base/", "validate/measure/"}, {}},
      {"validate/measure/timing/",
       and_more({"validate/measure/device_", "validate/measure/counters/cupti_error.h"}, kLab),
       kCuda},
      {"validate/measure/", and_more({"validate/measure/timing/"}, kLab), kCuda},
      {"validate/compare/", {"model/", "validate/record/"}, {}},
      {"validate/calibrate/", {"model/", "validate/record/"}, {}},
      {"reports/", {"model/", "validate/record/", "validate/compare/"}, {}},
      // Files of tilecast-gpu (cli/CMakeLists.txt), and those of tilecast, which has no CUDA.
      {"cli/gpu_", kOfTilecastGpu, {}},
      {"cli/probe", kOfTilecastGpu, {}},
      {"cli/emit", {"model/", "kernels/emit/", "cli/"}, {}},
      {"cli/",
       {"model/", "validate/record/", "validate/run/", "validate/plan/", "validate/compare/",
        "validate/calibrate/", "reports/"},
       {}},
      {"include/", {}, {}},
      {"library/run_benchmark", {"model/", "kernels/", "validate/"}, kCuda},
      {"library/", {"model/", "kernels/"}, kCuda},
      {"python/bindings/", {"model/", "cli/"}, {}},
      {"examples/", {}, {"cuda"}},
      {"tests/", {"model/", "kernels/", "validate/", "reports/", "cli/"}, kCuda},
  };
  return kLayers;
}

const Layer* layer_of(std::string_view path) {
  for (const Layer& layer : layers()) {
    if (path.starts_with(layer.folder)) {
      return &layer;
    }
  }
  return nullptr;
}

bool is_test(std::string_view path) { return path.find("_test.") != std::string_view::npos; }

bool may_include(const Layer& layer, std::string_view path, std::string_view included) {
  const auto holds = [included](std::string_view folder) { return included.starts_with(folder); };
  // Nothing includes a test, so a test may compare its layer with the model and use test helpers;
  // a kernel's may be measured by the whole harness.
  constexpr std::string_view kLaboratory = "validate/measure/";
  const bool of_test = is_test(path) && (holds("tests/") || holds("model/") ||
                                         (path.starts_with(kLaboratory) && holds(kLaboratory)));
  return layer_of(included) == &layer || of_test ||
         std::any_of(layer.below.begin(), layer.below.end(), holds);
}

struct Include {
  std::string_view name;
  bool quoted;
};

std::optional<Include> include_of(std::string_view line) {
  const auto skip_blanks = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) {
    return std::nullopt;
  }
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) {
    return std::nullopt;
  }
  line.remove_prefix(std::string_view("include").size());
  skip_blanks();
  if (!line.starts_with('"') && !line.starts_with('<')) {
    return std::nullopt;
  }
  const bool quoted = line.front() == '"';
  line.remove_prefix(1);
  return Include{line.substr(0, line.find(quoted ? '"' : '>')), quoted};
}

std::string check(const Layer& layer, std::string_view path, const Include& include) {
  if (include.quoted) {
    if (layer_of(include.name) == nullptr) {
      return fmt::format("\"{}\" does not begin with a layer's folder", include.name);
    }
    return may_include(layer, path, include.name)
               ? ""
               : fmt::format("{} may not include {}", layer.folder, include.name);
  }
  for (const std::string_view name : kRestricted) {
    if (include.name.starts_with(name) &&
        std::find(layer.outside.begin(), layer.outside.end(), name) == layer.outside.end()) {
      return fmt::format("{} may not include <{}>", layer.folder, include.name);
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> include_violations(std::string_view path, std::string_view content) {
  const Layer* layer = layer_of(path);
  if (layer == nullptr) {
    return {fmt::format("{}: lies in no layer", path)};
  }
  std::vector<std::string> violations;
  int number = 0;
  for (const std::string_view line : split(content, '\n')) {
    ++number;
    const std::optional<Include> include = include_of(line);
    if (!include) {
      continue;
    }
    if (const std::string why = check(*layer, path, *include); !why.empty()) {
      violations.push_back(fmt::format("{}:{}: {}", path, number, why));
    }
  }
  return violations;
}

std::string own_header(std::string_view path) {
  for (const std::string_view ending : {"_test.cpp", ".cpp"}) {
    if (path.ends_with(ending)) {
      return std::string(path.substr(0, path.size() - ending.size())) + ".h";
    }
  }
  return "";
}

std::string first_include(std::string_view content) {
  for (const std::string_view line : split(content, '\n')) {
    if (const std::optional<Include> include = include_of(line)) {
      return std::string(include->name);
    }
  }
  return "";
}

std::vector<std::filesystem::path> source_files(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files;
  for (const char* top : {"model", "kernels", "validate", "reports", "cli", "include", "library",
                          "examples", "python", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
      const std::string ending = entry.path().extension();
      if (ending == ".h" || ending == ".hpp" || ending == ".cpp" || ending == ".cu" ||
          ending == ".cuh") {
        files.push_back(entry.path().lexically_relative(root));
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tilecast
