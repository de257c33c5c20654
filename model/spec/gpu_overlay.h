// Calibration overlays: a second file that may replace numbers of the first, and nothing else.
#pragma once

#include "model/spec/yaml_tree.h"

namespace tilecast {

/// Replaces in `base` each quantity that `overlay` gives. The overlay opens with the base's name;
/// throws ConfigError where it names another GPU, a key the base lacks, or not a quantity. A
/// replaced quantity keeps the overlay's place, so that later complaints point there.
void apply_overlay(YamlNode& base, const YamlNode& overlay);

}  // namespace tilecast
