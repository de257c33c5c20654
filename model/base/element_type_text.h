// Converts element types from and to words. Checked by: kernel_config_text_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/element_type.h"

namespace tilecast {

std::string_view to_text(ElementType type);
/// Throws a ConfigError that lists the known words.
ElementType parse_element_type(std::string_view text);
/// Returns the other accepted words: float16, half, f16.
std::vector<std::string> other_words(ElementType type);
std::optional<ElementType> element_type_named(std::string_view text);

}  // namespace tilecast
