// Reads a learned correction before its GPU is known, so that both can be read in parallel.
#pragma once

#include <filesystem>
#include <string>

#include "model/spec/learned_model.h"
#include "model/spec/strict_map.h"

namespace tilecast {

struct LearnedFiles {
  StrictValue name;  // name of the GPU
  LearnedModel model;
};

/// Reads the files. Throws the exceptions of load_learned.
LearnedFiles read_learned(const std::filesystem::path& yaml, FeatureNames features);

/// Throws ConfigError if the files belong to another GPU.
LearnedModel learned_of(LearnedFiles files, const std::string& gpu);

}  // namespace tilecast
