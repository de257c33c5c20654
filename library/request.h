// The options of a request, and checks of values that the problems of all ops share. Each op adds
// its problem (gemm_request.h, attention_request.h).
#pragma once

#include <tilecast/tilecast.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "library/status.h"
#include "model/base/element_type.h"
#include "model/base/integers.h"
#include "model/base/refuse.h"
#include "model/base/regime.h"

namespace tilecast {

struct Request {
  std::optional<std::string> gpu, config;
  std::filesystem::path config_folder;
  std::optional<std::filesystem::path> cache_folder;  // the default folder if not set
  Regime regime;
  unsigned threads;
  bool use_calibration;
  bool programmatic;  // use programmatic dependent launches
  bool check_groups;  // check them if the problem has groups
};

/// Settings of tilecast_plan_tune.
struct Tuning {
  std::filesystem::path file;
  std::size_t candidates;
  bool again;  // measure even if the file has the problem already
};

/// Throws a StatusError that names the field, like all functions here. `options` may be null.
Request read_options(const tilecast_options* options);
Tuning read_tuning(const tilecast_tuning* tuning, const Request& request);

/// Returns the value that has this number in tilecast.h, where the first one is 0.
template <class Value, std::size_t kCount>
Value numbered(const Value (&values)[kCount], const char* name, i32 number, const char* expected) {
  refuse_if<InvalidArgument>(number < 0 || number >= static_cast<i32>(kCount),
                             "{} is {}: expected {}", name, number, expected);
  return values[number];
}

/// Reads a count from 1 to `most`.
i64 count_of(const char* name, i64 value, i64 most);
/// Reads a 0/1 flag; throws for any other value.
bool asked(const char* name, i32 flag);
/// Reads a tilecast_type. `of_c`: also accepts types that only C can have.
ElementType element_type(const char* name, i32 type, bool of_c = false);
/// Returns the caller's string. Throws if it is longer than a path can be.
std::string bounded(const char* name, const char* given);

}  // namespace tilecast
