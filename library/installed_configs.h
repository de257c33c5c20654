// Where the GPU files lie that the library reads.
#pragma once

#include <filesystem>

namespace tilecast {

/// $TILECAST_CONFIG_DIR; else share/tilecast of the tree that the library is installed in; else the
/// configs of the source tree that it was built from.
std::filesystem::path installed_configs();

}  // namespace tilecast
