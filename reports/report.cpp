#include "reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/base/error.h"

namespace tilecast {

std::size_t DataTable::column(const std::string& key) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.key == key; });
  TILECAST_ASSERT(found != columns.end());
  return static_cast<std::size_t>(found - columns.begin());
}

const DataTable* Report::table(const std::string& id) const {
  for (const Section& section : sections) {
    for (const DataTable& table : section.tables) {
      if (table.id == id) {
        return &table;
      }
    }
  }
  return nullptr;
}

const Section* Report::section(const std::string& id) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& section) { return section.id == id; });
  return found == sections.end() ? nullptr : &*found;
}

std::string number_text(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) {
    return value == 0 ? "0" : "";
  }
  // The exponent after rounding: 999.96 with four digits is 1000.
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const char* const sign = scientific.data() + scientific.find('e') + 1;
  int exponent = 0;
  std::from_chars(*sign == '+' ? sign + 1 : sign, scientific.data() + scientific.size(), exponent);
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    text.erase(text.find_last_not_of('.') + 1);
  }
  return text;
}

std::string cell_text(const Cell& cell, const Column& column) {
  if (const double* number = std::get_if<double>(&cell)) {
    return number_text(*number, column.digits);
  }
  const std::string* word = std::get_if<std::string>(&cell);
  return word != nullptr ? *word : "";
}

Cell maybe(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

}  // namespace tilecast
