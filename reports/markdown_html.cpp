#include "reports/markdown_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/base/text.h"
#include "reports/html_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kBlank = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_table_rule(std::string_view line) {
  return line.starts_with('|') && line.find("--") != std::string_view::npos &&
         line.find_first_not_of("|-: ") == std::string_view::npos;
}

/// Of "- text", "* text" or "1. text": the length of what stands before the text; else 0.
std::size_t list_mark(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ")) {
    return 2;
  }
  const std::size_t digits = line.find_first_not_of("0123456789");
  const bool numbered =
      digits != std::string_view::npos && digits > 0 && line.substr(digits).starts_with(". ");
  return numbered ? digits + 2 : 0;
}

/// Splits at bars that stand outside code.
std::vector<std::string> table_cells(std::string_view line) {
  std::vector<std::string> cells{""};
  bool in_code = false;
  for (const char c : trimmed(line).substr(1)) {
    in_code = c == '`' ? !in_code : in_code;
    if (c == '|' && !in_code) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  cells.pop_back();  // behind the last bar
  return cells;
}

/// The blocks of a document, one line after the other.
class Renderer {
 public:
  Renderer(std::string_view markdown, int top) : lines_(split(markdown, '\n')), top_(top) {}

  std::string render() {
    while (at_ < lines_.size()) {
      block();
    }
    return std::move(html_);
  }

 private:
  std::string_view line() const { return lines_[at_]; }

  void block() {
    const std::string_view text = trimmed(line());
    if (text.empty() || text.starts_with("<!--")) {
      ++at_;
    } else if (text.starts_with("```")) {
      code();
    } else if (text.starts_with('#')) {
      heading(text);
    } else if (text.starts_with('|') && at_ + 1 < lines_.size() &&
               is_table_rule(trimmed(lines_[at_ + 1]))) {
      table();
    } else if (list_mark(text) > 0) {
      list(indent_of(line()));
    } else {
      html_ += "<p>" + inline_html(paragraph()) + "</p>\n";
    }
  }

  void code() {
    html_ += "<pre><code>";
    for (++at_; at_ < lines_.size() && !trimmed(line()).starts_with("```"); ++at_) {
      html_ += html_escaped(line()) + "\n";
    }
    ++at_;
    html_ += "</code></pre>\n";
  }

  void heading(std::string_view text) {
    const std::size_t depth = text.find_first_not_of('#');
    const int level = std::min(top_ - 1 + static_cast<int>(std::min<std::size_t>(depth, 6)), 6);
    html_ += fmt::format("<h{0}>{1}</h{0}>\n", level,
                         inline_html(trimmed(text.substr(std::min(depth, text.size())))));
    ++at_;
  }

  void table() {
    constexpr std::size_t kRowsInView = 24;  // more of them scroll in their own frame
    std::size_t end = at_ + 2;
    while (end < lines_.size() && trimmed(lines_[end]).starts_with('|')) {
      ++end;
    }
    html_ += fmt::format("<div class=\"table{}\" tabindex=\"0\"><table><thead><tr>",
                         end - at_ - 2 > kRowsInView ? " long" : "");
    for (const std::string& cell : table_cells(line())) {
      html_ += "<th>" + inline_html(trimmed(cell)) + "</th>";
    }
    html_ += "</tr></thead><tbody>\n";
    for (at_ += 2; at_ < end; ++at_) {
      html_ += "<tr>";
      for (const std::string& cell : table_cells(line())) {
        html_ += "<td>" + inline_html(trimmed(cell)) + "</td>";
      }
      html_ += "</tr>\n";
    }
    html_ += "</tbody></table></div>\n";
  }

  void list(std::size_t indent) {
    const bool numbered = trimmed(line()).front() >= '0' && trimmed(line()).front() <= '9';
    html_ += numbered ? "<ol>\n" : "<ul>\n";
    while (at_ < lines_.size() && indent_of(line()) == indent && list_mark(trimmed(line())) > 0) {
      html_ += "<li>" + inline_html(paragraph()) + "</li>\n";
    }
    html_ += numbered ? "</ol>\n" : "</ul>\n";
  }

  /// Lines up to an empty one or another block, without the mark of the first.
  std::string paragraph() {
    const std::string_view first = trimmed(line());
    std::string text(first.substr(list_mark(first)));
    for (++at_; at_ < lines_.size(); ++at_) {
      const std::string_view next = trimmed(line());
      if (next.empty() || next.starts_with("```") || next.starts_with('#') ||
          next.starts_with('|') || list_mark(next) > 0) {
        break;
      }
      text += ' ';
      text += next;
    }
    return text;
  }

  std::vector<std::string_view> lines_;
  int top_;
  std::size_t at_ = 0;
  std::string html_;
};

}  // namespace

std::string inline_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    // `mark` text `mark` as <tag>; false where the mark does not open anything here.
    const auto wrap = [&](std::string_view mark, std::string_view tag, bool nested) {
      if (!text.starts_with(mark)) {
        return false;
      }
      const std::size_t end = text.find(mark, mark.size());
      if (end == std::string_view::npos || end == mark.size() || text[mark.size()] == ' ') {
        return false;
      }
      const std::string_view inner = text.substr(mark.size(), end - mark.size());
      html += fmt::format("<{0}>{1}</{0}>", tag, nested ? inline_html(inner) : html_escaped(inner));
      text.remove_prefix(end + mark.size());
      return true;
    };
    const auto link = [&] {
      const std::size_t middle = text.starts_with('[') ? text.find("](") : std::string_view::npos;
      const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle);
      if (end == std::string_view::npos) {
        return false;
      }
      const std::string_view target = text.substr(middle + 2, end - middle - 2);
      const std::string shown = inline_html(text.substr(1, middle - 1));
      html += target.starts_with("https://")
                  ? fmt::format("<a href=\"{}\">{}</a>", html_escaped(target), shown)
                  : shown;
      text.remove_prefix(end + 1);
      return true;
    };
    if (wrap("`", "code", false) || wrap("**", "strong", true) || wrap("*", "em", true) || link()) {
      continue;
    }
    html += html_escaped(text.substr(0, 1));
    text.remove_prefix(1);
  }
  return html;
}

std::string markdown_html(std::string_view markdown, int top) {
  return Renderer(markdown, top).render();
}

}  // namespace tilecast
