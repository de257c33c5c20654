// Calibration overlays: a second file that replaces numbers of the first, and brings those that the
// first takes over from the GPU that it is based on, or whole sections that nobody had measured.
#pragma once

#include "model/spec/yaml_tree.h"

namespace tilecast {

/// Puts each quantity that `overlay` gives in the place of the one in `base`. The overlay opens
/// with the base's name; throws ConfigError where it names another GPU, or gives something that is
/// not a number. Which keys there are is the reader's to say. What came from the overlay keeps the
/// overlay's place, so that later complaints point there.
void apply_overlay(YamlNode& base, const YamlNode& overlay);

}  // namespace tilecast
