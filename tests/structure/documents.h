// Claims that pages and comments of the repository make about its files, commands and constants.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

/// `[shown](target)` without web addresses; or another reference that must exist.
struct Link {
  std::string place;   // path:line
  std::string target;  // as written, with its #anchor
};

/// `./tilecast COMMAND ...` in a code block or between back quotes.
struct ShownCommand {
  std::string place, program, command;
  std::vector<std::string> options;  // words that begin with --, without a value after =
};

/// Every .md file below `root`, except build folders and hidden ones.
std::vector<std::filesystem::path> markdown_files(const std::filesystem::path& root);

std::vector<Link> links_in(const std::string& path, std::string_view markdown);

/// Files named after "Checked by" in a source's comments, up to the end of the paragraph.
std::vector<Link> checks_in(const std::string& path, std::string_view source);

/// `section.key` between back quotes, alone or inside other text, for one of `sections`.
std::vector<Link> keys_in(const std::string& path, std::string_view markdown,
                          const std::set<std::string>& sections);

/// Anchors of headings as GitHub makes them.
std::set<std::string> anchors_in(std::string_view markdown);

std::vector<ShownCommand> commands_in(const std::string& path, std::string_view markdown);

}  // namespace tilecast
