#include "validate/record/stored_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/integers.h"
#include "model/base/shown_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr int kGzipOnly = 16;  // added to the window bits: expect a gzip header
constexpr std::size_t kChunk = 1 << 16;

struct DeflateEnd {
  void operator()(z_stream* stream) const { deflateEnd(stream); }
};

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

/// Limits the size, since a few bytes can expand to any length.
void append_unpacked(std::string& text, std::string_view more, std::string_view name) {
  if (text.size() + more.size() > kMostUnpacked) {
    throw ConfigError(
        fmt::format("{}: decompresses to more than {} MiB", name, kMostUnpacked / (1 << 20)));
  }
  text.append(more);
}

struct Inflated {
  std::size_t packed_bytes;
  int result;  // Z_STREAM_END; Z_BUF_ERROR if the data ends early; any other value: damaged
};

/// Appends the first gzip member of `packed` to `text`.
Inflated inflate_member(std::string_view packed, std::string& text, std::string_view name) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) {
    throw FileError(fmt::format("{}: cannot read: zlib did not start", name));
  }
  const std::unique_ptr<z_stream, InflateEnd> owner(&stream);
  if (packed.size() > std::numeric_limits<uInt>::max()) {
    throw FileError(fmt::format("{}: cannot read: compressed data above 4 GiB", name));
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::array<char, kChunk> chunk;
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = kChunk;
    result = inflate(&stream, Z_NO_FLUSH);
    append_unpacked(text, {chunk.data(), kChunk - stream.avail_out}, name);
  }
  return {stream.total_in, result};
}

/// Decompresses all members in sequence, as gzip does.
std::string gunzip(std::string_view packed, const std::string& name) {
  std::string text;
  while (!packed.empty()) {
    const auto [bytes, result] = inflate_member(packed, text, name);
    if (result != Z_STREAM_END) {
      throw ConfigError(fmt::format(
          "{}:{}: the compressed data {}", name, 1 + std::count(text.begin(), text.end(), '\n'),
          result == Z_BUF_ERROR ? "ends early: the file was cut off" : "is damaged"));
    }
    packed.remove_prefix(bytes);
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
    text = gunzip(text, path.string());
  }
  refuse_nul(text, path.string());
  return std::string(without_bom(text));
}

std::string gzip_member(std::string_view text) {
  constexpr int kMemoryLevel = 8;  // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipOnly, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw FileError("cannot compress: zlib did not start");
  }
  const std::unique_ptr<z_stream, DeflateEnd> owner(&stream);
  TILECAST_ASSERT(text.size() <= std::numeric_limits<uInt>::max());
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  TILECAST_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  return packed;
}

GzipMember gunzip_member(std::string_view packed, std::size_t at, std::string_view name) {
  GzipMember member{};
  const auto [bytes, result] =
      inflate_member(packed.substr(std::min(at, packed.size())), member.text, name);
  if (result != Z_STREAM_END) {
    throw ConfigError(fmt::format("{}: incomplete compressed data at byte {}", name, at));
  }
  member.packed_bytes = bytes;
  return member;
}

}  // namespace tilecast
