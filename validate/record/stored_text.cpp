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
constexpr int kGzipOnly = 16;  // added to the window bits: a gzip header is expected
constexpr std::size_t kChunk = 1 << 16;

struct DeflateEnd {
  void operator()(z_stream* stream) const { deflateEnd(stream); }
};

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

/// A few bytes can stand for any number.
void append_unpacked(std::string& text, std::string_view more, std::string_view name) {
  if (text.size() + more.size() > kMostUnpacked) {
    throw ConfigError(
        fmt::format("{}: unpacks to more than {} MiB", name, kMostUnpacked / (1 << 20)));
  }
  text.append(more);
}

/// One gzip member after the other, as gzip itself reads them.
std::string gunzip(const std::string& packed, const std::string& name) {
  std::string text;
  const auto damaged = [&](std::string_view what) {
    return ConfigError(fmt::format("{}:{}: the compressed data {}", name,
                                   1 + std::count(text.begin(), text.end(), '\n'), what));
  };
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) {
    throw FileError(name + ": cannot read: zlib did not start");
  }
  const std::unique_ptr<z_stream, InflateEnd> owner(&stream);
  if (packed.size() > std::numeric_limits<uInt>::max()) {
    throw FileError(name + ": cannot read: compressed data above 4 GiB");
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::array<char, kChunk> chunk;
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = kChunk;
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw damaged("is damaged");
    }
    append_unpacked(text, {chunk.data(), kChunk - stream.avail_out}, name);
    if (result == Z_STREAM_END) {
      if (stream.avail_in == 0) {
        return text;
      }
      inflateReset(&stream);
    } else if (stream.avail_in == 0 && stream.avail_out != 0) {
      throw damaged("ends early: the file was cut off");
    }
  }
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
  const auto damaged = [&] {
    return ConfigError(fmt::format("{}: no whole compressed data at byte {}", name, at));
  };
  if (at >= packed.size() || packed.size() - at > std::numeric_limits<uInt>::max()) {
    throw damaged();
  }
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) {
    throw FileError(fmt::format("{}: cannot read: zlib did not start", name));
  }
  const std::unique_ptr<z_stream, InflateEnd> owner(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + at));
  stream.avail_in = static_cast<uInt>(packed.size() - at);
  GzipMember member{};
  std::array<char, kChunk> chunk;
  for (int result = Z_OK; result != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = kChunk;
    result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) {  // Z_BUF_ERROR: the data ends early
      throw damaged();
    }
    append_unpacked(member.text, {chunk.data(), kChunk - stream.avail_out}, name);
  }
  member.packed_bytes = stream.total_in;
  return member;
}

}  // namespace tilecast
