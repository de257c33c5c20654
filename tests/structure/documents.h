// What pages and comments of the repository claim of its files, commands and constants.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

/// `[shown](target)`, but no web address; or another name of something that should be there.
struct Link {
  std::string place;   // path:line
  std::string target;  // as written, with its #anchor
};

/// `./tilecast COMMAND ...`, in a block of code or between back quotes.
struct ShownCommand {
  std::string place, program, command;
  std::vector<std::string> options;  // those that begin with --, without a value behind =
};

/// Options by command; of all programs.
using DeclaredCommands = std::map<std::string, std::set<std::string>>;

/// Every .md file below `root`, build folders and hidden ones left out.
std::vector<std::filesystem::path> markdown_files(const std::filesystem::path& root);

std::vector<Link> links_in(const std::string& path, std::string_view markdown);

/// Files that a source's comments name behind "Checked by", up to the end of the paragraph.
std::vector<Link> checks_in(const std::string& path, std::string_view source);

/// `section.key` between back quotes, also as a part of what stands there, of one of `sections`.
std::vector<Link> keys_in(const std::string& path, std::string_view markdown,
                          const std::set<std::string>& sections);

/// As GitHub names the heading's place.
std::set<std::string> anchors_in(std::string_view markdown);

std::vector<ShownCommand> commands_in(const std::string& path, std::string_view markdown);

/// What a source of cli declares by program.command, command.option and command.flag, and by
/// calling functions that declare for several: `shared` has each one's name and the source it is
/// in.
DeclaredCommands declared_in(std::string_view source,
                             const std::map<std::string, std::string>& shared);

}  // namespace tilecast
