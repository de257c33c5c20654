// Calibration overlays: a second file that replaces numbers of a GPU file. It may also give
// inherited numbers and whole sections that the file lacks.
#pragma once

#include "model/spec/yaml_tree.h"

namespace tilecast {

/// Replaces quantities of `base` by those of `overlay`, which starts with the base's name. Throws
/// ConfigError if it names another GPU or gives anything but numbers. The reader checks the keys.
/// Replaced values keep their position in the overlay, so that later errors point there.
void apply_overlay(YamlNode& base, const YamlNode& overlay);

}  // namespace tilecast
