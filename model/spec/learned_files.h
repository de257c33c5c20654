// What was learned, read while it is not known yet which GPU it should be of: a GPU's own files
// take as long to read.
#pragma once

#include <filesystem>
#include <string>

#include "model/spec/learned_model.h"
#include "model/spec/strict_map.h"

namespace tilecast {

struct LearnedFiles {
  StrictValue name;  // of the GPU
  LearnedModel model;
};

/// Throws as load_learned does.
LearnedFiles read_learned(const std::filesystem::path& yaml);

/// Throws ConfigError where they are of another GPU.
LearnedModel learned_of(LearnedFiles files, const std::string& gpu);

}  // namespace tilecast
