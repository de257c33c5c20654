#include "cli/cutlass_problem.h"

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

namespace {

nlohmann::json problem() {
  return {{"m", 512},           {"n", 1024},        {"k", 64},          {"batch_count", 1},
          {"layout", "tnn"},    {"dtype_a", "f16"}, {"dtype_b", "f16"}, {"dtype_c", "f16"},
          {"dtype_acc", "f32"}, {"dtype_d", "f16"}, {"beta", 0.0},      {"use_fast_acc", false}};
}

Fields with(const char* key, const nlohmann::json& value) {
  nlohmann::json object = problem();
  object[key] = value;
  return fields_of_cutlass(object);
}

}  // namespace

TEST_CASE("A column-major D is the row-major D of the transposed GEMM") {
  CHECK(fields_of_cutlass(problem()) == Fields{{"m", "1024"},
                                               {"n", "512"},
                                               {"k", "64"},
                                               {"dtype", "fp16"},
                                               {"layout", "tn"},
                                               {"batch", "1"}});
  CHECK(with("batch_count", 8).at("batch") == "8");
  // CUTLASS's A, [m,k] by columns, is tilecast's B as [k,n].
  CHECK(with("layout", "nnn").at("layout") == "nn");
  CHECK(with("layout", "nnn").at("m") == "1024");
  CHECK(with("layout", "tnt").at("m") == "512");
  CHECK(with("layout", "tnt").at("layout") == "tn");
  CHECK(with("layout", "ttt").at("layout") == "nn");
  CHECK(with("layout", "ntn").at("layout") == "nt");
  CHECK(with("layout", "ttn").at("layout") == "tt");
  CHECK(with("layout", "ttn").at("m") == "1024");
  CHECK(with("layout", "ntt").at("layout") == "nt");
  CHECK(with("layout", "nnt").at("layout") == "tt");  // A, [k,m], and B, [n,k], by rows
  CHECK(with("dtype_c", "void").at("dtype") == "fp16");
  CHECK(with("dtype_c", nullptr) == fields_of_cutlass(problem()));
  CHECK(with("dtype_a", "F16") == fields_of_cutlass(problem()));
  CHECK(with("name", "layer 3") == fields_of_cutlass(problem()));
  CHECK(with("alignment_a", 8) == fields_of_cutlass(problem()));
  CHECK(with("alpha", 1.0) == fields_of_cutlass(problem()));
}

TEST_CASE("Unsupported fields are refused by key") {
  const auto message = [](const char* key, const nlohmann::json& value) {
    return ERROR_MESSAGE(with(key, value));
  };
  CHECK(message("batch_count", "two") == "2 batch_count: expected an integer");
  CHECK(message("beta", 1.0) == "2 beta: expected 0, got 1.0");
  CHECK(message("alpha", 2.0) == "2 alpha: expected 1, got 2.0");
  CHECK(message("alignment_b", 4) ==
        "2 alignment_b: expected at least 8 elements, the alignment that every kernel requires, "
        "got 4");
  CHECK(message("dtype_a", nullptr) == "2 dtype_a: expected a string");
  CHECK(message("dtype_a", "e4m3") == "2 dtype_a: expected f16 or bf16, got e4m3");
  CHECK(message("dtype_d", "f32") == "2 dtype_d: expected f16, the type of dtype_a, got f32");
  CHECK(message("dtype_acc", "f16") == "2 dtype_acc: expected f32, got f16");
  CHECK(message("layout", "tnx").starts_with("2 layout: expected t or n for each"));
  CHECK(message("layout", "tn").starts_with("2 layout: expected t or n for each"));
  CHECK(message("m", "512") == "2 m: expected an integer");
  CHECK(message("betta", 0).starts_with("2 betta: unknown"));
  CHECK(message("operation", "conv2d") == "2 operation: expected gemm, got conv2d");
}
