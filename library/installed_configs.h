// Where the library finds its GPU files.
#pragma once

#include <filesystem>

namespace tilecast {

/// Returns $TILECAST_CONFIG_DIR if set; else the folder tilecast in the data folder
/// (CMAKE_INSTALL_DATADIR) of the library's installation tree, unless users who cannot change the
/// library can change that folder; else configs of the source tree that the library was built from.
std::filesystem::path installed_configs();

}  // namespace tilecast
