#include "kernels/jit/operand_copier.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/base/math.h"

namespace tilecast {
namespace {

RowsToCopy rows_to_copy(const MatrixSides& sides, i64 leading, i64 matrices, i64 matrix_stride,
                        i64 to_row, i64 element) {
  const i64 row = given_row(leading, sides);
  const i64 matrix = matrix_stride == 0 ? sides.rows * row : matrix_stride;
  const i64 pieces_of_row = ceil_div<i64>(to_row * element, kCopyPiece);
  return {.from = nullptr,
          .to = nullptr,
          .from_row = row * element,
          .from_matrix = matrix * element,
          .row_bytes = sides.columns * element,
          .to_row = to_row * element,
          .from_end = ((matrices - 1) * matrix + (sides.rows - 1) * row + sides.columns) * element,
          .rows_of_matrix = static_cast<u32>(sides.rows),
          .pieces_of_row = static_cast<u32>(pieces_of_row),
          .pieces = static_cast<u64>(matrices * sides.rows * pieces_of_row)};
}

}  // namespace

KernelSource copy_source(const std::string& architecture) {
  return {.path = "kernels/gemm/copy_operands.cu", .architecture = architecture};
}

CopyArgs copy_args(const GemmProblem& problem, i64 a_matrix_stride, i64 b_matrix_stride) {
  const auto [a, b] = copied_operands(problem);
  const i64 element = element_bytes(problem.dtype);
  CopyArgs args{};
  if (a) {
    args.a = rows_to_copy(sides_of_a(problem), problem.leading.a, matrices_of_a(problem),
                          a_matrix_stride, a_row(problem), element);
  }
  if (b) {
    args.b = rows_to_copy(sides_of_b(problem), problem.leading.b, matrices_of_b(problem),
                          b_matrix_stride, b_row(problem), element);
  }
  return args;
}

LaunchShape copy_shape(const CopyArgs& args, i32 sm_count) {
  constexpr u64 kWarps = kCopyThreads / 32;
  const u64 ctas = ceil_div(args.a.pieces + args.b.pieces, kWarps);
  return {.ctas = static_cast<u32>(std::min(ctas, static_cast<u64>(sm_count) * kCopyCtasPerSm)),
          .threads = kCopyThreads,
          .shared_memory_bytes = 0};
}

OperandCopier::OperandCopier(CubinCache& cache, i32 sm_count)
    : cache_(cache), sm_count_(sm_count) {}

void OperandCopier::prepare(const GemmProblem& problem) {
  problem_ = problem;
  copies_ = copied_operands(problem);
  if (!copies_.any()) {
    return;
  }
  if (!kernel_) {
    const CompiledKernel compiled = cache_.get(copy_source("sm_90a"));
    if (!compiled.usable()) {
      throw Error(ExitCode::kWrong, "copy_operands.cu: " + compiled.rejection);
    }
    kernel_.emplace(compiled.cubin, kCopyEntry);
  }
  const CopyBytes bytes = copy_bytes(problem);
  a_ = ZeroedMemory(static_cast<std::size_t>(bytes.a));
  b_ = ZeroedMemory(static_cast<std::size_t>(bytes.b));
}

GemmBuffers OperandCopier::copied(GemmBuffers buffers) const {
  if (copies_.a) {
    buffers.a = a_.as<void>();
    buffers.a_matrix_stride = 0;
  }
  if (copies_.b) {
    buffers.b = b_.as<void>();
    buffers.b_matrix_stride = 0;
  }
  return buffers;
}

void OperandCopier::launch(const GemmBuffers& buffers, cudaStream_t stream) const {
  if (!copies_.any()) {
    return;
  }
  CopyArgs args = copy_args(problem_, buffers.a_matrix_stride, buffers.b_matrix_stride);
  args.a.from = static_cast<const char*>(buffers.a);
  args.b.from = static_cast<const char*>(buffers.b);
  args.a.to = a_.as<char>();
  args.b.to = b_.as<char>();
  void* arguments[] = {&args};
  kernel_->launch(copy_shape(args, sm_count_), arguments, stream);
}

}  // namespace tilecast
