// Hardware counters of GEMM kernels, as a profiler run leaves them: a CSV with the columns m, n, k,
// dtype, layout, config and one for each metric, whose name holds `__`. They come from runs of
// their own, so there is no time or clock in them to compare.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/tile/gemm_problem.h"

namespace tilecast {

class CounterFile {
 public:
  /// Plain, or .gz. Throws FileError where it cannot be read and ConfigError
  /// `file:line: column: what was expected` where it is not such a CSV or a kernel stands twice.
  static CounterFile read(const std::filesystem::path& path);
  static CounterFile parse(std::string_view text, std::string_view name);

  /// `config`: canonical text. Nothing where the kernel or the metric was not collected.
  std::optional<double> value(const GemmProblem& problem, std::string_view config,
                              std::string_view metric) const;

 private:
  std::map<std::string, std::map<std::string, double, std::less<>>, std::less<>> rows_;
};

}  // namespace tilecast
