// The system's message for an errno value.
#pragma once

#include <string>
#include <system_error>

namespace tilecast {

inline std::string system_reason(int error) { return std::generic_category().message(error); }

}  // namespace tilecast
