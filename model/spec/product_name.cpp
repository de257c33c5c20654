#include "model/spec/product_name.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

#include "model/base/integers.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Splits at spaces and hyphens.
std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  for (const std::string_view part : split(name, ' ')) {
    std::ranges::copy(split(part, '-'), std::back_inserter(words));
  }
  return words;
}

/// Returns the number before "GB"; 0 if there is none.
i32 stated_gigabytes(std::string_view name) {
  const std::size_t unit = name.find("GB");
  std::string_view before = name.substr(0, unit == name.npos ? 0 : unit);
  before.remove_suffix(before.ends_with(' ') ? 1 : 0);
  const std::size_t digits = before.find_last_not_of("0123456789") + 1;
  i32 gigabytes = 0;
  std::from_chars(before.data() + digits, before.data() + before.size(), gigabytes);
  return gigabytes;
}

}  // namespace

bool is_product(std::string_view device, std::string_view product) {
  const auto of_device = words_of(device), of_product = words_of(product);
  const std::string_view model = of_device[of_device.size() > 1 ? 1 : 0];
  const i32 memory = stated_gigabytes(device);
  return std::ranges::find(of_product, model) != of_product.end() &&
         (memory == 0 || memory == stated_gigabytes(product));
}

}  // namespace tilecast
