#include "validate/measure/gemm/cublaslt.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {
namespace {

constexpr std::size_t kWorkspaceBytes = 64u << 20;

#define TILECAST_CUBLAS(call) ::tilecast::check_cublas((call), #call)

cudaDataType_t data_type(ElementType type) {
  switch (type) {
    case ElementType::kFp16:
      return CUDA_R_16F;
    case ElementType::kBf16:
      return CUDA_R_16BF;
    case ElementType::kFp32:
      return CUDA_R_32F;
    case ElementType::kE4m3:
      return CUDA_R_8F_E4M3;
    case ElementType::kE5m2:
      return CUDA_R_8F_E5M2;
    default:
      break;
  }
  TILECAST_ASSERT(!"an element type without a CUDA type");
  return CUDA_R_32F;
}

template <class T>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, const T& value) {
  TILECAST_CUBLAS(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value));
}

cublasLtMatmulDesc_t new_operation() {
  cublasLtMatmulDesc_t operation = nullptr;
  TILECAST_CUBLAS(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  return operation;
}

/// Layout of a row-major matrix: cuBLASLt's columns are its rows.
cublasLtMatrixLayout_t new_layout(cudaDataType_t type, const MatrixSides& sides, i64 row) {
  cublasLtMatrixLayout_t layout = nullptr;
  TILECAST_CUBLAS(cublasLtMatrixLayoutCreate(&layout, type, static_cast<uint64_t>(sides.columns),
                                             static_cast<uint64_t>(sides.rows), row));
  return layout;
}

/// Columns of C are cuBLASLt's rows, so bias_n is the bias that cuBLASLt supports.
cublasLtEpilogue_t epilogue_of(const Epilogue& epilogue) {
  const OutputStep bias = epilogue.of(OutputKind::kBias),
                   activation = epilogue.of(OutputKind::kActivate),
                   load = epilogue.of(OutputKind::kLoad);
  const bool biased = bias == step<BiasN>(), adds = load == step<Residual>();
  // cuBLASLt applies activations after it adds C, and computes amax and scales of C only for fp8
  // operands.
  const bool behind = adds && activation != OutputStep{};
  if ((biased || bias == OutputStep{}) && (adds || load == OutputStep{}) && !behind &&
      !epilogue.has(OutputKind::kAmax) && !epilogue.has(OutputKind::kConvert)) {
    if (activation == OutputStep{}) {
      return biased ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    }
    if (activation == step<Relu>()) {
      return biased ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    }
    if (activation == step<GeluTanh>()) {
      return biased ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    }
  }
  throw ConfigError(fmt::format("cuBLASLt has no epilogue {}", to_text(epilogue)));
}

/// tilecast's B is cuBLASLt's A. The heuristic requires scale pointers, so it gets a placeholder
/// address, and each run sets the actual ones.
void set_scale_modes(OutputStep scales, const void* somewhere, cublasLtMatmulDesc_t operation) {
  const bool rows = scales == step<ScaleRow>(), blocks = scales == step<ScaleBlock>();
  const cublasLtMatmulMatrixScale_t of_b = blocks ? CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F
                                           : rows ? CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F
                                                  : CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  const cublasLtMatmulMatrixScale_t of_a = blocks ? CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F : of_b;
  set(operation, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, of_b);
  set(operation, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, of_a);
  set(operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, somewhere);
  set(operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, somewhere);
}

/// Describes a batch of `matrices` matrices, `stride` elements apart.
void set_batch(cublasLtMatrixLayout_t layout, i64 matrices, i64 stride) {
  const int32_t count = static_cast<int32_t>(matrices);
  TILECAST_CUBLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                   &count, sizeof count));
  TILECAST_CUBLAS(cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
}

template <class T>
std::optional<T> value_of(const cublasLtMatmulAlgo_t& algorithm,
                          cublasLtMatmulAlgoConfigAttributes_t which) {
  T value{};
  size_t written = 0;
  return cublasLtMatmulAlgoConfigGetAttribute(&algorithm, which, &value, sizeof value, &written) ==
                 CUBLAS_STATUS_SUCCESS
             ? std::optional(value)
             : std::nullopt;
}

template <class T>
std::string attribute(const cublasLtMatmulAlgo_t& algorithm,
                      cublasLtMatmulAlgoConfigAttributes_t which) {
  const std::optional<T> value = value_of<T>(algorithm, which);
  return value ? std::to_string(*value) : "?";
}

}  // namespace

void check_cublas(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(ExitCode::kNoDevice, fmt::format("{}: {}", call, cublasLtGetStatusName(status)));
  }
}

Cublaslt::Cublaslt() : workspace_(kWorkspaceBytes) { TILECAST_CUBLAS(cublasLtCreate(&handle_)); }

Cublaslt::~Cublaslt() { cublasLtDestroy(handle_); }

CublasltMatmul::CublasltMatmul(const Cublaslt& library, const GemmProblem& problem,
                               bool fp32_output)
    : library_(library),
      operation_(new_operation(), cublasLtMatmulDescDestroy),
      adds_(!fp32_output && problem.epilogue.has(OutputKind::kLoad)),
      // In column-major terms, B as [n,k] is k x n and must be transposed; B as [k,n] is n x k
      // without transposition. A as [m,k] is k x m without transposition.
      first_(new_layout(data_type(problem.dtype), sides_of_b(problem),
                        given_row(problem.leading.b, sides_of_b(problem))),
             cublasLtMatrixLayoutDestroy),
      second_(new_layout(data_type(problem.dtype), sides_of_a(problem),
                         given_row(problem.leading.a, sides_of_a(problem))),
              cublasLtMatrixLayoutDestroy),
      result_(new_layout(fp32_output ? CUDA_R_32F : data_type(c_type(problem)),
                         {problem.shape.m, problem.shape.n},
                         fp32_output ? problem.shape.n : c_row(problem)),
              cublasLtMatrixLayoutDestroy) {
  refuse_if(problem.groups != nullptr, "cuBLASLt has no grouped GEMMs");
  if (problem.batch.products > 1) {
    const MatrixSides a = sides_of_a(problem), b = sides_of_b(problem);
    const auto& [m, n, k] = problem.shape;
    const Batch& batch = problem.batch;
    set_batch(first_.get(), batch.products,
              batch.one_b ? 0 : b.rows * given_row(problem.leading.b, b));
    set_batch(second_.get(), batch.products,
              batch.one_a ? 0 : a.rows * given_row(problem.leading.a, a));
    set_batch(result_.get(), batch.products, m * (fp32_output ? n : c_row(problem)));
  }
  const cublasOperation_t first = b_is_k_major(problem.layout) ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second = a_is_k_major(problem.layout) ? CUBLAS_OP_N : CUBLAS_OP_T;
  set(operation_.get(), CUBLASLT_MATMUL_DESC_TRANSA, first);
  set(operation_.get(), CUBLASLT_MATMUL_DESC_TRANSB, second);
  // Accumulates all of K in the tensor core, as tilecast's kernels do.
  if (is_fp8(problem.dtype) && !promotes(problem)) {
    set(operation_.get(), CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t{1});
  }
  if (!fp32_output && problem.epilogue.has(OutputKind::kScale)) {
    set_scale_modes(problem.epilogue.of(OutputKind::kScale), library.workspace().as<void>(),
                    operation_.get());
  }
  if (!fp32_output && fuses(problem.epilogue)) {
    set(operation_.get(), CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(problem.epilogue));
  }
}

std::vector<cublasLtMatmulAlgo_t> CublasltMatmul::algorithms(int most) const {
  cublasLtMatmulPreference_t created = nullptr;
  TILECAST_CUBLAS(cublasLtMatmulPreferenceCreate(&created));
  const Owned<cublasLtMatmulPreference_t> preference(created, cublasLtMatmulPreferenceDestroy);
  const size_t workspace = library_.workspace().bytes();
  TILECAST_CUBLAS(cublasLtMatmulPreferenceSetAttribute(
      created, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace));

  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(most));
  int found = 0;
  TILECAST_CUBLAS(cublasLtMatmulAlgoGetHeuristic(library_.handle(), operation_.get(), first_.get(),
                                                 second_.get(), result_.get(), result_.get(),
                                                 created, most, results.data(), &found));
  std::vector<cublasLtMatmulAlgo_t> algorithms;
  for (int i = 0; i < found; ++i) {
    if (results[static_cast<std::size_t>(i)].state == CUBLAS_STATUS_SUCCESS) {
      algorithms.push_back(results[static_cast<std::size_t>(i)].algo);
    }
  }
  if (algorithms.empty()) {
    throw Error(ExitCode::kNoDevice, "cuBLASLt has no algorithm for this problem");
  }
  return algorithms;
}

void CublasltMatmul::run(const cublasLtMatmulAlgo_t& algorithm, const GemmBuffers& inputs, void* c,
                         cudaStream_t stream) const {
  const auto point_to = [&](cublasLtMatmulDescAttributes_t attribute, const void* pointer) {
    if (pointer != nullptr) {
      set(operation_.get(), attribute, pointer);
    }
  };
  point_to(CUBLASLT_MATMUL_DESC_BIAS_POINTER, inputs.bias);
  point_to(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, inputs.scales.b);
  point_to(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, inputs.scales.a);
  const float alpha = 1, beta = adds_ ? 1 : 0;
  TILECAST_CUBLAS(cublasLtMatmul(
      library_.handle(), operation_.get(), &alpha, inputs.b, first_.get(), inputs.a, second_.get(),
      &beta, adds_ ? inputs.residual : c, result_.get(), c, result_.get(), &algorithm,
      library_.workspace().as<void>(), library_.workspace().bytes(), stream));
}

i32 rounded_sums(const cublasLtMatmulAlgo_t& algorithm) {
  const uint32_t scheme =
      value_of<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME).value_or(0);
  constexpr uint32_t kInType =
      CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
  return (scheme & kInType) == 0
             ? 1
             : std::max(1,
                        value_of<int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM).value_or(1));
}

std::string describe(const cublasLtMatmulAlgo_t& algorithm) {
  return fmt::format(
      "algo={} tile={} stages={} splitk={} reduction={} swizzle={} cluster={} inner={}",
      attribute<int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_ID),
      attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID),
      attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID),
      attribute<int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
      attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME),
      attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING),
      attribute<uint16_t>(algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID),
      attribute<uint16_t>(algorithm, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID));
}

}  // namespace tilecast
