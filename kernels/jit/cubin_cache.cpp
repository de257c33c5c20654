#include "kernels/jit/cubin_cache.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "kernels/jit/source_closure.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/text.h"
#include "model/base/trusted_path.h"

namespace tilecast {
namespace {

// Format of an entry: kMagic, the digest of the rest and a line feed; then key, log and cubin, each
// as its decimal length, a line feed and its bytes.
constexpr std::string_view kMagic = "tilecast cubin 2\n";
constexpr std::size_t kDigestLength = 16;

std::string entry_text(std::string_view key, const CompiledKernel& kernel) {
  std::string body;
  for (const std::string_view part :
       {key, std::string_view(kernel.log), std::string_view(kernel.cubin)}) {
    body += fmt::format("{}\n", part.size());
    body += part;
  }
  return fmt::format("{}{}\n{}", kMagic, hash_text(body), body);
}

/// Splits one length-prefixed part off `text`.
std::optional<std::string_view> take_part(std::string_view& text) {
  const std::size_t line_end = text.find('\n');
  const auto length = parse_integer(text.substr(0, line_end));
  if (line_end == std::string_view::npos || !length.has_value() || *length < 0 ||
      static_cast<std::size_t>(*length) > text.size() - line_end - 1) {
    return {};
  }
  const std::string_view part = text.substr(line_end + 1, static_cast<std::size_t>(*length));
  text.remove_prefix(line_end + 1 + part.size());
  return part;
}

/// Parses an entry; returns std::nullopt if it is damaged or has another key.
std::optional<CompiledKernel> parse_entry(std::string_view text, std::string_view key) {
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + kDigestLength + 1) {
    return {};
  }
  text.remove_prefix(kMagic.size());
  const std::string_view digest = text.substr(0, kDigestLength);
  text.remove_prefix(kDigestLength + 1);
  if (hash_text(text) != digest) {
    return {};
  }
  const auto stored_key = take_part(text);
  const auto log = take_part(text);
  const auto cubin = take_part(text);
  if (!cubin.has_value() || stored_key != key) {
    return {};
  }
  CompiledKernel kernel{};
  kernel.cubin = *cubin;
  kernel.log = *log;
  kernel.report = parse_ptxas_log(kernel.log);
  kernel.rejection = rejection(kernel.report);
  return kernel;
}

void print_warning(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::filesystem::path default_cache_folder() {
  if (const std::string own = environment("TILECAST_CACHE_DIR"); !own.empty()) {
    return own;
  }
  // The XDG specification requires that a relative path be ignored.
  if (const std::filesystem::path xdg = environment("XDG_CACHE_HOME"); xdg.is_absolute()) {
    return xdg / "tilecast";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return std::filesystem::path(home) / ".cache" / "tilecast";
  }
  return {};
}

CubinCache::CubinCache(std::filesystem::path folder, std::span<const EmbeddedSource> sources,
                       Warn warn)
    : folder_(std::move(folder)),
      sources_(sources),
      warn_(warn ? std::move(warn) : print_warning) {}

std::string CubinCache::key_text(const KernelSource& source) const {
  std::string key = fmt::format("nvrtc {}\n", nvrtc_version());
  for (const std::string& option : compile_options(source)) {
    key += fmt::format("option {}\n", option);
  }
  key += source.text;
  for (const EmbeddedSource& file : source_closure(source.path, sources_)) {
    key += fmt::format("source {} {}\n", file.path, hash_text(file.text));
  }
  return key;
}

std::filesystem::path CubinCache::path_of(const std::string& key) const {
  return folder_ / (hash_text(key) + ".cubin");
}

std::filesystem::path CubinCache::entry_path(const KernelSource& source) const {
  return path_of(key_text(source));
}

CompiledKernel CubinCache::get(KernelSource source) {
  if (!architecture_.empty()) {
    source.architecture = architecture_;
  }
  if (folder_.empty()) {
    ++misses_;
    return compile_kernel(source, sources_);
  }
  const std::string key = key_text(source);
  const std::filesystem::path path = path_of(key);
  const std::string why_not = why_not_trusted(folder_, {.sticky = true});
  // An entry that is not trusted, or damaged, counts as missing.
  if (const auto entry = why_not.empty() ? read_trusted_file(path) : std::nullopt) {
    if (auto kernel = parse_entry(*entry, key)) {
      ++hits_;
      return *std::move(kernel);
    }
  }
  ++misses_;
  CompiledKernel kernel = compile_kernel(source, sources_);
  if (why_not.empty()) {
    store(path, entry_text(key, kernel));
  } else {
    warn_not_kept(why_not);
  }
  return kernel;
}

void CubinCache::store(const std::filesystem::path& path, const std::string& entry) {
  try {
    write_private_file(path, entry);
  } catch (const FileError& error) {
    warn_not_kept(error.what());
  }
}

void CubinCache::warn_not_kept(const std::string& why) {
  std::call_once(warned_, [&] {
    warn_(fmt::format("tilecast: warning: compiled kernels are not cached: {}", why));
  });
}

}  // namespace tilecast
