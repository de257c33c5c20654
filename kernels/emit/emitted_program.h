// An op's answer to `emit`: a kernel, and what is written around it. An op that is emitted has a
// row in emit.cpp, an emitted_program(), and two sources of the host side:
//   kernels/emit/<host>_buffers.cuh: DeviceBuffers, allocate_shared(), allocate_set() (one of the
//     sets that are launched in turn) and clear_result();
//   kernels/emit/<host>_check.cuh: Findings, compare(), a kernel that fills them in from the result
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
  std::string entry, arguments;  // the kernel, and the type of its arguments
  std::string host;              // see above
  std::string problem;           // its constants
  std::string launch_args;       // statements that set in `args` what no buffer changes,
  std::string workers;           // how many clusters are launched
  std::string bound_args;        // and those that depend on `buffers`
  std::string workers_comment = "";
  i32 shared_bytes, cluster_size;  // of a CTA; its CTAs
  i32 tensor_memory_columns = 0;   // of a CTA
  double work;                     // of a launch, in `work_unit`
  std::string work_unit;           // FLOP or B
  double checked = 0;              // multiply-adds of the reference,
  double most_checked = 0;         // of which so many are computed
  double set_bytes;                // of a launch's buffers
  SourceUse use;                   // without roots
};

/// The name of the file, without its suffix.
std::string emitted_name(const GemmProblem& problem);
std::string emitted_name(const AttentionProblem& problem);

/// Throws ConfigError where no kernel of the schedule takes the problem.
EmittedProgram emitted_program(const GemmProblem& problem, const KernelConfig& config);
EmittedProgram emitted_program(const AttentionProblem& problem, const AttentionConfig& config);

/// Constants of a program, a line each.
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

/// Assignments to members of `args`, a line each.
class AssignmentsText {
 public:
  void add(std::string_view member, std::string_view value);
  void add(std::string_view member, i64 value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A call of tensor_map() in device.cuh. `buffer`: a member of DeviceBuffers.
std::string tensor_map_text(std::string_view buffer, ElementType dtype,
                            const TensorMapSides& sides);

/// "FastDivisor::of(3)", or {} of none.
std::string divisor_text(const FastDivisor& divisor);

}  // namespace tilecast
