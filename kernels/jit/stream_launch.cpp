#include "kernels/jit/stream_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/jit/cuda_error.h"
#include "kernels/jit/device.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_rules.h"

namespace tilecast {
namespace {

constexpr const char* kStreamEntryText = R"(
extern "C" __global__ void __launch_bounds__(tilecast::kStreamThreads, tilecast::kStream.ctas_per_sm)
    tilecast_stream(const __grid_constant__ tilecast::StreamArgs args) {
  tilecast::run(args);
}
)";

[[noreturn]] void refuse(const StreamConfig& config, const std::string& why) {
  throw ConfigError(fmt::format("configuration '{}': {}", to_text(config), why));
}

SmSharedMemory shared_memory_of(const Device& device) {
  const auto of = [&](cudaDeviceAttr attribute) {
    int value = 0;
    TILECAST_CUDA(cudaDeviceGetAttribute(&value, attribute, device.ordinal));
    return value;
  };
  return {of(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          of(cudaDevAttrMaxSharedMemoryPerBlockOptin), of(cudaDevAttrReservedSharedMemoryPerBlock)};
}

}  // namespace

KernelSource stream_source(const StreamConfig& config, ElementType dtype,
                           std::string_view architecture) {
  if (const std::string fault = stream_config_fault(config, dtype); !fault.empty()) {
    refuse(config, fmt::format("{} ({})", fault, to_text(dtype)));
  }
  const std::string path = fmt::format("kernels/stream/{}.cu", to_text(config.schedule));
  // The matrix view, and choices that depend on the problem, are run-time arguments.
  const BlockOrder order =
      config.order == BlockOrder::kTickets ? BlockOrder::kTickets : BlockOrder::kBlocks;
  return {.path = path,
          .architecture = std::string(architecture),
          .text = fmt::format(
              "#include \"model/stream/stream_config.h\"\n\nnamespace tilecast {{\n\n"
              "struct Given {{\n"
              "  static constexpr StreamConfig kStream{{\n"
              "      .schedule = StreamSchedule{{{}}},\n"
              "      .block_rows = {},\n      .block_columns = {},\n      .stages = {},\n"
              "      .warps = {},\n      .vector_bytes = {},\n      .ctas_per_sm = {},\n"
              "      .layout = StreamLayout{{{}}},\n      .view = StreamView::kMatrix,\n"
              "      .order = BlockOrder{{{}}},\n      .hint = CacheHint{{{}}},\n  }};\n"
              "  static constexpr ElementType kElementType = ElementType{{{}}};\n}};\n\n"
              "}}  // namespace tilecast\n\n#include \"{}\"\n{}",
              static_cast<i32>(config.schedule), config.block_rows, config.block_columns,
              config.stages, config.warps, config.vector_bytes, config.ctas_per_sm,
              static_cast<i32>(config.layout), static_cast<i32>(order),
              static_cast<i32>(config.hint), static_cast<i32>(dtype), path, kStreamEntryText)};
}

StreamLaunch::StreamLaunch(LoadedKernel& kernel, const StreamProblem& problem,
                           const StreamConfig& config)
    : kernel_(&kernel),
      problem_(problem),
      config_(config),
      shape_{.ctas = 1,
             .threads = stream_threads(config),
             .shared_memory_bytes =
                 launched_shared_bytes(config, problem.dtype, shared_memory_of(current_device()))} {
  if (const std::string fault = stream_problem_fault(config, problem); !fault.empty()) {
    refuse(config, fault);
  }
  kernel.allow_shared_memory(shape_.shared_memory_bytes);
  resident_ctas_per_sm_ = kernel.resident_ctas_per_sm(shape_);
  if (resident_ctas_per_sm_ <= 0) {
    throw Error(ExitCode::kWrong, "the GPU cannot hold one CTA of " + to_text(config));
  }
  const i32 resident = std::min(resident_ctas_per_sm_, config.ctas_per_sm);
  walk_ = stream_walk(config, problem, static_cast<u32>(resident * current_device().sm_count));
  shape_.ctas = walk_.workers;
  if (config.order == BlockOrder::kTickets) {
    tickets_ = ZeroedMemory(2 * sizeof(u32));
  }
}

StreamArgs StreamLaunch::bind(const StreamBuffers& buffers) const {
  const i64 element = element_bytes(problem_.dtype);
  const StreamProblem seen = viewed(config_, problem_);
  const auto seen_matrix = [&](const StreamMatrix& m) -> StridedMatrix {
    const bool unit_columns = m.column_stride == 1;
    const bool tight = unit_columns && m.row_stride == problem_.columns;
    if (config_.view == StreamView::kFlat && !tight) {
      refuse(config_, "view=flat requires contiguous matrices");
    }
    const i64 row_stride = config_.view == StreamView::kFlat ? seen.columns : m.row_stride;
    if (config_.vector_bytes > element && !unit_columns) {
      refuse(config_,
             fmt::format("a column stride of {} requires vectors of one element", m.column_stride));
    }
    if (uses_tma(config_.schedule) && !unit_columns) {
      refuse(config_, "the bulk copy engine requires a column stride of 1");
    }
    if (reinterpret_cast<std::uintptr_t>(m.pointer) %
                static_cast<std::uintptr_t>(config_.vector_bytes) !=
            0 ||
        (seen.rows > 1 && row_stride * element % config_.vector_bytes != 0)) {
      refuse(config_, fmt::format("rows are not aligned to {} bytes", config_.vector_bytes));
    }
    return {m.pointer, row_stride, m.column_stride};
  };
  StreamArgs args{};
  args.a = seen_matrix(buffers.a);
  args.c = seen_matrix(buffers.c);
  args.b = is_memcpy(config_.schedule) ? args.a : seen_matrix(buffers.b);
  args.rows = seen.rows;
  args.columns = seen.columns;
  args.walk = walk_;
  args.tickets = tickets_.as<u32>();
  if (uses_tensor_maps(config_.schedule)) {
    const TmaBox box = stream_box(config_, problem_.dtype);
    const auto map = [&](const StridedMatrix& m) {
      // The stride of a single row is not used, but the encoder requires a multiple of 16 bytes.
      const i64 row_stride =
          seen.rows > 1 ? m.row_stride : round_up<i64>(seen.columns, kChunkBytes);
      return make_tensor_map({m.pointer, seen.rows, seen.columns, problem_.dtype, row_stride}, box);
    };
    args.a_map = map(args.a);
    args.b_map = map(args.b);
    args.c_map = map(args.c);
  }
  return args;
}

StreamArgs StreamLaunch::bind(void* a, void* b, void* c) const {
  const i64 columns = problem_.columns;
  return bind({{a, columns, 1}, {b, columns, 1}, {c, columns, 1}});
}

void StreamLaunch::launch(const StreamArgs& args, cudaStream_t stream) const {
  void* arguments[] = {const_cast<StreamArgs*>(&args)};
  kernel_->launch(shape_, arguments, stream);
}

}  // namespace tilecast
