#include "cli/cutlass_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/integers.h"
#include "model/base/refuse.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// use_fast_acc has no effect with 16-bit operands, and name is ignored.
constexpr const char* kCutlassKeys[] = {
    "m",           "n",           "k",       "batch_count", "layout", "dtype_a",   "dtype_b",
    "dtype_c",     "dtype_acc",   "dtype_d", "alpha",       "beta",   "operation", "use_fast_acc",
    "alignment_a", "alignment_b", "name"};

/// Returns null if the field is missing or JSON's null.
const nlohmann::json* find_field(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const nlohmann::json& object, const char* key, const char* otherwise) {
  const nlohmann::json* const found = find_field(object, key);
  if (found == nullptr && otherwise != nullptr) {
    return otherwise;
  }
  refuse_if(found == nullptr || !found->is_string(), "{}: expected a string", key);
  return lower_case(found->get<std::string>());
}

void expect(const nlohmann::json& object, const char* key, double wanted) {
  const nlohmann::json* const found = find_field(object, key);
  if (found != nullptr && (!found->is_number() || found->get<double>() != wanted)) {
    throw ConfigError(fmt::format("{}: expected {:g}, got {}", key, wanted, found->dump()));
  }
}

std::string side(const nlohmann::json& object, const char* key) {
  const nlohmann::json* const found = find_field(object, key);
  refuse_if(found == nullptr || !found->is_number_integer(), "{}: expected an integer", key);
  return found->dump();
}

}  // namespace

Fields fields_of_cutlass(const nlohmann::json& object) {
  const std::vector<std::string> known(std::begin(kCutlassKeys), std::end(kCutlassKeys));
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      throw ConfigError(fmt::format("{}: unknown{}", key, did_you_mean(key, known)));
    }
  }
  if (const std::string operation = text_of(object, "operation", "gemm"); operation != "gemm") {
    throw ConfigError(fmt::format("operation: expected gemm, got {}", operation));
  }
  expect(object, "beta", 0);
  expect(object, "alpha", 1);
  for (const char* key : {"alignment_a", "alignment_b"}) {
    const nlohmann::json* const found = find_field(object, key);
    if (found != nullptr &&
        (!found->is_number_integer() || found->get<i64>() < kCutlassAlignment)) {
      throw ConfigError(fmt::format(
          "{}: expected at least {} elements, the alignment that every kernel requires, got {}",
          key, kCutlassAlignment, found->dump()));
    }
  }
  const std::string type = text_of(object, "dtype_a", nullptr);
  refuse_if(type != "f16" && type != "bf16", "dtype_a: expected f16 or bf16, got {}", type);
  for (const char* key : {"dtype_b", "dtype_c", "dtype_d"}) {
    const std::string other = text_of(object, key, type.c_str());
    refuse_if(other != type && (other != "void" || std::string_view(key) != "dtype_c"),
              "{}: expected {}, the type of dtype_a, got {}", key, type, other);
  }
  if (const std::string sums = text_of(object, "dtype_acc", "f32"); sums != "f32") {
    throw ConfigError(fmt::format("dtype_acc: expected f32, got {}", sums));
  }
  const std::string layout = text_of(object, "layout", nullptr);
  std::string m = side(object, "m"), n = side(object, "n");
  refuse_if(layout.size() != 3 || layout.find_first_not_of("tn") != layout.npos,
            "layout: expected t or n for each of A, B and D, such as tnn, got {}", layout);
  // A column-major D needs no change, because tilecast computes its transpose. For a row-major D,
  // swap A and B and transpose each.
  std::string ours = layout.substr(0, 2);
  if (layout[2] == 'n') {
    std::swap(m, n);
  } else {
    const auto transposed = [](char one) { return one == 't' ? 'n' : 't'; };
    ours = {transposed(layout[1]), transposed(layout[0])};
  }
  Fields fields = {{"m", m},
                   {"n", n},
                   {"k", side(object, "k")},
                   {"dtype", type == "f16" ? "fp16" : "bf16"},
                   {"layout", ours}};
  if (object.contains("batch_count")) {
    fields["batch"] = side(object, "batch_count");
  }
  return fields;
}

}  // namespace tilecast
