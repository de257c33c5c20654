// An attention plan's kernel on its device, prepared as cuda_gemm.cpp prepares a GEMM's.
// Checked by: run_attention_test.cpp.
#include <utility>

#include "kernels/jit/attention_launch.h"
#include "library/attention_workspace.h"
#include "library/cuda_kernel.h"
#include "library/cuda_status.h"
#include "library/device_plan.h"
#include "model/attention/attention_text.h"

namespace tilecast {
namespace {

class CudaAttention final : public DevicePlan<tilecast_attention_arguments> {
 public:
  CudaAttention(const AttentionRequest& request, const AttentionConfig& config)
      : kernel_(
            compile_for_plan(request, attention_source(config, request.problem), to_text(config))
                .cubin,
            kAttentionEntry),
        launch_(make_launch<AttentionLaunch>(to_text(config), kernel_.loaded(), request.problem,
                                             config, WorkspaceOwner::kCaller)),
        memory_(memory_of(launch_.workspace())),
        usual_scale_(usual_scale(request.problem)),
        args_(launch_.bind({.q = {nowhere(), request.q},
                            .k = {nowhere(), request.k},
                            .v = {nowhere(), request.v},
                            .o = {nowhere(), request.o},
                            .lse = request.problem.lse ? static_cast<float*>(nowhere()) : nullptr},
                           1)),
        scale_of_one_(args_.scale_log2) {
    kernel_.prepare(launch_.shape(), /*programmatic=*/false);
  }

  std::size_t workspace_bytes() const override { return memory_.bytes(); }

  tilecast_status clear(void* workspace, void* stream) const noexcept override {
    return kernel_.clear(workspace, memory_.counter_bytes, stream);
  }

  tilecast_status run(const tilecast_attention_arguments& arguments,
                      void* stream) const noexcept override {
    if (const tilecast_status status = kernel_.check_context(); status != TILECAST_OK) {
      return status;
    }
    AttentionArgs args = args_;
    const std::pair<TensorMap*, const void*> maps[] = {{&args.q, arguments.q},
                                                       {&args.k, arguments.k},
                                                       {&args.v, arguments.v},
                                                       {&args.o, arguments.o}};
    for (const auto& [map, address] : maps) {
      if (const tilecast_status status = kernel_.lead(*map, address); status != TILECAST_OK) {
        return status;
      }
    }
    args.out = arguments.o;
    args.lse = arguments.lse;
    args.scale_log2 = scale_of_one_ * (arguments.scale == 0 ? usual_scale_ : arguments.scale);
    char* const workspace = static_cast<char*>(arguments.workspace);
    if (workspace_bytes() != 0) {
      launch_.use_workspace(reinterpret_cast<u32*>(workspace),
                            reinterpret_cast<float*>(workspace + memory_.partials_at()), args);
    }
    return kernel_.launch(&args, stream);
  }

 private:
  CudaKernel kernel_;
  AttentionLaunch launch_;
  AttentionMemory memory_;
  float usual_scale_;
  AttentionArgs args_;  // complete except for addresses and scale
  float scale_of_one_;  // args.scale_log2 for scale 1
};

}  // namespace

std::unique_ptr<DevicePlan<tilecast_attention_arguments>> make_device_plan(
    const AttentionRequest& request, const AttentionConfig& config) {
  return with_cuda_status([&]() -> std::unique_ptr<DevicePlan<tilecast_attention_arguments>> {
    return std::make_unique<CudaAttention>(request, config);
  });
}

}  // namespace tilecast
