#include "validate/record/csv_text.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tilecast {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  CsvText parse() {
    while (at_ < text_.size()) {
      CsvRecord record{.line = line_, .fields = {}};
      if (!parse_record(record)) {
        result_.torn = true;
        result_.torn_line = record.line;
        break;
      }
      if (record.fields.size() > 1 || !record.fields.front().empty()) {
        result_.records.push_back(std::move(record));
      }
      result_.whole_bytes = at_;
    }
    return std::move(result_);
  }

 private:
  /// False where the text ends before the record does.
  bool parse_record(CsvRecord& record) {
    for (;;) {
      std::string field;
      if (!(peek() == '"' ? parse_quoted(field) : parse_plain(field))) {
        return false;
      }
      record.fields.push_back(std::move(field));
      if (at_ == text_.size()) {
        return false;
      }
      if (take_line_end()) {
        return true;
      }
      ++at_;  // the comma
    }
  }

  bool parse_plain(std::string& field) {
    while (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) {
      if (text_[at_] == '"') {
        fail("a quote inside a field that does not start with one");
      }
      field += text_[at_++];
    }
    return at_ < text_.size();
  }

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
      if (text_[at_] == '\r' && at_ + 1 == text_.size()) {
        return false;
      }
      fail("expected a comma or the end of the line after a closing quote");
    }
    return at_ < text_.size();
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool at_line_end() const {
    return text_[at_] == '\n' || text_.substr(at_, 2) == std::string_view("\r\n");
  }

  bool take_line_end() {
    if (!at_line_end()) {
      return false;
    }
    at_ += text_[at_] == '\r' ? 2 : 1;
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
