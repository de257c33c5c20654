// Where the GPU files lie that the library reads.
#pragma once

#include <filesystem>

namespace tilecast {

/// $TILECAST_CONFIG_DIR; else tilecast in the data folder (CMAKE_INSTALL_DATADIR) of the tree that
/// the library is installed in, unless users who cannot change the library can change that folder;
/// else the configs of the source tree that it was built from.
std::filesystem::path installed_configs();

}  // namespace tilecast
