// Defines what an op provides to `emit`: a kernel, and the host code around it. An op that can be
// emitted has a row in emit.cpp, an emitted_program(), and two sources of the host code:
//   kernels/emit/<host>_buffers.cuh: `buffers`, allocate_shared(), allocate_set() (one of the
//     sets that are launched in turn) and clear_result();
//   kernels/emit/<host>_check.cuh: compare(), a kernel that fills Findings from the result
//     and a reference, and is_right().
#pragma once

#include <string>
#include <string_view>

#include "kernels/emit/used_source.h"
#include "kernels/jit/compile.h"
#include "kernels/launch/tensor_map_sides.h"
#include "model/attention/attention_config.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct EmittedProgram {
  std::string title;  // the problem in a sentence
  KernelSource kernel;
  std::string entry, arguments;  // entry point of the kernel, and the type of its arguments
  std::string host;              // prefix of the host sources, see above
  std::string buffers;           // type of its device memory in these sources
  std::string problem;           // constants of the problem
  std::string launch_args;  // statements that set the members of `args` that depend on no buffer,
  std::string workers;      // number of clusters launched
  std::string bound_args;   // and those that depend on `buffers`
  std::string workers_comment = "";
  i32 shared_bytes, cluster_size;  // shared memory of a CTA; CTAs per cluster
  i32 tensor_memory_columns = 0;   // tensor memory columns of a CTA
  double work;                     // work of a launch, in `work_unit`
  std::string work_unit;           // FLOP or B
  double checked = 0;              // multiply-adds of the full reference,
  double most_checked = 0;         // of which at most this many are computed
  double set_bytes;                // bytes of a launch's buffers
  SourceUse use;                   // how the program uses the sources, without roots
};

/// Returns the file name without its suffix.
std::string emitted_name(const GemmProblem& problem);
std::string emitted_name(const AttentionProblem& problem);

/// Builds the program. Throws ConfigError if no kernel of the schedule supports the problem.
EmittedProgram emitted_program(const GemmProblem& problem, const KernelConfig& config);
EmittedProgram emitted_program(const AttentionProblem& problem, const AttentionConfig& config);

/// Collects constants of a program, one per line.
class ConstantsText {
 public:
  void add(std::string_view type, std::string_view name, std::string_view value,
           std::string_view meaning = "");
  void add(std::string_view type, std::string_view name, i64 value, std::string_view meaning = "");
  void flag(std::string_view name, bool value, std::string_view meaning = "");
  void alias(std::string_view name, std::string_view type);
  void line(std::string_view text);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Collects assignments to members of `args`, one per line.
class AssignmentsText {
 public:
  void add(std::string_view member, std::string_view value);
  void add(std::string_view member, i64 value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Formats a call of tensor_map() in device.cuh. `buffer`: a member of `buffers`.
std::string tensor_map_text(std::string_view buffer, ElementType dtype,
                            const TensorMapSides& sides);

/// Formats "FastDivisor::of(3)", or "{}" if there is none.
std::string divisor_text(const FastDivisor& divisor);

}  // namespace tilecast
