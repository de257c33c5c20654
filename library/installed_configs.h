// Where the library finds its GPU files.
#pragma once

#include <filesystem>

namespace tilecast {

/// Returns $TILECAST_CONFIG_DIR if set; otherwise the folder tilecast in the data folder
/// (CMAKE_INSTALL_DATADIR) of the library's installation tree, unless users who cannot change the
/// library can change that folder; otherwise configs of the source tree from which the library was
/// built.
std::filesystem::path installed_configs();

}  // namespace tilecast
