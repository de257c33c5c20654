#include "cli/generated_block.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "model/base/error.h"
#include "model/base/file.h"
#include "validate/compare/results_table.h"

namespace tilecast {
GeneratedBlock::GeneratedBlock(std::string path, bool check)
    : path_(std::move(path)), text_(read_file(path_)), check_(check) {
  (void)replace_between_markers(text_, path_, "");
  if (!check_) {
    check_writable(path_);
  }
}

void GeneratedBlock::update(const std::string& command, const std::string& content) const {
  const std::string after =
      replace_between_markers(text_, path_, fmt::format("Made by `{}`.\n\n{}", command, content));
  if (text_ == after) {
    fmt::print(stderr, "tilecast: {} is up to date\n", path_);
  } else if (check_) {
    throw Error(ExitCode::kWrong,
                fmt::format("{}: its results are not up to date; run {}", path_, command));
  } else {
    write_file(path_, after);
  }
}

}  // namespace tilecast
