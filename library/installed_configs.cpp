#include "library/installed_configs.h"

#include <dlfcn.h>

#include <cstdlib>
#include <system_error>

#include "model/base/trusted_path.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

/// Path of the file that contains this code; empty if the loader does not report it.
fs::path own_file() {
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(&installed_configs), &info) != 0;
  return found && info.dli_fname != nullptr ? fs::path(info.dli_fname) : fs::path();
}

/// Whether `data` has GPU files that only users who can also change the library can write.
bool has_gpus(const fs::path& data, const fs::path& library) {
  std::error_code ignored;
  const fs::path configs = data / "tilecast", gpus = configs / "gpus";
  const Trust trust{.like = library.parent_path()};
  return fs::is_directory(gpus, ignored) && why_not_trusted(data, trust).empty() &&
         why_not_trusted(configs, trust).empty() && why_not_trusted(gpus, trust).empty();
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
    const fs::path data = folder / TILECAST_INSTALL_DATADIR;
    if (has_gpus(data, library)) {
      return data / "tilecast";
    }
  }
  return config_folder();
}

}  // namespace tilecast
