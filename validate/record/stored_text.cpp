#include "validate/record/stored_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

/// Decompresses all members in sequence, as gzip does.
std::string gunzip(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  refuse_if<FileError>(file == nullptr, "{}: cannot read", path);
  std::string text;
  std::array<char, std::size_t{1} << 16> chunk;
  int read;
  while ((read = gzread(file.get(), chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(read));
    if (text.size() > kMostUnpacked) {  // a few bytes can expand to any length
      throw ConfigError(
          fmt::format("{}: decompresses to more than {} MiB", path, kMostUnpacked / (1 << 20)));
    }
  }
  int result = Z_OK;
  gzerror(file.get(), &result);
  if (result != Z_OK) {
    throw ConfigError(fmt::format(
        "{}:{}: the compressed data {}", path, 1 + std::count(text.begin(), text.end(), '\n'),
        result == Z_BUF_ERROR ? "ends early: the file was cut off" : "is damaged"));
  }
  return text;
}

}  // namespace

std::string read_stored_text(const std::filesystem::path& path) {
  std::string text = read_file(path);
  if (text.starts_with(kZstdMagic)) {
    throw ConfigError(path.string() +
                      ": zstd data: this build reads plain and .gz; run zstd -d on it first");
  }
  if (text.starts_with(kGzipMagic)) {
    text = gunzip(path.string());
  }
  refuse_nul(text, path.string());
  return std::string(without_bom(text));
}

}  // namespace tilecast
