#include "tests/structure/documents.h"

#include <algorithm>

#include "cli/arguments.h"
#include "model/base/file.h"
#include "model/spec/gpu_fields.h"
#include "tests/catch.h"
#include "tests/structure/include_direction.h"

using namespace tilecast;
namespace fs = std::filesystem;

namespace {

/// "section.key" of every GPU file.
std::set<std::string> keys_of_gpu_files() {
  std::set<std::string> keys;
  for (const Architecture architecture : {Architecture::kHopper, Architecture::kBlackwell}) {
    GpuSpec every{.architecture = architecture};
    each_section(every, [](std::string_view, auto& section) { section.emplace(); });
    for (const Field& field : fields_of(every)) {
      keys.insert(field.path());
    }
  }
  return keys;
}

/// Options by command, including the options of its verbs.
std::map<std::string, std::set<std::string>> declared_commands() {
  std::map<std::string, std::set<std::string>> declared{{"test", {}},
                                                        {"--help", {"--help", "--help-all"}},
                                                        {"--help-all", {"--help-all"}},
                                                        {"COMMAND", {"--help"}}};
  for (const CommandRow& row : kCommands) {
    const std::string name(row.name), verb = name.substr(name.rfind(' ') + 1);
    for (const std::string& command : {name.substr(0, name.find(' ')), verb}) {
      declared[command].insert("--help");
      for (const CommandOption& option : options_of(verb)) {
        declared[command].insert(option.names.begin(), option.names.end());
      }
    }
  }
  return declared;
}

/// A page that keeps the commands and keys of its date.
bool is_history(const fs::path& page) {
  return page == "CHANGELOG.md" || page.string().starts_with("docs/dev/notebook/");
}

}  // namespace

TEST_CASE("Every link of a page leads to an existing file and heading") {
  std::size_t links = 0;
  for (const fs::path& page : markdown_files(".")) {
    for (const Link& link : links_in(page.string(), read_file(page))) {
      ++links;
      const std::size_t mark = std::min(link.target.find('#'), link.target.size());
      const std::string file = link.target.substr(0, mark);
      const fs::path target = file.empty() ? page : page.parent_path() / file;
      INFO(link.place << " " << link.target);
      CHECK(fs::exists(target));
      if (mark < link.target.size() && fs::is_regular_file(target)) {
        CHECK(anchors_in(read_file(target)).contains(link.target.substr(mark + 1)));
      }
    }
  }
  CHECK(links > 50);
}

TEST_CASE("Every command line of a page uses an existing command and options") {
  const std::map<std::string, std::set<std::string>> declared = declared_commands();
  REQUIRE(declared.size() > 15);
  std::size_t commands = 0;
  for (const fs::path& page : markdown_files(".")) {
    if (is_history(page)) {
      continue;
    }
    for (const ShownCommand& shown : commands_in(page.string(), read_file(page))) {
      ++commands;
      INFO(shown.place << " " << shown.command);
      REQUIRE(declared.contains(shown.command));
      for (const std::string& option : shown.options) {
        CAPTURE(option);
        CHECK((shown.command == "test" || declared.at(shown.command).contains(option)));
      }
    }
  }
  CHECK(commands > 50);
}

TEST_CASE("Every file that a comment names as its check exists") {
  const std::vector<fs::path> files = source_files(".");
  std::set<std::string> names;
  for (const fs::path& file : files) {
    names.insert(file.filename().string());
  }
  std::size_t checks = 0;
  for (const fs::path& file : files) {
    for (const Link& check : checks_in(file.string(), read_file(file))) {
      ++checks;
      INFO(check.place << " " << check.target);
      CHECK((check.target.find('/') == std::string::npos ? names.contains(check.target)
                                                         : fs::exists(check.target)));
    }
  }
  CHECK(checks > 150);
}

TEST_CASE("Every GPU file key on a page is in the table of constants") {
  const std::set<std::string> keys = keys_of_gpu_files();
  std::set<std::string> sections, files;
  for (const std::string& key : keys) {
    sections.insert(key.substr(0, key.find('.')));
  }
  // Names of micro-benchmarks in validate/measure look like keys, and a section may have the name
  // of a source file.
  std::string laboratory;
  for (const fs::path& file : source_files(".")) {
    files.insert(file.filename().string());
    if (file.string().starts_with("validate/measure/")) {
      laboratory += read_file(file);
    }
  }
  std::size_t found = 0;
  for (const fs::path& page : markdown_files(".")) {
    if (is_history(page)) {
      continue;
    }
    for (const Link& key : keys_in(page.string(), read_file(page), sections)) {
      found += keys.contains(key.target) ? 1 : 0;
      INFO(key.place << " " << key.target);
      CHECK((keys.contains(key.target) || files.contains(key.target) ||
             laboratory.find('"' + key.target + '"') != std::string::npos));
    }
  }
  CHECK(found > 3);
}

TEST_CASE("The code in cpp.md is that of the examples, which are built and run") {
  std::string examples;
  for (const auto& entry : fs::directory_iterator("examples")) {
    examples += read_file(entry.path());
  }
  const std::string text = read_file("docs/cpp.md");
  int blocks = 0;
  for (const std::string fence : {"\n```c\n", "\n```cpp\n"}) {
    for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
      at += fence.size();
      const std::string block = text.substr(at, text.find("```", at) - at);
      INFO(block);
      CHECK(examples.find(block) != std::string::npos);
      ++blocks;
    }
  }
  CHECK(blocks == 5);
}

TEST_CASE("Links are found outside of code, without web addresses") {
  const auto links = links_in("a.md",
                              "see [b](b.md#x) and [c](https://c)\n```\n[d](d.md)\n```\n"
                              "`[e](e.md)` ![f](f.svg)\n");
  REQUIRE(links.size() == 2);
  CHECK(links[0].place == "a.md:1");
  CHECK(links[0].target == "b.md#x");
  CHECK(links[1].place == "a.md:5");
  CHECK(links[1].target == "f.svg");
}

TEST_CASE("Files named as checks are found up to the end of their paragraph") {
  const auto checks = checks_in("a.h",
                                "// a.cpp. Checked by: b_test.cpp (sums),\n// c/d_test.cu.\n"
                                "//\n// e.h\n#include \"f.h\"\n");
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].target == "b_test.cpp");
  CHECK(checks[1].place == "a.h:2");
  CHECK(checks[1].target == "c/d_test.cu");
}

TEST_CASE("Keys are found between back quotes, alone or inside other text") {
  const auto keys =
      keys_in("a.md", "l2.a `l2.b` `x = l2.c_d * 2`\n`el2.e`, `a/l2.f`, `l2.g/h`\n", {"l2"});
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].target == "l2.b");
  CHECK(keys[1].target == "l2.c_d");
}

TEST_CASE("Anchors are headings in lower case without punctuation") {
  CHECK(anchors_in("# On Blackwell, too\n## 1. one_buffer\n```\n# not this\n```\n#nor this\n") ==
        std::set<std::string>{"on-blackwell-too", "1-one_buffer"});
}

TEST_CASE("Commands are found in code blocks and between back quotes, options without values") {
  const auto commands = commands_in("a.md",
                                    "`./tilecast report --out DIR` and `tilecast`\n```\n"
                                    "./tilecast predict 1x1x1 --top=3 --config 'a --b' | head\n"
                                    "cmake --build x\n```\n");
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].command == "report");
  CHECK(commands[0].options == std::vector<std::string>{"--out"});
  CHECK(commands[1].place == "a.md:3");
  CHECK(commands[1].options == std::vector<std::string>{"--top", "--config"});
}
