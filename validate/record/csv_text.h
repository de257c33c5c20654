// RFC 4180: fields between commas, quoted where they hold a comma, a quote or a line end.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/integers.h"

namespace tilecast {

struct CsvRecord {
  i64 line = 0;  // where it starts, from 1
  std::vector<std::string> fields;
};

struct CsvText {
  std::vector<CsvRecord> records;  // lines with nothing on them are left out
  bool truncated = false;          // the text ends inside a record; that record is left out
  i64 truncated_line = 0;
  bool ended = true;            // the last record has its line end
  std::size_t ended_bytes = 0;  // length of the text up to the last line end of a record
};

/// Splits `text`; line ends are LF or CRLF. A last record without one counts if it has as many
/// fields as the first, and is truncated if not. Throws ConfigError `name:line: ...` for a quote in
/// the wrong place.
CsvText parse_csv(std::string_view text, std::string_view name);

/// Throws ConfigError `name:line: ...` where the text ends inside a record or has no header.
void require_whole(const CsvText& csv, std::string_view name);
/// The same where a record has more or fewer fields than the header.
void require_fields(const CsvRecord& record, const CsvRecord& header, std::string_view name);

/// A record below a header, read by the names of its columns.
class CsvRow {
 public:
  CsvRow(std::shared_ptr<const CsvRecord> header, std::string_view name, CsvRecord record)
      : header_(std::move(header)), name_(name), record_(std::move(record)) {}

  std::string where() const { return fmt::format("{}:{}", name_, record_.line); }
  /// Throws ConfigError `name:1: column: ...` where there is no such column.
  const std::string& text(std::string_view column) const;
  /// `parse` of the text; its ConfigError gets `name:line: column: ` in front.
  template <class Parse>
  auto get(std::string_view column, const Parse& parse) const {
    const std::string& field = text(column);
    try {
      return parse(std::string_view(field));
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}: {}", where(), column, error.what()));
    }
  }

 private:
  std::shared_ptr<const CsvRecord> header_;
  std::string name_;
  CsvRecord record_;
};

/// Rows of a CSV that begins with a header. Throws ConfigError `name:line: ...` where there is
/// none, where a row has fewer or more fields, and where the text ends inside one.
std::vector<CsvRow> csv_rows(std::string_view text, std::string_view name);

/// The field as it stands in a file.
std::string csv_field(std::string_view value);

/// Fields and LF.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace tilecast
