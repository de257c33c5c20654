#include "cli/generated_block.h"

#include <fmt/format.h>

#include <cstdio>

#include "model/base/error.h"
#include "model/base/file.h"
#include "validate/compare/results_table.h"

namespace tilecast {

void update_generated_block(const std::string& path, const std::string& command,
                            const std::string& content, bool check) {
  const std::string before = read_file(path);
  const std::string after =
      replace_between_markers(before, path, fmt::format("Made by `{}`.\n\n{}", command, content));
  if (before == after) {
    fmt::print(stderr, "tilecast: {} is up to date\n", path);
  } else if (check) {
    throw Error(ExitCode::kWrong,
                fmt::format("{}: its results are not up to date; run {}", path, command));
  } else {
    write_file(path, after);
  }
}

}  // namespace tilecast
