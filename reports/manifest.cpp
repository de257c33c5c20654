#include "reports/manifest.h"

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"

namespace tilecast {
namespace {

std::vector<std::string> texts(const std::optional<StrictValue>& list) {
  std::vector<std::string> result;
  if (list) {
    for (const StrictValue& item : list->list()) {
      result.push_back(item.text());
    }
  }
  return result;
}

/// Reads a list of at least one string.
std::vector<std::string> some_texts(const StrictValue& list) {
  if (list.list().empty()) {
    list.fail("expected at least one file");
  }
  return texts(list);
}

TimelineFile parse_timeline(const StrictValue& item) {
  const StrictMap map = item.map({"file", "shape", "config"});
  return {map.required("file").text(),
          {map.required("shape").parsed(parse_gemm_shape), ElementType::kFp16, Layout::kTn},
          map.required("config").parsed(parse_kernel_config)};
}

WaveFiles parse_waves(const StrictValue& item) {
  const StrictMap map = item.map({"data", "config"});
  return {some_texts(map.required("data")), map.required("config").parsed(parse_kernel_config)};
}

}  // namespace

Manifest parse_manifest(const StrictValue& root) {
  const StrictMap map =
      root.map({"gpu", "data", "split", "fixed", "whole_space", "waves", "timelines", "layers"});
  Manifest manifest{.gpu = map.required("gpu").text(),
                    .data = some_texts(map.required("data")),
                    .fixed = texts(map.optional("fixed")),
                    .whole_space = texts(map.optional("whole_space")),
                    .split = "",
                    .layers = "",
                    .waves = {},
                    .timelines = {}};
  if (const std::optional<StrictValue> split = map.optional("split")) {
    manifest.split = split->text();
  }
  if (const std::optional<StrictValue> layers = map.optional("layers")) {
    manifest.layers = layers->text();
  }
  if (const std::optional<StrictValue> waves = map.optional("waves")) {
    manifest.waves = parse_waves(*waves);
  }
  if (const std::optional<StrictValue> timelines = map.optional("timelines")) {
    for (const StrictValue& item : timelines->list()) {
      manifest.timelines.push_back(parse_timeline(item));
    }
  }
  return manifest;
}

Manifest load_manifest(const std::filesystem::path& path) {
  return parse_manifest(load_yaml(path));
}

}  // namespace tilecast
