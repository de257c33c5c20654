// Helpers for tests of grouped kernels: a shared cache, random groups, and C of a launch with any
// group sizes on the device.
#pragma once

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/registry.h"
#include "model/gemm/config/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/whole_numbers.h"

namespace tilecast {

inline constexpr i64 kGuardRows = 128;  // rows after C

inline CubinCache& grouped_cache() {
  static const TemporaryFolder folder;
  static CubinCache cache(folder / "cache");
  return cache;
}

/// Compiles the configurations missing from grouped_cache().
inline void compile_grouped(std::span<const char* const> configs,
                            const std::vector<ProblemKind>& kinds) {
  std::vector<KernelSource> sources;
  for (const char* const text : configs) {
    for (const ProblemKind& kind : kinds) {
      sources.push_back(gemm_source(parse_kernel_config(text), kind));
    }
  }
  compile_ahead(sources, grouped_cache());
}

/// C in fp16 plus kGuardRows after it, for a launch planned for `problem`, with these group sizes
/// on the device.
inline std::vector<unsigned short> run_grouped(const KernelConfig& config,
                                               const GemmProblem& problem,
                                               const std::vector<i32>& numbers,
                                               const std::vector<unsigned short>& a,
                                               const std::vector<unsigned short>& b) {
  const CompiledKernel compiled = compile_gemm(config, ProblemKind::of(problem), grouped_cache());
  REQUIRE(compiled.rejection == "");
  LoadedKernel kernel(compiled.cubin, kGemmEntry);
  const GemmLaunch launch(kernel, problem, config);
  const i64 rows = matrices_of_c(problem) * rows_in_memory(problem) + kGuardRows;
  const auto c_count = static_cast<std::size_t>(rows * problem.shape.n);
  DeviceArray a_device(a.size() * 2), b_device(b.size() * 2), c_device(c_count * 2),
      numbers_device(numbers.size() * sizeof(i32));
  a_device.fill(a);
  b_device.fill(b);
  c_device.fill(std::vector<unsigned short>(c_count, kUnwritten));
  numbers_device.fill(numbers);
  const GemmArgs args = launch.bind({.a = a_device.get(),
                                     .b = b_device.get(),
                                     .c = c_device.get(),
                                     .group_rows = static_cast<const i32*>(numbers_device.get())});
  launch.launch(args, nullptr);
  TILECAST_CUDA(cudaDeviceSynchronize());
  return c_device.read<unsigned short>(c_count);
}

/// Up to nine groups with up to `most_rows` rows each, sometimes up to `most_groups` small ones; at
/// least one group has a row.
inline std::vector<i64> random_rows(std::mt19937& random, std::size_t most_groups, i64 most_rows) {
  constexpr std::size_t kFewGroups = 9;
  constexpr i64 kFewRows = 40;
  const i64 choices[] = {1, 7, 64, most_rows};
  const std::size_t groups = 1 + random() % (random() % 4 == 0 ? most_groups : kFewGroups);
  const auto most = static_cast<unsigned>(groups > kFewGroups ? kFewRows : choices[random() % 4]);
  std::vector<i64> rows(groups);
  std::generate(rows.begin(), rows.end(),
                [&] { return random() % 4 == 0 ? 0 : static_cast<i64>(random() % (most + 1)); });
  rows[random() % groups] += 1;
  return rows;
}

}  // namespace tilecast
