// Calibration overlays: a second file that may replace numbers of the first, and bring whole
// sections that the first does not have since nobody had measured them.
#pragma once

#include "model/spec/yaml_tree.h"

namespace tilecast {

/// Replaces in `base` each quantity that `overlay` gives. The overlay opens with the base's name;
/// throws ConfigError where it names another GPU, a key that the base's section lacks, or not a
/// quantity. A section that the base lacks is added as it is; which sections there are, and that
/// one is whole, is the reader's to say. What came from the overlay keeps the overlay's place, so
/// that later complaints point there.
void apply_overlay(YamlNode& base, const YamlNode& overlay);

}  // namespace tilecast
