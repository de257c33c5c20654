// The layout of code after parts of it went, since no formatter is at hand where it is emitted.
#pragma once

#include <string>

namespace tilecast {

/// Statements in as few lines of 100 columns as they need, functions of one short statement in one.
std::string tidy(const std::string& text);

}  // namespace tilecast
