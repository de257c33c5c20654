#include "tests/structure/documents.h"

#include "model/base/file.h"
#include "tests/catch.h"

using namespace tilecast;
namespace fs = std::filesystem;

TEST_CASE("Every link of a page leads to a file of the repository, and to a heading in it") {
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

TEST_CASE("Every command line of a page names a command and options that there are") {
  DeclaredCommands declared{{"test", {}}, {"--help", {"--help"}}, {"COMMAND", {"--help"}}};
  const std::string shared = read_file("cli/joined_input.cpp");
  for (const auto& entry : fs::directory_iterator("cli")) {
    if (entry.path().extension() == ".cpp") {
      declared.merge(declared_in(read_file(entry.path()), shared));
    }
  }
  REQUIRE(declared.size() > 20);
  std::size_t commands = 0;
  for (const fs::path& page : markdown_files(".")) {
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

TEST_CASE("The C and C++ of cpp.md is that of the examples, which are built and run") {
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
  CHECK(blocks == 3);
}

TEST_CASE("Links are found where they are shown, and web addresses are none of ours") {
  const auto links = links_in("a.md",
                              "see [b](b.md#x) and [c](https://c)\n```\n[d](d.md)\n```\n"
                              "`[e](e.md)` ![f](f.svg)\n");
  REQUIRE(links.size() == 2);
  CHECK(links[0].place == "a.md:1");
  CHECK(links[0].target == "b.md#x");
  CHECK(links[1].place == "a.md:5");
  CHECK(links[1].target == "f.svg");
}

TEST_CASE("Anchors are headings in small letters without punctuation") {
  CHECK(anchors_in("# On Blackwell, too\n## 1. one_buffer\n```\n# not this\n```\n#nor this\n") ==
        std::set<std::string>{"on-blackwell-too", "1-one_buffer"});
}

TEST_CASE("Commands are found in blocks and between quotes, options without their values") {
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

TEST_CASE(
    "A source declares its command with its own options, and with the shared ones it asks for") {
  const std::string shared = "command.option(\"--data\", x)";
  CHECK(declared_in("program.command(\n \"a-b\", \"\"); command.flag(\"--c\", d)", shared) ==
        DeclaredCommands{{"a-b", {"--c", "--help"}}});
  CHECK(declared_in("program.command(\"a\"); add_joined_input(c);", shared) ==
        DeclaredCommands{{"a", {"--data", "--help"}}});
}
