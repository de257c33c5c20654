#include "reports/manifest.h"

#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

TEST_CASE("A manifest needs only a GPU and rows") {
  const Manifest manifest = parse_manifest(parse_yaml("gpu: x\ndata: [a.csv]\n", "m.yaml"));
  CHECK(manifest.gpu == "x");
  CHECK(manifest.data == std::vector<std::string>{"a.csv"});
  CHECK(manifest.split.empty());
  CHECK_FALSE(manifest.waves.has_value());
  CHECK(manifest.timelines.empty());
}

TEST_CASE("A timeline's shape and configuration are parsed, with their place in errors") {
  const std::string text =
      "gpu: x\ndata: [a.csv]\ntimelines:\n"
      "  - {file: t.csv, shape: 64x128x256, config: \"small_mma:tile=64x128x128,warpgroups=1x1,"
      "a=shared,instruction_n=32\"}\n";
  const Manifest manifest = parse_manifest(parse_yaml(text, "m.yaml"));
  REQUIRE(manifest.timelines.size() == 1);
  CHECK(manifest.timelines.front().problem.shape == GemmShape{64, 128, 256});
  CHECK(manifest.timelines.front().config.instruction_n == 32);

  std::string wrong = text;
  wrong.replace(wrong.find("64x128x256"), 10, "64x128    ");
  CHECK(ERROR_MESSAGE(parse_manifest(parse_yaml(wrong, "m.yaml")))
            .starts_with("2 m.yaml:4: timelines[0].shape: "));
}

TEST_CASE("An unknown key is an error with its place") {
  CHECK(ERROR_MESSAGE(parse_manifest(parse_yaml("gpu: x\ndata: [a.csv]\nspilt: b\n", "m.yaml")))
            .starts_with("2 m.yaml:3: spilt: "));
}
