// The interface of an operation to the benchmark harness. Any point is measured in these steps:
//
//   LabOp::prepare       inputs in every buffer set and the reference, once per problem and inputs
//   LabOp::contender     one configuration's kernel, or a baseline, loaded and bound to the inputs
//   Contender::check     one launch into poisoned memory, compared with the reference
//   Contender::identify  does the kernel match its configuration?
//   Contender::time      launches over the buffer sets
//
// An operation's harness is a folder validate/measure/NAME and a row of lab_ops.cpp, the only file
// that names it. stream/ is the small example.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "model/ops/any_op.h"
#include "validate/measure/output_check.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/buffer_sets.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/measure/timing/regime_timer.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// The GPU and the instruments that all operations share.
struct LabDevice {
  const Device& device;
  Bytes l2;
  CubinCache& cache;
  const MicroKernels& kernels;
  ActivityTimer& activity;
  RegimeTimer& timer;
  const Stream& stream;
};

/// Times the launches of a workload in the row's regime, collects the requested counters, and fills
/// in the row.
using Timing = std::function<void(Measurement& row, Workload& workload)>;

class Contender {
 public:
  virtual ~Contender() = default;

  /// Checks one launch.
  virtual Verdict check() = 0;
  /// Fills in the figures that the device reports for the checked kernel. If the row must not be
  /// timed, its status becomes another one than ok, with a reason.
  virtual void identify(Measurement& /*row*/) {}
  /// Returns the launches to time; their arguments live as long as the contender.
  virtual Workload workload() = 0;
  /// Fills in the row's time and, for a baseline, its algorithm as the reason.
  virtual void time(Measurement& row, const Timing& timing) {
    Workload launches = workload();
    timing(row, launches);
  }
};

class LabOp {
 public:
  virtual ~LabOp() = default;

  /// Remembers a row that was measured earlier; later rows may repeat it under another name.
  virtual void remember(const Measurement& /*row*/) {}
  /// Prepares inputs and reference. Called again only for another problem or other inputs.
  virtual void prepare(const AnyProblem& problem, Inputs inputs) = 0;
  virtual const BufferSets& sets() const = 0;
  /// Creates the contender for the problem that was prepared last. `config`: canonical, or a
  /// baseline. Fills in the row's registers, shared memory and CTAs. Throws ConfigError if it
  /// cannot run.
  virtual std::unique_ptr<Contender> contender(const std::string& config, Measurement& row) = 0;
};

struct LabRow {
  std::unique_ptr<LabOp> (*open)(const LabDevice& device);
  /// Sources of the kernels, other than MicroKernels, that inputs and checks need.
  std::vector<KernelSource> (*check_sources)();
  /// Sources of the kernels that a configuration launches. Throws ConfigError.
  std::vector<KernelSource> (*kernel_sources)(const AnyProblem& problem, const AnyConfig& config);
};

/// Returns one row for each alternative of AnyProblem, in the same order.
std::span<const LabRow> lab_ops();
inline const LabRow& lab_op(const AnyProblem& problem) { return lab_ops()[problem.index()]; }

}  // namespace tilecast
