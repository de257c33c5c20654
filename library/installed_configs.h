// Where the library finds its GPU files.
#pragma once

#include <filesystem>

namespace tilecast {

/// $TILECAST_CONFIG_DIR; else tilecast in the data folder (CMAKE_INSTALL_DATADIR) of the library's
/// installation tree, unless users who cannot change the library can change that folder; else
/// configs of the source tree that it was built from.
std::filesystem::path installed_configs();

}  // namespace tilecast
