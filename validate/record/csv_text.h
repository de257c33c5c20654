// CSV by RFC 4180: comma-separated fields, quoted if they contain a comma, a quote or a line end.
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
  i64 line = 0;  // number of its first line, from 1
  std::vector<std::string> fields;
};

struct CsvText {
  std::vector<CsvRecord> records;  // without empty lines
  bool truncated = false;          // the text ends inside a record, which is dropped
  i64 truncated_line = 0;
  bool ended = true;            // the last record has a line end
  std::size_t ended_bytes = 0;  // length of the text up to the last record's line end
};

/// Parses `text`; line ends are LF or CRLF. A last record without a line end counts if it has as
/// many fields as the first one; otherwise it is truncated. Throws ConfigError `name:line: ...` for
/// a misplaced quote.
CsvText parse_csv(std::string_view text, std::string_view name);

/// Throws ConfigError `name:line: ...` if the text ends inside a record or has no header.
void require_whole(const CsvText& csv, std::string_view name);
/// Throws ConfigError `name:line: ...` if a record has more or fewer fields than the header.
void require_fields(const CsvRecord& record, const CsvRecord& header, std::string_view name);

/// A record accessed by the column names of the header.
class CsvRow {
 public:
  CsvRow(std::shared_ptr<const CsvRecord> header, std::string_view name, CsvRecord record)
      : header_(std::move(header)), name_(name), record_(std::move(record)) {}

  std::string where() const { return fmt::format("{}:{}", name_, record_.line); }
  bool has(std::string_view column) const;
  /// Throws ConfigError `name:1: column: ...` if there is no such column.
  const std::string& text(std::string_view column) const;
  /// Applies `parse` to the text; its ConfigError is prefixed with `name:line: column: `.
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

/// Parses a CSV with a header. Throws ConfigError `name:line: ...` if the header is missing, a row
/// has more or fewer fields, or the text ends inside a row.
std::vector<CsvRow> csv_rows(std::string_view text, std::string_view name);

/// Returns the field, quoted if necessary.
std::string csv_field(std::string_view value);

/// Joins the fields, and adds a line end.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace tilecast
