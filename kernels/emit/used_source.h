// Extracts the part of its sources that a program uses: declarations and members of classes that
// its roots reach by name, without branches that its constants exclude.
//
// Works on lines formatted by clang-format (source_lines.h) and on words: a function counts as used
// if its name is followed by ( or <, a member if its name follows a dot or its class and ::, or
// occurs inside its class. Unused code may be kept; used code is never removed. Checked by:
// emit_test.cpp, revision_test.cpp (same machine code as the whole source).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernels/emit/source_lines.h"

namespace tilecast {

/// Collects sources in the order of their includes, each once.
class SourceParts {
 public:
  /// `path`: the heading above the text.
  void add(const std::string& path, std::string_view text);
  void add_file(const std::string& path);

  struct Part {
    std::string path;
    Lines lines;
  };
  const std::vector<Part>& all() const { return parts_; }

 private:
  std::set<std::string> seen_;
  std::vector<Part> parts_;
};

struct SourceUse {
  std::vector<std::string> roots;  // functions that are called from outside
  std::string kernel;              // path of the part whose whole first comment is kept
  // Argument structs that are initialized by member name, so that unused members can be removed. If
  // true, only trailing members can be.
  std::map<std::string, bool> optional;
  Constants known;       // values that the program is written for, in addition to its constants
  std::string wgmma[2];  // instruction text for A from shared memory, and from registers
};
struct UsedSource {
  std::string text;
  std::set<std::string> toolkit;  // toolkit headers: "<cuda_fp16.h>"
};
UsedSource used_source(const SourceParts& parts, const SourceUse& use);

}  // namespace tilecast
