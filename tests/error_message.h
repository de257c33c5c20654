// The message of the error that a piece of code, or an expression, throws; "" without an error.
#pragma once

#include <string>

#include "model/base/error.h"

namespace tilecast {

template <class Code>
std::string error_text(const Code& code) {
  try {
    code();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Returns "2 message", with the exit code.
template <class Code>
std::string error_message(const Code& code) {
  try {
    code();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.code())) + " " + error.what();
  }
  return "";
}

#define ERROR_TEXT(...) error_text([&] { (void)(__VA_ARGS__); })
#define ERROR_MESSAGE(...) error_message([&] { (void)(__VA_ARGS__); })

}  // namespace tilecast
