#include "kernels/emit/emitted_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilecast {

void ConstantsText::add(std::string_view type, std::string_view name, std::string_view value,
                        std::string_view meaning) {
  line(fmt::format("constexpr {} {} = {};{}{}", type, name, value, meaning.empty() ? "" : "  // ",
                   meaning));
}
void ConstantsText::add(std::string_view type, std::string_view name, i64 value,
                        std::string_view meaning) {
  add(type, name, fmt::format("{}", value), meaning);
}
void ConstantsText::flag(std::string_view name, bool value, std::string_view meaning) {
  add("bool", name, value ? "true" : "false", meaning);
}
void ConstantsText::alias(std::string_view name, std::string_view type) {
  line(fmt::format("using {} = {};", name, type));
}
void ConstantsText::line(std::string_view text) { text_ += fmt::format("{}\n", text); }

void AssignmentsText::add(std::string_view member, std::string_view value) {
  text_ += fmt::format("  args.{} = {};\n", member, value);
}
void AssignmentsText::add(std::string_view member, i64 value) {
  add(member, fmt::format("{}", value));
}

std::string tensor_map_text(std::string_view buffer, ElementType dtype,
                            const TensorMapSides& sides) {
  const auto list = [](const auto* values, u32 count) {
    return fmt::format("{{{}}}", fmt::join(values, values + count, ", "));
  };
  const char* const type = dtype == ElementType::kFp32   ? "FLOAT32"
                           : dtype == ElementType::kBf16 ? "BFLOAT16"
                           : dtype == ElementType::kFp16 ? "FLOAT16"
                                                         : "UINT8";
  constexpr std::string_view kMargin = "\n                      ";
  const std::string lists =
      fmt::format("{}, {}, {},", list(sides.lengths, sides.count),
                  list(sides.strides, sides.count - 1), list(sides.box, sides.count));
  return fmt::format(
      "tensor_map(buffers.{}, CU_TENSOR_MAP_DATA_TYPE_{},{}{}{}"
      "CU_TENSOR_MAP_SWIZZLE_{}, CU_TENSOR_MAP_L2_PROMOTION_L2_{})",
      buffer, type, lists.size() > 40 ? kMargin : " ", lists, kMargin,
      sides.swizzle_bytes == 0 ? "NONE" : fmt::format("{}B", sides.swizzle_bytes),
      sides.fetches_pairs_of_lines ? "256B" : "128B");
}

std::string divisor_text(const FastDivisor& divisor) {
  return divisor.divisor == 0 ? "{}" : fmt::format("FastDivisor::of({})", divisor.divisor);
}

}  // namespace tilecast
