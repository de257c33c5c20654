#include "tests/structure/documents.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "model/base/text.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

struct Line {
  std::string text;
  int number;
  bool is_code;  // in a fenced block
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::vector<Line> lines_of(std::string_view markdown) {
  std::vector<Line> lines;
  bool is_code = false;
  int number = 0;
  for (const std::string_view text : split(markdown, '\n')) {
    ++number;
    if (trimmed(text).starts_with("```")) {
      is_code = !is_code;
    } else {
      lines.push_back({std::string(text), number, is_code});
    }
  }
  return lines;
}

std::string place_of(const std::string& path, const Line& line) {
  return path + ":" + std::to_string(line.number);
}

/// Removes text between back quotes.
std::string without_code(const std::string& text) {
  return std::regex_replace(text, std::regex("`[^`]*`"), "");
}

/// Words that a shell would see up to the next command; a quoted text is one word.
std::vector<std::string> shell_words(const std::string& text) {
  std::vector<std::string> words;
  const std::regex word(R"('[^']*'|"[^"]*"|\S+)");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
    if (at->str() == "|" || at->str() == "#" || at->str() == "&" || at->str() == "&&") {
      break;
    }
    words.push_back(at->str());
  }
  return words;
}

void add_command(std::vector<ShownCommand>& commands, const std::string& place,
                 const std::string& text) {
  const std::vector<std::string> words = shell_words(text);
  if (words.size() < 2 ||
      !std::regex_match(words[0], std::regex(R"((\./)?tilecast(-gpu|-data)?)"))) {
    return;
  }
  ShownCommand command{place, words[0], words[1], {}};
  for (const std::string& word : words) {
    if (word.starts_with("--")) {
      const std::string option = word.substr(0, word.find('='));
      command.options.push_back(option.substr(0, option.find_first_of(".,;)]")));
    }
  }
  commands.push_back(std::move(command));
}

}  // namespace

std::vector<fs::path> markdown_files(const fs::path& root) {
  std::vector<fs::path> files;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::end(at); ++at) {
    const std::string name = at->path().filename().string();
    if (at->is_directory() && (name.starts_with('.') || name == "build")) {
      at.disable_recursion_pending();
    } else if (at->path().extension() == ".md") {
      files.push_back(at->path().lexically_normal());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Link> links_in(const std::string& path, std::string_view markdown) {
  std::vector<Link> links;
  const std::regex link(R"(\]\(([^)\s]+)\))");
  for (const Line& line : lines_of(markdown)) {
    const std::string text = line.is_code ? "" : without_code(line.text);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1].str();
      if (!target.starts_with("http://") && !target.starts_with("https://")) {
        links.push_back({place_of(path, line), target});
      }
    }
  }
  return links;
}

std::vector<Link> checks_in(const std::string& path, std::string_view source) {
  static const std::regex file(R"([\w./-]+\.(?:cpp|h|cuh|cu|sh|py)\b)");
  constexpr std::string_view kBegin = "Checked by";
  std::vector<Link> checks;
  bool inside = false;
  int number = 0;
  for (const std::string_view line : split(source, '\n')) {
    ++number;
    const std::size_t begin = line.find(kBegin);
    const bool is_comment = trimmed(line).starts_with("//") && trimmed(line).size() > 3;
    inside = is_comment && (inside || begin != std::string_view::npos);
    if (!inside) {
      continue;
    }
    const std::string text(line.substr(begin == std::string_view::npos ? 0 : begin));
    for (std::sregex_iterator at(text.begin(), text.end(), file), end; at != end; ++at) {
      checks.push_back({path + ":" + std::to_string(number), at->str()});
    }
  }
  return checks;
}

std::vector<Link> keys_in(const std::string& path, std::string_view markdown,
                          const std::set<std::string>& sections) {
  static const std::regex quoted("`[^`]*`"), key(R"(([\w./-]+)\.([a-z]\w*)(?![\w./(-]))");
  std::vector<Link> keys;
  for (const Line& line : lines_of(markdown)) {
    for (std::sregex_iterator at(line.text.begin(), line.text.end(), quoted), end; at != end;
         ++at) {
      const std::string text = at->str();
      for (std::sregex_iterator one(text.begin(), text.end(), key); one != end; ++one) {
        if (sections.contains((*one)[1])) {
          keys.push_back({place_of(path, line), one->str()});
        }
      }
    }
  }
  return keys;
}

std::set<std::string> anchors_in(std::string_view markdown) {
  std::set<std::string> anchors;
  for (const Line& line : lines_of(markdown)) {
    const std::size_t level = line.text.find_first_not_of('#');
    if (line.is_code || level == 0 || level == std::string::npos || line.text[level] != ' ') {
      continue;
    }
    std::string anchor;
    for (const char c : trimmed(std::string_view(line.text).substr(level))) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (c == ' ') {
        anchor += '-';
      }
    }
    anchors.insert(anchor);
  }
  return anchors;
}

std::vector<ShownCommand> commands_in(const std::string& path, std::string_view markdown) {
  std::vector<ShownCommand> commands;
  const std::regex quoted("`((\\./)?tilecast[^`]*)`");
  for (const Line& line : lines_of(markdown)) {
    if (line.is_code) {
      add_command(commands, place_of(path, line), line.text);
      continue;
    }
    for (std::sregex_iterator at(line.text.begin(), line.text.end(), quoted), end; at != end;
         ++at) {
      add_command(commands, place_of(path, line), (*at)[1].str());
    }
  }
  return commands;
}

}  // namespace tilecast
