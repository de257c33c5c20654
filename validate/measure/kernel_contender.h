// A kernel of tilecast as a contender: compiled and loaded, with its arguments for each buffer set.
#pragma once

#include <vector>

#include "kernels/jit/loaded_kernel.h"
#include "model/base/refuse.h"
#include "validate/measure/lab_op.h"

namespace tilecast {

template <class Launch, class Args>
class KernelContender : public Contender {
 public:
  /// Fills in the row's registers, shared memory and CTAs. Throws ConfigError if the compiler
  /// rejects the kernel.
  KernelContender(const LabDevice& lab, const KernelSource& source, const char* entry,
                  const auto& problem, const auto& config, std::size_t sets, Measurement& row)
      : stream_(lab.stream),
        kernel_(usable(lab.cache.get(source)).cubin, entry),
        launch_(kernel_, problem, config),
        args_(sets) {
    row.registers = kernel_.attributes().numRegs;
    row.shared_memory = Bytes{static_cast<double>(launch_.shape().shared_memory_bytes)};
    row.ctas_per_sm = launch_.resident_ctas_per_sm();
    row.ctas = launch_.shape().ctas;
  }

  Workload workload() override {
    for (std::size_t set = 0; set < args_.size(); ++set) {
      args_[set] = bind(set);
    }
    return {.enqueue =
                [this](std::size_t set) {
                  copy_operands(set);
                  launch_.launch(args_[set], stream());
                },
            .sets = args_.size(),
            .estimate = {}};
  }

 protected:
  const Launch& launch() const { return launch_; }
  cudaStream_t stream() const { return stream_.get(); }

 private:
  static CompiledKernel usable(CompiledKernel compiled) {
    refuse_if(!compiled.usable(), "{}", compiled.rejection);
    return compiled;
  }

  virtual Args bind(std::size_t set) const = 0;
  /// Enqueues the work that precedes each launch.
  virtual void copy_operands(std::size_t /*set*/) const {}

  const Stream& stream_;
  LoadedKernel kernel_;
  Launch launch_;
  std::vector<Args> args_;  // one entry per buffer set
};

}  // namespace tilecast
