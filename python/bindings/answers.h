// What the Python module asks of the model: texts and numbers in, answers out as the program writes
// them (cli/predict_output.h, cli/explain_output.h), so that both say the same of one question. The
// package (python/tilecast) makes objects of the JSON. Nothing here knows Python, and all of it may
// run on any thread.
// Checked by: python/tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/gemm/triton/triton_time.h"

namespace tilecast::python {

struct Question {
  std::string op, dtype, layout, regime, inputs;
  std::optional<std::string> method;
  std::string epilogue, accumulate;  // empty: nothing asked for
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
  std::optional<std::string> config;  // this one alone
};

/// The same answer for a program (`json`) and for a reader (`table`).
struct Answer {
  std::string json, table;
};

struct GpuLine {
  std::string name, product, architecture;
  int sms;
  std::string why_not;  // no schedule runs there; empty where they do
};

/// GPU files are read once in a process. All throw as what they call: ConfigError, FileError.
std::vector<GpuLine> gpus(const std::filesystem::path& configs);
Answer predict(const GpuChoice& choice, const std::string& shape, const Question& question,
               const Search& search);
/// JSON each, in order; {"error": ...} in the place of a problem that cannot be predicted.
std::vector<std::string> predict_many(const GpuChoice& choice,
                                      const std::vector<std::string>& shapes,
                                      const Question& question, const Search& search);
Answer explain(const GpuChoice& choice, const std::string& shape, const Question& question,
               const std::vector<std::string>& configs, bool best, unsigned threads);

/// Seconds by closed form of each configuration on each problem, infinite where it cannot run.
/// Throws ConfigError for a problem without kernels.
std::vector<std::vector<double>> config_times(const GpuChoice& choice,
                                              const std::vector<std::string>& shapes,
                                              const Question& question,
                                              const std::vector<std::string>& configs,
                                              unsigned threads);

/// A kernel of another family, timed as the one of ours that does the same.
struct FamilyTime {
  double seconds = 0, cycles = 0, sm_clock_hz = 0;
  std::string config;  // the one of ours; empty where none can run
};

/// Of each kernel the first of its configurations that can run, by the method of the question,
/// without anything learned from our own kernels. `cycles` are added to numbers of the GPU's
/// section `machine`, by name: those that the code of a kernel decides, as answers.cpp lists them.
std::vector<FamilyTime> family_times(const GpuChoice& choice, const std::string& shape,
                                     const Question& question,
                                     const std::vector<std::vector<std::string>>& kernels,
                                     const std::map<std::string, double>& cycles, unsigned threads);

/// Limits of an SM, from the GPU's file.
struct SmLimits {
  int threads, registers;
  double shared_bytes, cta_shared_bytes;
};
SmLimits sm_limits(const GpuChoice& choice);

/// Times of Triton's kernels by closed form, and their lower bounds (triton_time.h).
std::vector<TritonTime> triton_times(const GpuChoice& choice, const std::string& shape,
                                     const Question& question,
                                     const std::vector<TritonKernel>& kernels,
                                     const std::map<std::string, double>& costs, unsigned threads);

}  // namespace tilecast::python
