// The error of a piece of code, as "2 message" with its exit code; "" without an error.
#pragma once

#include <string>

#include "model/base/error.h"

namespace tilecast {

template <class Code>
std::string error_message(const Code& code) {
  try {
    code();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.code())) + " " + error.what();
  }
  return "";
}

}  // namespace tilecast
