#include "kernels/jit/source_closure.h"

#include <string>

#include "model/base/error.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

std::string paths_of(const std::vector<EmbeddedSource>& sources) {
  std::string paths;
  for (const EmbeddedSource& source : sources) {
    paths += source.path;
    paths += ' ';
  }
  return paths;
}

}  // namespace

TEST_CASE("A closure has every file reached by includes, each once") {
  const EmbeddedSource sources[] = {
      {"c.h", "#pragma once\n"},
      {"a.h", "#pragma once\n#include \"c.h\"\n"},
      {"b.h", "  #  include \"c.h\"  // again\n#include \"a.h\"\n"},
      {"main.cu", "#include \"a.h\"\n#include \"b.h\"\nconst char* text;  // #include \"d.h\"\n"},
      {"unrelated.cu", "#include \"c.h\"\n"},
  };
  CHECK(paths_of(source_closure("main.cu", sources)) == "main.cu a.h b.h c.h ");
  CHECK(paths_of(source_closure("unrelated.cu", sources)) == "unrelated.cu c.h ");
}

TEST_CASE("A missing include is named with its includer") {
  const EmbeddedSource sources[] = {{"main.cu", "#include \"a.h\"\n"}};
  CHECK(ERROR_TEXT(source_closure("main.cu", sources)) ==
        "main.cu: includes a.h, which is not a kernel source");
  CHECK_THROWS_AS(source_closure("other.cu", sources), Error);
}

}  // namespace tilecast
