// Runs every corpus file through its input, as an ordinary test: replay CORPUS [COUNT]. This keeps
// fuzzer findings fixed on machines without a fuzzer. Each input also gets COUNT mutations of its
// files, which are deterministic; a run by hand with more of them still finds two-line messages.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "model/base/file.h"
#include "tests/fuzz/inputs.h"

namespace {

using namespace tilecast;

constexpr std::array<std::string_view, 10> kTokens{
    "-1", "0", "1e308", "nan", "18446744073709551616", "\xEF\xBB\xBF", "\n", "\"", ": {", ","};

class Mutations {
 public:
  explicit Mutations(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    for (std::size_t times = 1 + below(4); times > 0; --times) {
      change(text);
    }
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, 1 + below(16));
    switch (below(5)) {
      case 0:
        text.replace(at, length > 0 ? 1 : 0, 1, static_cast<char>(below(256)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.replace(at, length, kTokens[below(kTokens.size())]);
        break;
      default: {  // splice with another file
        const std::string& other = corpus_[below(corpus_.size())];
        text.replace(at, std::string::npos, other.substr(std::min(at, other.size())));
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937 random_{1};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("usage: replay CORPUS [COUNT]\n", stderr);
    return 2;
  }
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  for (const FuzzInput& input : fuzz_inputs()) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / input.name)) {
      files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::vector<std::string> corpus;
    for (const std::filesystem::path& file : files) {
      std::printf("%s\n", file.c_str());
      std::fflush(stdout);  // so that a crash names its input
      corpus.push_back(read_file(file));
      input.read(corpus.back());
    }
    if (corpus.empty()) {
      std::fprintf(stderr, "no corpus for %s\n", input.name.data());
      return 1;
    }
    Mutations mutations(corpus);
    for (int i = 0; i < count; ++i) {
      const std::string text = mutations.next();
      write_file("mutation", text);  // kept in the current folder for a crash
      input.read(text);
    }
  }
  return 0;
}
