#include "validate/record/stored_text.h"

#include <zlib.h>

#include "model/base/error.h"
#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

std::string gzipped(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = (folder / "packed").string();
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_file(path);
}

std::string message_of(const std::filesystem::path& path) {
  return ERROR_TEXT(read_stored_text(path));
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    text += "line " + std::to_string(i * 7919 % 20011) + "\n";
  }
  return text;
}

TEST_CASE("A byte-order mark is not part of the text, compressed or not") {
  const TemporaryFolder folder;
  const std::string text = "\xef\xbb\xbfgpu,date\n";
  write_file(folder / "plain", text);
  write_file(folder / "packed", gzipped(folder, text));
  CHECK(read_stored_text(folder / "plain") == "gpu,date\n");
  CHECK(read_stored_text(folder / "packed") == "gpu,date\n");
}

TEST_CASE("Compressed data that expands beyond the limit is an error") {
  const TemporaryFolder folder;
  const std::string member = gzipped(folder, std::string(std::size_t{1} << 24, 'a'));  // 16 KiB
  std::string packed;
  for (int i = 0; i < 16; ++i) {  // 2^28 bytes
    packed += member;
  }
  write_file(folder / "most", packed);
  CHECK(read_stored_text(folder / "most").size() == std::size_t{1} << 28);
  write_file(folder / "bomb", packed + gzipped(folder, "a"));
  CHECK(message_of(folder / "bomb") ==
        (folder / "bomb").string() + ": decompresses to more than 256 MiB");
}

TEST_CASE("Plain and gzip files give the same text") {
  const TemporaryFolder folder;
  const std::string text = long_text();
  write_file(folder / "a.csv", text);
  write_file(folder / "a.csv.gz", gzipped(folder, text));
  CHECK(read_stored_text(folder / "a.csv") == text);
  CHECK(read_stored_text(folder / "a.csv.gz") == text);
}

TEST_CASE("Concatenated gzip files are both read") {
  const TemporaryFolder folder;
  write_file(folder / "a.gz", gzipped(folder, "one\n") + gzipped(folder, "two\n"));
  CHECK(read_stored_text(folder / "a.gz") == "one\ntwo\n");
}

TEST_CASE("A gzip file truncated anywhere is an error that names the line it ends in") {
  const TemporaryFolder folder;
  const std::string packed = gzipped(folder, long_text());
  for (const std::size_t cut :
       {std::size_t{2}, std::size_t{11}, packed.size() / 2, packed.size() - 8, packed.size() - 1}) {
    write_file(folder / "a.gz", packed.substr(0, cut));
    CHECK(message_of(folder / "a.gz")
              .ends_with("the compressed data ends early: the file was cut off"));
  }
  // The last 8 bytes are checksum and length, so all 20,000 lines were decompressed before the
  // truncation.
  CHECK(contains(message_of(folder / "a.gz"), "a.gz:20001: "));
}

TEST_CASE("A damaged gzip file is an error") {
  const TemporaryFolder folder;
  std::string packed = gzipped(folder, long_text());
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  write_file(folder / "a.gz", packed);
  CHECK(message_of(folder / "a.gz").ends_with("the compressed data is damaged"));
}

TEST_CASE("Zstd data is an error that suggests decompressing") {
  const TemporaryFolder folder;
  write_file(folder / "a.csv.zst", "\x28\xb5\x2f\xfd rest");
  CHECK(contains(message_of(folder / "a.csv.zst"), "zstd -d"));
}

TEST_CASE("A missing file is a file error") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_stored_text(folder / "none.csv"), FileError);
}

}  // namespace
}  // namespace tilecast
