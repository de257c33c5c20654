#include "kernels/emit/wgmma_text.h"

#include <fmt/format.h>

#include "kernels/emit/source_lines.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Formats items separated by commas, in lines that begin with `margin` and end with `end`.
std::string list_of(int count, const std::string& margin, const std::string& end,
                    const auto& item) {
  std::string text, line = margin;
  for (int i = 0; i < count; ++i) {
    const std::string next = item(i) + (i + 1 < count ? "," : "");
    if (line.size() + 1 + next.size() + end.size() > kColumns) {
      text += line + end + "\n";
      line = margin;
    }
    line += (line == margin ? "" : " ") + next;
  }
  return text + line;
}

}  // namespace

std::string wgmma_text(int n, const std::string& type, bool a_in_registers) {
  const bool narrow = type.ends_with("E4m3") || type.ends_with("E5m2");
  const std::string name = lower_case(type.substr(type.rfind('k') + 1));
  const std::string element = name == "fp16" ? "f16" : name;
  const int sums = n / 2, b = sums + (a_in_registers ? 4 : 1);
  const std::string a =
      a_in_registers ? fmt::format("{{%{}, %{}, %{}, %{}}}", sums, sums + 1, sums + 2, sums + 3)
                     : fmt::format("%{}", sums);
  const std::string transposed = narrow           ? ""
                                 : a_in_registers ? fmt::format(", %{}", b + 2)
                                                  : fmt::format(", %{}, %{}", b + 2, b + 3);
  return fmt::format(
      "  asm volatile(\n"
      "      \"{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{}, 0;\\n\"\n"
      "      \"wgmma.mma_async.sync.aligned.m64n{}k{}.f32.{}.{} {{\"\n"
      "{}\"\n"
      "      \"}}, {}, %{}, p, 1, 1{};\\n}}\"\n"
      "      : {}\n"
      "      : {}\"l\"(desc_b), \"r\"(scale_d){}, \"n\"(kOfB));",
      b + 1, n, narrow ? 32 : 16, element, element,
      list_of(sums, "      \"", "\"", [](int i) { return fmt::format("%{}", i); }), a, b,
      transposed,
      list_of(sums, "        ", "", [](int i) { return fmt::format("\"+f\"(d[{}])", i); })
          .substr(8),
      a_in_registers ? "\"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), " : "\"l\"(desc_a), ",
      a_in_registers ? "" : ", \"n\"(kOfA)");
}

}  // namespace tilecast
