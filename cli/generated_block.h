// Text in a document that a command writes: what stands between its two marker lines.
#pragma once

#include <string>

namespace tilecast {

/// Where the block of `path` is not "Made by `command`." and `content`: with `check` throws Error
/// (exit 1) that names the command, else writes it. Throws ConfigError where the markers are not
/// there.
void update_generated_block(const std::string& path, const std::string& command,
                            const std::string& content, bool check);

}  // namespace tilecast
