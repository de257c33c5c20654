#include "model/base/shell_text.h"

#include <cstdio>
#include <random>
#include <vector>

#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

std::vector<std::string> random_words(std::string_view among, std::size_t count) {
  std::mt19937_64 random(daily_seed("words for a shell"));
  std::vector<std::string> words(count);
  for (std::string& word : words) {
    for (std::size_t left = random() % 12; left > 0; --left) {
      word +=
          among.empty() ? static_cast<char>(1 + random() % 255) : among[random() % among.size()];
    }
  }
  return words;
}

/// Returns the output of the shell's printf for these words, each followed by a NUL byte.
std::string printed_by(const std::string& shell, const std::vector<std::string>& words) {
  std::string line = "printf '%s\\0'";
  for (const std::string& word : words) {
    line += " " + shell_word(word);
  }
  // The command line is itself one word for the shell that popen starts.
  FILE* const pipe = ::popen((shell + " -c " + shell_word(line)).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string printed;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    printed += static_cast<char>(c);
  }
  REQUIRE(::pclose(pipe) == 0);
  return printed;
}

/// Parses the first word after #SBATCH as sbatch does: quotes group, a backslash escapes the next
/// character even inside quotes, and # starts a comment.
std::string read_by_sbatch(const std::string& line) {
  std::string word;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size() && (quote != '\0' || line[i] != ' '); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      word += line[++i];
    } else if (quote != '\0' && line[i] == quote) {
      quote = '\0';
    } else if (quote == '\0' && (line[i] == '"' || line[i] == '\'')) {
      quote = line[i];
    } else if (quote == '\0' && line[i] == '#') {
      break;
    } else {
      word += line[i];
    }
  }
  return word;
}

}  // namespace

TEST_CASE("A shell reads back a quoted word of any bytes") {
  std::vector<std::string> words = random_words("", 500);
  for (const std::string& word : random_words("'\"\\$`!*?~#&;|<>(){}[]=% \n\t\ra-", 500)) {
    words.push_back(word);
  }
  std::string expected;
  for (const std::string& word : words) {
    expected += word + '\0';
  }
  CHECK(printed_by("sh", words) == expected);
  CHECK(printed_by("bash", words) == expected);
}

TEST_CASE("Plain words are not quoted") {
  CHECK(shell_word("a/b.csv.gz") == "a/b.csv.gz");
  CHECK(shell_word("a b") == "'a b'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("=ls") == "'=ls'");  // zsh: the path of ls
  CHECK(ERROR_MESSAGE(shell_word(std::string_view("a\0b", 3))) ==
        "2 'a\\x00b': a shell word cannot contain a NUL byte");
}

TEST_CASE("sbatch reads back a quoted value, and a value that it cannot read is an error") {
  for (const std::string& word : random_words("'\"\\$`!*?~#&;|<>(){}[]=% \n\t\ra-", 500)) {
    std::string value;
    const std::string refused = ERROR_MESSAGE(value = sbatch_value(word));
    const bool has_bad = word.find_first_of("\\\n\t\r") != std::string::npos;
    CHECK(refused.empty() == !has_bad);
    if (!has_bad) {
      CHECK(read_by_sbatch("--x=" + value + " --y") == "--x=" + word);
    }
  }
}

TEST_CASE("An sbatch option is a name with an optional quoted value") {
  CHECK(sbatch_option("--exclusive") == "--exclusive");
  CHECK(sbatch_option("--partition=gpu") == "--partition=gpu");
  CHECK(sbatch_option("--comment=two words # \"x\"") == "--comment=\"two words # \\\"x\\\"\"");
  for (const char* const option : {"", "--", "partition", "-p", "--partition gpu", "--=x"}) {
    CHECK(ERROR_MESSAGE(sbatch_option(option)).ends_with("': expected --NAME or --NAME=VALUE"));
  }
  CHECK(ERROR_MESSAGE(sbatch_option("--comment=a\nrm -rf x")) ==
        "2 'a\\nrm -rf x': an #SBATCH line cannot contain control characters or backslashes");
}
