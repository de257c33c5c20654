#include "validate/record/csv_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/refuse.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  CsvText parse() {
    while (at_ < text_.size()) {
      CsvRecord record{.line = line_, .fields = {}};
      const End end = parse_record(record);
      const std::vector<CsvRecord>& before = result_.records;
      const bool blank = record.fields.size() == 1 && record.fields.front().empty();
      const bool short_of_fields =
          !blank && !before.empty() && record.fields.size() != before.front().fields.size();
      if (end == End::kInQuotes || (end == End::kOfText && short_of_fields)) {
        result_.truncated = true;
        result_.truncated_line = record.line;
        break;
      }
      if (!blank) {
        result_.records.push_back(std::move(record));
      }
      result_.ended = end == End::kOfLine;
      result_.ended_bytes = result_.ended ? at_ : result_.ended_bytes;
    }
    return std::move(result_);
  }

 private:
  enum class End { kOfLine, kOfText, kInQuotes };

  End parse_record(CsvRecord& record) {
    for (;;) {
      std::string field;
      if (peek() != '"') {
        parse_plain(field);
      } else if (!parse_quoted(field)) {
        return End::kInQuotes;
      }
      record.fields.push_back(std::move(field));
      const bool at_end = take_line_end();
      if (at_ == text_.size() && (!at_end || text_.back() != '\n')) {
        return End::kOfText;
      }
      if (at_end) {
        return End::kOfLine;
      }
      ++at_;  // skips the comma
    }
  }

  void parse_plain(std::string& field) {
    while (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) {
      if (text_[at_] == '"') {
        fail("a quote inside a field that does not start with one");
      }
      field += text_[at_++];
    }
  }

  /// Returns false if the text ends inside the quotes.
  bool parse_quoted(std::string& field) {
    ++at_;
    for (;;) {
      if (at_ == text_.size()) {
        return false;
      }
      const char c = text_[at_++];
      if (c != '"') {
        line_ += c == '\n' ? 1 : 0;
        field += c;
      } else if (peek() == '"') {
        field += '"';
        ++at_;
      } else {
        break;
      }
    }
    if (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) {
      fail("expected a comma or the end of the line after a closing quote");
    }
    return true;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// Whether a line ends here: LF, CRLF, or CR at the end of a truncated text.
  bool at_line_end() const {
    const std::string_view left = text_.substr(at_);
    return left.starts_with('\n') || left.starts_with("\r\n") || left == "\r";
  }

  bool take_line_end() {
    if (at_ == text_.size() || !at_line_end()) {
      return false;
    }
    at_ = std::min(text_.size(), at_ + (text_[at_] == '\r' ? 2 : 1));
    ++line_;
    return true;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw ConfigError(fmt::format("{}:{}: {}", name_, line_, what));
  }

  std::string_view text_, name_;
  std::size_t at_ = 0;
  i64 line_ = 1;
  CsvText result_;
};

}  // namespace

CsvText parse_csv(std::string_view text, std::string_view name) {
  return CsvParser(text, name).parse();
}

void require_whole(const CsvText& csv, std::string_view name) {
  refuse_if(csv.truncated, "{}:{}: the file ends inside this line: it was cut off", name,
            csv.truncated_line);
  refuse_if(csv.records.empty(), "{}:1: expected a header line with the names of the columns",
            name);
}

void require_fields(const CsvRecord& record, const CsvRecord& header, std::string_view name) {
  refuse_if(record.fields.size() != header.fields.size(),
            "{}:{}: expected {} fields as in the header, got {}", name, record.line,
            header.fields.size(), record.fields.size());
}

bool CsvRow::has(std::string_view column) const {
  return std::ranges::find(header_->fields, column) != header_->fields.end();
}

const std::string& CsvRow::text(std::string_view column) const {
  const auto found = std::ranges::find(header_->fields, column);
  if (found == header_->fields.end()) {
    throw ConfigError(fmt::format("{}:{}: {}: column missing from the header{}", name_,
                                  header_->line, column, did_you_mean(column, header_->fields)));
  }
  return record_.fields[static_cast<std::size_t>(found - header_->fields.begin())];
}

std::vector<CsvRow> csv_rows(std::string_view text, std::string_view name) {
  CsvText csv = parse_csv(text, name);
  require_whole(csv, name);
  const auto header = std::make_shared<const CsvRecord>(csv.records.front());
  std::vector<CsvRow> rows;
  for (auto record = csv.records.begin() + 1; record != csv.records.end(); ++record) {
    require_fields(*record, *header, name);
    rows.emplace_back(header, name, std::move(*record));
  }
  return rows;
}

std::string csv_field(std::string_view value) {
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(value);
  }
  std::string quoted = "\"";
  for (const char c : value) {
    quoted += c;
    if (c == '"') {
      quoted += '"';
    }
  }
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    line += (i == 0 ? "" : ",") + csv_field(fields[i]);
  }
  return line + '\n';
}

}  // namespace tilecast
