#include "tests/structure/type_names.h"

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/structure/include_direction.h"

using namespace tilecast;

TEST_CASE("No two headers define types of the same name") {
  std::map<std::string, std::string> host, device;
  for (const auto& file : source_files(".")) {
    const std::string path = file.string();
    // Device code is compiled one kernel at a time, but names should still be unique among it.
    auto& seen = file.extension() == ".cuh" ? device : host;
    // Stand-ins have the names of the originals and are never compiled with them.
    const bool stands_in = path.starts_with("tests/roles/host/");
    if ((file.extension() != ".h" && file.extension() != ".cuh") || stands_in) {
      continue;
    }
    for (const auto& [name, place] : types_defined(path, read_file(file))) {
      const auto [first, is_new] = seen.emplace(name, place);
      if (!is_new) {
        FAIL_CHECK(place + " defines " + name + ", as does " + first->second);
      }
    }
  }
  CHECK(host.size() > 200);
}

TEST_CASE("Types are found with their place, declarations and members are not types") {
  const auto found = types_defined("a.h",
                                   "struct A;\nstruct A {\n  struct B {\n  };\n};\n"
                                   "class C final : public A {\nenum class D : i32 { kOne };\n");
  CHECK(found.size() == 3);
  CHECK(found.at("A") == "a.h:2");
  CHECK(found.at("C") == "a.h:6");
  CHECK(found.at("D") == "a.h:7");
}
