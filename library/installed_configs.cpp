#include "library/installed_configs.h"

#include <dlfcn.h>

#include <cstdlib>
#include <system_error>

#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

/// The file that holds this code; empty where the loader does not say.
fs::path own_file() {
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(&installed_configs), &info) != 0;
  return found && info.dli_fname != nullptr ? fs::path(info.dli_fname) : fs::path();
}

}  // namespace

fs::path installed_configs() {
  if (std::getenv("TILECAST_CONFIG_DIR") != nullptr) {
    return config_folder();
  }
  std::error_code ignored;
  const fs::path library = fs::weakly_canonical(own_file(), ignored);
  for (fs::path folder = library.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    fs::path configs = folder / TILECAST_INSTALL_DATADIR / "tilecast";
    if (fs::is_directory(configs / "gpus", ignored)) {
      return configs;
    }
  }
  return config_folder();
}

}  // namespace tilecast
