#include "kernels/emit/tidy.h"

#include <set>
#include <vector>

#include "kernels/emit/tokens.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Statements that go on in the next line in one, as long as it may be.
std::string with_joined_lines(const std::string& text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  const auto simple = [](std::string_view line) {
    return line.find("//") == std::string_view::npos && line.find('"') == std::string_view::npos &&
           !line.starts_with('#');
  };
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string joined(lines[i]);
    std::size_t next = i;
    const auto goes_on = [&] {
      static const std::set<char> kEnds = {';', '{', '}', ':', '>'};
      return !joined.empty() && !kEnds.contains(joined.back());
    };
    while (simple(joined) && goes_on() && next + 1 < lines.size() && simple(lines[next + 1])) {
      const std::string_view more = lines[next + 1];
      const std::size_t code = more.find_first_not_of(' ');
      if (code == std::string_view::npos || more[code] == '#') {
        break;
      }
      joined += (joined.ends_with('(') || joined.ends_with('{') ? "" : " ");
      joined += more.substr(code);
      ++next;
    }
    if (next > i && goes_on()) {  // not to its end
      joined = lines[i];
      next = i;
    }
    i = next;
    out += joined + "\n";
  }
  out.pop_back();
  return out;
}

/// Functions of one short statement in one line.
std::string with_short_functions(const std::string& text) {
  constexpr std::size_t kColumns = 100;
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t n = out.size();
    const std::size_t code = line.find_first_not_of(' ');
    if (n > 1 && code != std::string_view::npos && line.substr(code) == "}" &&
        (out[n - 2].ends_with(") {") || out[n - 2].ends_with(") const {")) &&
        out[n - 2].find_first_not_of(' ') == code && out[n - 1].ends_with(';') &&
        out[n - 1].find("//") == std::string::npos && out[n - 2].find("__") != std::string::npos &&
        out[n - 2].size() + out[n - 1].size() - code + 1 <= kColumns) {
      out[n - 2] += out[n - 1].substr(code + 1) + " }";
      out.pop_back();
    } else {
      out.emplace_back(line);
    }
  }
  return join(out, "\n");
}

/// Strings that follow each other as one, which is broken after its commas where it is long.
Tokens with_joined_strings(const Tokens& tokens) {
  constexpr std::size_t kMost = 80;
  Tokens out;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kString || token.text.front() != '"' || out.empty() ||
        out.back().kind != TokenKind::kString || token.starts_line()) {
      out.push_back(token);
      continue;
    }
    std::string text = out.back().text;
    text.pop_back();
    text += token.text.substr(1);
    while (text.size() > kMost) {
      const std::size_t comma = text.rfind(", ", kMost);
      if (comma == std::string::npos) {
        break;
      }
      out.back().text = text.substr(0, comma + 2) + "\"";
      out.push_back({TokenKind::kString, "", " "});
      text = "\"" + text.substr(comma + 2);
    }
    out.back().text = text;
  }
  return out;
}

/// Lines of code of more than 100 columns, broken after commas and between strings.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kColumns = 100;
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.size() <= kColumns || line.find("//") != std::string_view::npos) {
      out += line;
      out += '\n';
      continue;
    }
    const std::string indent(line.find_first_not_of(' ') + 4, ' ');
    const Tokens tokens = with_joined_strings(tokens_of(line));
    std::string now, piece;  // the line, and text that cannot be broken after it
    const auto place = [&] {
      if (!now.empty() && now.size() + piece.size() > kColumns) {
        out += now + "\n";
        now = indent;
        piece.erase(0, piece.find_first_not_of(' '));
      }
      now += piece;
      piece.clear();
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool between =
          i > 0 && tokens[i].kind == TokenKind::kString && tokens[i - 1].kind == TokenKind::kString;
      if (i > 0 && (tokens[i - 1].is(",") || between || tokens[i].is(":") ||
                    tokens[i - 1].is("=") || tokens[i].is("?"))) {
        place();
      }
      piece += tokens[i].before + tokens[i].text;
    }
    place();
    out += now + "\n";
  }
  out.pop_back();
  return out;
}

}  // namespace

std::string tidy(const std::string& text) {
  return with_short_functions(wrapped(with_joined_lines(text)));
}

}  // namespace tilecast
