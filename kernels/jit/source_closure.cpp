#include "kernels/jit/source_closure.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

const EmbeddedSource* find_source(std::string_view path, std::span<const EmbeddedSource> sources) {
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [&](const EmbeddedSource& s) { return s.path == path; });
  return found == sources.end() ? nullptr : &*found;
}

}  // namespace

std::string_view included_path(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) {
    return {};
  }
  line.remove_prefix(1);
  skip_blanks();
  constexpr std::string_view kInclude = "include";
  if (!line.starts_with(kInclude)) {
    return {};
  }
  line.remove_prefix(kInclude.size());
  skip_blanks();
  if (!line.starts_with('"')) {
    return {};
  }
  line.remove_prefix(1);
  return line.substr(0, line.find('"'));
}

std::vector<EmbeddedSource> source_closure(std::string_view path,
                                           std::span<const EmbeddedSource> sources) {
  const EmbeddedSource* root = find_source(path, sources);
  if (root == nullptr) {
    throw Error(ExitCode::kWrong, fmt::format("{}: no such kernel source", path));
  }
  std::vector<EmbeddedSource> closure{*root};
  for (std::size_t i = 0; i < closure.size(); ++i) {
    const EmbeddedSource including = closure[i];
    for (const std::string_view line : split(including.text, '\n')) {
      const std::string_view wanted = included_path(line);
      if (wanted.empty() || find_source(wanted, closure) != nullptr) {
        continue;
      }
      const EmbeddedSource* found = find_source(wanted, sources);
      if (found == nullptr) {
        throw Error(ExitCode::kWrong, fmt::format("{}: includes {}, which is not a kernel source",
                                                  including.path, wanted));
      }
      closure.push_back(*found);
    }
  }
  return closure;
}

}  // namespace tilecast
