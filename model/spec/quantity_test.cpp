#include "model/spec/quantity.h"

#include <string>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const std::string kRest = ", source: measured, ref: \"a test\", confidence: high}";

ReadQuantity read(const std::string& quantity, Dimension dimension, double least, double most) {
  const StrictMap map = parse_yaml("x: " + quantity, "f.yaml").map({"x"});
  return read_quantity(map.required("x"), dimension, least, most);
}

double value_of_unit(const std::string& value_and_unit, Dimension dimension) {
  return read("{" + value_and_unit + kRest, dimension, 0, 1e18).value;
}

std::string complaint(const std::string& quantity, Dimension dimension, double least, double most) {
  return ERROR_MESSAGE(read(quantity, dimension, least, most));
}

TEST_CASE("Scaled units convert to the basic unit, exactly as a literal") {
  CHECK(value_of_unit("value: 60, unit: MiB", Dimension::kBytes) == 62914560);  // 60 x 2^20
  CHECK(value_of_unit("value: 227, unit: KiB", Dimension::kBytes) == 232448);
  CHECK(value_of_unit("value: 215, unit: ns", Dimension::kTime) == 215e-9);
  CHECK(value_of_unit("value: 1.25, unit: us", Dimension::kTime) == 1.25e-6);
  CHECK(value_of_unit("value: 1980, unit: MHz", Dimension::kFrequency) == 1.98e9);
  CHECK(value_of_unit("value: 1.5, unit: GHz", Dimension::kFrequency) == 1.5e9);
  CHECK(value_of_unit("value: 900, unit: GB/s", Dimension::kBytesPerSecond) == 9e11);
  CHECK(value_of_unit("value: 4.5, unit: TB/s", Dimension::kBytesPerSecond) == 4.5e12);
  CHECK(value_of_unit("value: 3, unit: pJ/B", Dimension::kEnergyPerByte) == 3e-12);
  CHECK(value_of_unit("value: 0.5, unit: pJ/FLOP", Dimension::kEnergyPerFlop) == 0.5e-12);
  CHECK(value_of_unit("value: 66, unit: B/cycle", Dimension::kBytesPerCycle) == 66);
  CHECK(value_of_unit("value: 4096, unit: FLOP/cycle", Dimension::kFlopsPerCycle) == 4096);
  CHECK(value_of_unit("value: 700, unit: W", Dimension::kPower) == 700);
}

TEST_CASE("A number keeps its text and its source") {
  const ReadQuantity quantity = read(
      "{value: 217, unit: ns, standard_error: 4, source: published, ref: \"a title\", "
      "confidence: medium}",
      Dimension::kTime, 0, 1);
  CHECK(quantity.constant.key_path == "x");
  CHECK(quantity.constant.value == 217);
  CHECK(quantity.constant.unit == "ns");
  CHECK(quantity.constant.standard_error == 4.0);
  CHECK(quantity.constant.source == Source::kPublished);
  CHECK(quantity.constant.ref == "a title");
  CHECK(quantity.constant.confidence == Confidence::kMedium);
  CHECK_FALSE(read("{value: 1, unit: s" + kRest, Dimension::kTime, 0, 1).constant.standard_error);
}

TEST_CASE("A wrong unit is an error that lists the right ones") {
  CHECK(complaint("{value: 1, unit: GB/s" + kRest, Dimension::kBytesPerCycle, 0, 9) ==
        "2 f.yaml:1: x.unit: expected unit B/cycle, got 'GB/s'");
  CHECK(complaint("{value: 1, unit: mhz" + kRest, Dimension::kFrequency, 0, 9) ==
        "2 f.yaml:1: x.unit: expected unit Hz or MHz or GHz, got 'mhz'");
}

TEST_CASE("A range is inclusive, and its error uses the unit of the file") {
  const auto at = [](const std::string& value) {
    return complaint("{value: " + value + ", unit: ns" + kRest, Dimension::kTime, 10e-9, 1e-6);
  };
  CHECK(at("10").empty());
  CHECK(at("1000").empty());
  CHECK(at("9.9") == "2 f.yaml:1: x.value: expected 10 to 1000 ns, got 9.9");
  CHECK(at("1001") == "2 f.yaml:1: x.value: expected 10 to 1000 ns, got 1001");
  CHECK(at("fast") == "2 f.yaml:1: x.value: expected a number, got 'fast'");
}

TEST_CASE("Counts and bytes must be integers") {
  CHECK(complaint("{value: 1.5, unit: \"1\"" + kRest, Dimension::kCount, 1, 9) ==
        "2 f.yaml:1: x.value: expected an integer from 1 to 9, got '1.5'");
  CHECK(complaint("{value: 0.3, unit: KiB" + kRest, Dimension::kBytes, 0, 1e9) ==
        "2 f.yaml:1: x.value: expected an integer number of bytes");
  CHECK(complaint("{value: 126.5, unit: MiB" + kRest, Dimension::kBytes, 0, 1e9).empty());
}

TEST_CASE("A number without its source is an error, key by key") {
  const auto without = [](const std::string& quantity) {
    return complaint(quantity, Dimension::kPower, 0, 9);
  };
  CHECK(without("{unit: W" + kRest) == "2 f.yaml:1: x.value: missing key");
  CHECK(without("{value: 1" + kRest) == "2 f.yaml:1: x.unit: missing key");
  CHECK(without("{value: 1, unit: W, ref: a, confidence: low}") ==
        "2 f.yaml:1: x.source: missing key");
  CHECK(without("{value: 1, unit: W, source: measured, confidence: low}") ==
        "2 f.yaml:1: x.ref: missing key");
  CHECK(without("{value: 1, unit: W, source: measured, ref: a}") ==
        "2 f.yaml:1: x.confidence: missing key");
  CHECK(without("{value: 1, unit: W, source: guessed, ref: a, confidence: low}") ==
        "2 f.yaml:1: x.source: expected one of datasheet, measured, published, derived, fitted, "
        "assumed, fictional, got 'guessed'");
  CHECK(without("{value: 1, unit: W, sorce: measured, ref: a, confidence: low}") ==
        "2 f.yaml:1: x.sorce: unknown key; did you mean source?");
  CHECK(without("{value: 1, unit: W, standard_error: -1" + kRest) ==
        "2 f.yaml:1: x.standard_error: expected a number from 0 to 1e+18, got '-1'");
  CHECK(without("700") ==
        "2 f.yaml:1: x: expected a map of value, unit, standard_error, source, ref, confidence, "
        "got '700'");
}

}  // namespace
}  // namespace tilecast
