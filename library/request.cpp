#include "library/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "library/caller_struct.h"
#include "library/installed_configs.h"
#include "library/status.h"

namespace tilecast {
namespace {

constexpr std::size_t kFirstOptionsSize = 56;
static_assert(sizeof(tilecast_options) >= kFirstOptionsSize);

constexpr i32 kMostThreads = 1024;

static_assert(traits_of(ElementType::kFp16).in_c == TILECAST_FP16 &&
              traits_of(ElementType::kBf16).in_c == TILECAST_BF16 &&
              traits_of(ElementType::kE4m3).in_c == TILECAST_E4M3 &&
              traits_of(ElementType::kE5m2).in_c == TILECAST_E5M2 &&
              traits_of(ElementType::kFp32).in_c == TILECAST_FP32);

/// Reads an environment variable that must be 0 or 1; false if unset.
bool asked_by_environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || std::string_view(value) == "0") {
    return false;
  }
  refuse_if<InvalidArgument>(std::string_view(value) != "1", "{} is '{}': expected 0 or 1", name,
                             value);
  return true;
}

/// Returns std::nullopt for null; throws for an empty string.
std::optional<std::string> text(const char* name, const char* given) {
  if (given == nullptr) {
    return {};
  }
  refuse_if<InvalidArgument>(*given == '\0', "{} is empty: expected a value, or NULL", name);
  return bounded(name, given);
}

}  // namespace

i64 count_of(const char* name, i64 value, i64 most) {
  refuse_if<InvalidArgument>(value < 1 || value > most, "{} is {}: expected 1 to {}", name, value,
                             most);
  return value;
}

ElementType element_type(const char* name, i32 type, bool of_c) {
  i32 most = 0;
  for (i32 i = 0; i < kElementTypes; ++i) {
    const ElementType element = static_cast<ElementType>(i);
    if (of_c || element != ElementType::kFp32) {
      if (traits_of(element).in_c == type) {
        return element;
      }
      most = std::max(most, traits_of(element).in_c);
    }
  }
  throw InvalidArgument(
      fmt::format("{} is {}: expected a tilecast_type, 1 to {}", name, type, most));
}

bool asked(const char* name, i32 flag) {
  refuse_if<InvalidArgument>(flag != 0 && flag != 1, "{} is {}: expected 0 or 1", name, flag);
  return flag == 1;
}

std::string bounded(const char* name, const char* given) {
  constexpr std::size_t kLongest = 4095;
  const std::size_t length = ::strnlen(given, kLongest + 1);
  refuse_if<InvalidArgument>(length > kLongest, "{} is longer than {} bytes", name, kLongest);
  return {given, length};
}

Request read_options(const tilecast_options* options) {
  const tilecast_options o = options == nullptr
                                 ? tilecast_options TILECAST_OPTIONS_INIT
                                 : checked_struct(options, kFirstOptionsSize, "options");
  Request request{};
  request.gpu = text("options.gpu", o.gpu);
  request.config = text("options.config", o.config);
  const std::optional<std::string> folder = text("options.config_dir", o.config_dir);
  request.config_folder = folder ? std::filesystem::path(*folder) : installed_configs();
  if (o.cache_dir != nullptr) {
    request.cache_folder = bounded("options.cache_dir", o.cache_dir);
  }
  request.regime = numbered({Regime::kBurst, Regime::kSustained}, "regime", o.regime,
                            "TILECAST_BURST or TILECAST_SUSTAINED");
  refuse_if<InvalidArgument>(o.threads < 0 || o.threads > kMostThreads,
                             "options.threads is {}: expected 0 to {}", o.threads, kMostThreads);
  request.threads = static_cast<unsigned>(o.threads);
  refuse_if<InvalidArgument>(o.reserved != 0, "options.reserved is {}: expected 0", o.reserved);
  request.use_calibration = !asked("options.no_calibration", o.no_calibration);
  request.programmatic = asked("options.programmatic", o.programmatic);
  const bool by_option = asked("options.check_groups", o.check_groups);
  request.check_groups = asked_by_environment("TILECAST_CHECK_GROUPS") || by_option;
  return request;
}

Tuning read_tuning(const tilecast_tuning* tuning, const Request& request) {
  constexpr i32 kUsualCandidates = 8, kMostCandidates = 64;
  const tilecast_tuning t = checked_struct(tuning, sizeof(tilecast_tuning), "tuning");
  refuse_if<InvalidArgument>(t.file == nullptr || *t.file == '\0',
                             "tuning.file is empty: expected a path for the results");
  refuse_if<InvalidArgument>(t.candidates < 0 || t.candidates > kMostCandidates,
                             "tuning.candidates is {}: expected 0 to {}", t.candidates,
                             kMostCandidates);
  refuse_if<InvalidArgument>(t.again != 0 && t.again != 1, "tuning.again is {}: expected 0 or 1",
                             t.again);
  refuse_if<InvalidArgument>(request.config.has_value(),
                             "options.config is given, but tuning chooses one");
  return {bounded("tuning.file", t.file),
          static_cast<std::size_t>(t.candidates == 0 ? kUsualCandidates : t.candidates),
          t.again == 1};
}

}  // namespace tilecast
