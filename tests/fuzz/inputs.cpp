#include "tests/fuzz/inputs.h"

#include <unistd.h>
#include <wordexp.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shell_text.h"
#include "model/ops/any_op.h"
#include "model/spec/learned_model.h"
#include "model/spec/load_gpu.h"
#include "model/spec/strict_map.h"
#include "reports/html_text.h"
#include "reports/manifest.h"
#include "reports/template.h"
#include "validate/plan/suite.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

/// Writes the bytes to a file of this name, in a folder private to this process.
class ScratchFile {
 public:
  ScratchFile(std::string_view name, std::string_view bytes)
      : folder_(std::filesystem::temp_directory_path() /
                ("tilecast-fuzz-" + std::to_string(::getpid()))),
        path_(folder_ / name) {
    write_file(path_, bytes);
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path folder_, path_;
};

/// Requires success or a one-line error; the program must escape unprintable bytes.
template <class Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    TILECAST_ASSERT(!message.empty());
    TILECAST_ASSERT(message.find('\n') == std::string_view::npos);
  }
}

void read_configuration(std::string_view bytes) {
  read_or_refuse([&] {
    const AnyConfig config = parse_config(bytes);
    TILECAST_ASSERT(to_text(config) == bytes);
    TILECAST_ASSERT(parse_config(to_text(config)) == config);
  });
}

void read_gpu_file(std::string_view bytes) {
  const ScratchFile file("fuzzed.yaml", bytes);
  read_or_refuse([&] { (void)load_gpu(file.path().string(), false); });
}

/// Fails if text between tags or in attributes contains < > or quotes.
void write_html(std::string_view bytes) {
  constexpr std::string_view kMarkup = "<>\"'";
  TILECAST_ASSERT(html_escaped(bytes).find_first_of(kMarkup) == std::string::npos);
  const std::string json = json_in_html(nlohmann::ordered_json(bytes));
  TILECAST_ASSERT(json.find('<') == std::string::npos);
  TILECAST_ASSERT(nlohmann::ordered_json::parse(json).is_string());
  const std::string html = fill_template("{{text}}", {{"text", bytes}}, html_escaped);
  TILECAST_ASSERT(html.find_first_of(kMarkup) == std::string::npos);
}

/// wordexp parses like a shell, without starting one.
void write_shell(std::string_view bytes) {
  read_or_refuse([&] {
    const std::string word = shell_word(bytes);
    wordexp_t read{};
    TILECAST_ASSERT(::wordexp(word.c_str(), &read, WRDE_NOCMD | WRDE_UNDEF) == 0);
    TILECAST_ASSERT(read.we_wordc == 1 && read.we_wordv[0] == bytes);
    ::wordfree(&read);
  });
  read_or_refuse([&] {
    for (const std::string& text : {sbatch_value(bytes), sbatch_option(bytes)}) {
      TILECAST_ASSERT(text.find('\n') == std::string::npos);
    }
  });
}

void read_learned(std::string_view bytes) {
  const ScratchFile file("h200_sxm.learned.yaml", bytes);
  read_or_refuse([&] { (void)load_learned(file.path(), "h200_sxm"); });
}

void read_suite(std::string_view bytes) {
  read_or_refuse([&] { (void)parse_suite(parse_yaml(bytes, "fuzzed.yaml")); });
}

void read_manifest(std::string_view bytes) {
  read_or_refuse([&] { (void)parse_manifest(parse_yaml(bytes, "fuzzed.yaml")); });
}

void read_measurements_text(std::string_view bytes) {
  for (const TruncatedLine truncated : {TruncatedLine::kError, TruncatedLine::kDrop}) {
    read_or_refuse([&] { (void)parse_measurements(bytes, "fuzzed.csv", truncated); });
  }
}

void read_measurements_gz(std::string_view bytes) {
  const ScratchFile file("fuzzed.csv.gz", bytes);
  read_or_refuse([&] { (void)read_measurements(file.path()); });
}

constexpr FuzzInput kInputs[] = {{"configuration", read_configuration},
                                 {"gpu_file", read_gpu_file},
                                 {"html", write_html},
                                 {"learned", read_learned},
                                 {"manifest", read_manifest},
                                 {"measurements", read_measurements_text},
                                 {"measurements_gz", read_measurements_gz},
                                 {"shell", write_shell},
                                 {"suite", read_suite}};

}  // namespace

std::span<const FuzzInput> fuzz_inputs() { return kInputs; }

}  // namespace tilecast
