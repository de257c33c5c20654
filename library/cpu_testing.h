// Options and errors for tests of the library without a GPU.
#pragma once

#include <tilecast/tilecast.h>

#include <string>

namespace tilecast {

inline tilecast_options on_h200() {
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.gpu = "h200_sxm";
  options.threads = 1;
  return options;
}

inline std::string error() { return tilecast_error_text(); }

}  // namespace tilecast
