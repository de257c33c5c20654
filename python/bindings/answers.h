// The Python module's interface to the model. It takes strings and numbers and returns results in
// the program's formats (cli/predict_output.h, cli/explain_output.h), so that both give the same
// result. The package (python/tilecast) makes objects of the JSON. Independent of Python, and
// thread-safe. Checked by: python/tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/gemm/triton/triton_time.h"

namespace tilecast::python {

struct ProblemTexts {
  std::string op, shape, dtype;
  // Fields by name (model/op/problem_field.h).
  std::map<std::string, std::string, std::less<>> fields;
};

/// Conditions and method of a prediction.
struct Conditions {
  std::string regime, inputs;
  std::optional<std::string> method;  // if not set, the default of the op
};

struct GpuChoice {
  std::string gpu;  // a name in `configs`/gpus, or a path
  bool calibrated;
  std::filesystem::path configs;
};

struct Search {
  std::vector<std::string> schedules;
  std::size_t top;
  std::optional<std::size_t> simulate;
  unsigned threads;
  std::vector<std::string> configs;  // restricts the search to these; one may match several
  std::string objective;
};

/// A result in two forms: `json` for programs, `table` for readers.
struct Answer {
  std::string json, table;
};

/// `table` has the rows of the ranking, `by_tile` the best of each schedule and tile.
struct RankingAnswer {
  std::string json, table, by_tile;
};

struct GpuLine {
  std::string name, product, architecture;
  int sms;
  std::string why_not;  // why no schedule runs on it; empty if one does
};

/// GPU files are read once per process. All functions throw ConfigError or FileError.
std::vector<GpuLine> gpus(const std::filesystem::path& configs);
RankingAnswer predict(const GpuChoice& choice, const ProblemTexts& problem,
                      const Conditions& conditions, const Search& search);
/// Returns one JSON per problem, in order; {"error": ...} for a problem that cannot be predicted.
std::vector<std::string> predict_many(const GpuChoice& choice,
                                      const std::vector<ProblemTexts>& problems,
                                      const Conditions& conditions, const Search& search);
/// Returns compare's JSON for GEMMs, in the form of predict_many's.
std::vector<std::string> compare_many(const GpuChoice& choice,
                                      const std::vector<ProblemTexts>& problems,
                                      const Conditions& conditions, unsigned threads);
/// Returns numbers of the GPU's file by key, in SI units and cycles.
std::map<std::string, double> constants(const GpuChoice& choice);
Answer explain(const GpuChoice& choice, const ProblemTexts& problem, const Conditions& conditions,
               const std::vector<std::string>& configs, bool best, unsigned threads);

/// Returns seconds of each configuration on each problem, infinite if it cannot run; by default up
/// to kMostAlone pairs are simulated if they are GEMMs. Throws ConfigError for a problem without
/// kernels, and for a configuration of another op.
std::vector<std::vector<double>> config_times(const GpuChoice& choice,
                                              const std::vector<ProblemTexts>& problems,
                                              const Conditions& conditions,
                                              const std::vector<std::string>& configs,
                                              unsigned threads);

/// A kernel of another family, timed as the equivalent kernel of tilecast.
struct FamilyTime {
  double seconds = 0, cycles = 0, sm_clock_hz = 0;
  std::string config;  // the equivalent kernel; empty if none can run
};

/// Predicts each kernel by the first of its configurations that can run, with the given method and
/// without the learned correction. `cycles` are added to numbers of the GPU's section `machine`, by
/// name: numbers that depend on a kernel's code (listed in answers.cpp).
std::vector<FamilyTime> family_times(const GpuChoice& choice, const ProblemTexts& problem,
                                     const Conditions& conditions,
                                     const std::vector<std::vector<std::string>>& kernels,
                                     const std::map<std::string, double>& cycles, unsigned threads);

/// Limits of an SM, from the GPU file.
struct SmLimits {
  int threads, registers;
  double shared_bytes, cta_shared_bytes;
  bool wgmma;
};
SmLimits sm_limits(const GpuChoice& choice);

/// Returns analytic times of Triton's kernels, and their lower bounds (triton_time.h).
std::vector<TritonTime> triton_times(const GpuChoice& choice, const ProblemTexts& problem,
                                     const Conditions& conditions,
                                     const std::vector<TritonKernel>& kernels,
                                     const std::map<std::string, double>& costs, unsigned threads);

}  // namespace tilecast::python
