#include "validate/measure/attention/cudnn_attention.h"

#include "model/base/error.h"

#ifdef TILECAST_HAS_CUDNN
#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#define CUDNN_FRONTEND_SKIP_JSON_LIB
#include <cudnn_frontend.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/base/refuse.h"
#include "validate/measure/device_memory.h"

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;  // the frontend's handle; opened by open_cudnn
}

namespace tilecast {
namespace {

namespace fe = cudnn_frontend;

enum Uid : std::int64_t { kQ = 1, kK, kV, kO, kStats };

void check(fe::error_t error) { refuse_if(error.is_bad(), "cuDNN: {}", error.get_message()); }
void check(cudnnStatus_t status) {
  refuse_if(status != CUDNN_STATUS_SUCCESS, "cuDNN: status {}", static_cast<int>(status));
}

/// Returns the only handle of this process.
cudnnHandle_t handle() {
  static const cudnnHandle_t opened = [] {
    fe::cudnn_dlhandle = ::dlopen("libcudnn.so.9", RTLD_NOW | RTLD_GLOBAL);
    refuse_if(fe::cudnn_dlhandle == nullptr, "cuDNN cannot be opened: {}", ::dlerror());
    cudnnHandle_t created = nullptr;
    check(fe::detail::create_handle(&created));
    return created;
  }();
  return opened;
}

}  // namespace

struct CudnnAttention::Plan {
  fe::graph::Graph graph;
  DeviceMemory workspace;
};

CudnnAttention::CudnnAttention(const AttentionProblem& p, float scale)
    : plan_(std::make_unique<Plan>()) {
  const cudnnHandle_t cudnn = handle();
  fe::graph::Graph& graph = plan_->graph;
  graph
      .set_io_data_type(p.dtype == ElementType::kBf16 ? fe::DataType_t::BFLOAT16
                                                      : fe::DataType_t::HALF)
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  const auto dims = [&](i64 heads, i64 rows) {
    return std::vector<std::int64_t>{p.batch, heads, rows, p.head_dim};
  };
  const auto strides = [&](i64 heads, i64 rows) {
    const AttentionStrides s = attention_strides(p.layout, heads, rows, p.head_dim);
    return std::vector<std::int64_t>{s.batch, s.head, s.row, 1};
  };
  const auto input = [&](const char* name, Uid uid, i64 heads, i64 rows) {
    return graph.tensor(fe::graph::Tensor_attributes()
                            .set_name(name)
                            .set_uid(uid)
                            .set_dim(dims(heads, rows))
                            .set_stride(strides(heads, rows)));
  };
  auto attributes = fe::graph::SDPA_attributes()
                        .set_name("attention")
                        .set_generate_stats(p.lse)
                        .set_attn_scale(scale);
  // The causal mask is aligned at the last query and key; torch requests the same if Q and K have
  // equal lengths.
  if (is_causal(p)) {
    attributes.set_diagonal_band_right_bound(0).set_diagonal_alignment(
        p.queries == p.keys ? fe::DiagonalAlignment_t::TOP_LEFT
                            : fe::DiagonalAlignment_t::BOTTOM_RIGHT);
  }
  const auto [o, stats] =
      graph.sdpa(input("q", kQ, p.heads, p.queries), input("k", kK, p.kv_heads, p.keys),
                 input("v", kV, p.kv_heads, p.keys), std::move(attributes));
  o->set_output(true)
      .set_uid(kO)
      .set_dim(dims(p.heads, p.queries))
      .set_stride(strides(p.heads, p.queries));
  if (p.lse) {
    stats->set_output(true).set_uid(kStats).set_data_type(fe::DataType_t::FLOAT);
  }
  check(graph.validate());
  check(graph.build_operation_graph(cudnn));
  check(graph.create_execution_plans({fe::HeurMode_t::A}));
  check(graph.check_support(cudnn));
  check(graph.build_plans(cudnn));
  std::int64_t bytes = 0;
  check(graph.get_workspace_size(bytes));
  plan_->workspace.reserve(static_cast<std::size_t>(bytes));
}

CudnnAttention::~CudnnAttention() = default;

void CudnnAttention::run(const AttentionBuffers& buffers, cudaStream_t stream) const {
  std::unordered_map<std::int64_t, void*> pointers{{kQ, buffers.q.pointer},
                                                   {kK, buffers.k.pointer},
                                                   {kV, buffers.v.pointer},
                                                   {kO, buffers.o.pointer}};
  if (buffers.lse != nullptr) {
    pointers[kStats] = buffers.lse;
  }
  check(fe::detail::set_stream(handle(), stream));
  check(plan_->graph.execute(handle(), pointers, plan_->workspace.as<void>()));
}

std::string CudnnAttention::description() const {
  const std::size_t version = fe::detail::get_backend_version();
  std::string name;
  check(plan_->graph.get_plan_name(name));
  return fmt::format("cuDNN {}.{}.{}, {}", version / 10000, version / 100 % 100, version % 100,
                     name);
}

}  // namespace tilecast

#else

namespace tilecast {

struct CudnnAttention::Plan {};
CudnnAttention::CudnnAttention(const AttentionProblem& /*problem*/, float /*scale*/) {
  throw ConfigError("tilecast was built without cuDNN; see docs/measuring.md");
}
CudnnAttention::~CudnnAttention() = default;
void CudnnAttention::run(const AttentionBuffers& /*buffers*/, cudaStream_t /*stream*/) const {}
std::string CudnnAttention::description() const { return {}; }

}  // namespace tilecast

#endif
