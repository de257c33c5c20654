// The kernel that copies operands: compiled without a GPU; on a GPU compared with the host, byte by
// byte.
#include "kernels/jit/operand_copier.h"

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/jit/compile.h"
#include "kernels/jit/cuda_error.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/problem_text.h"
#include "model/ops/any_op.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

using ByteList = std::vector<unsigned char>;

ByteList from_device(const void* pointer, std::size_t bytes) {
  ByteList list(bytes);
  TILECAST_CUDA(cudaMemcpy(list.data(), pointer, bytes, cudaMemcpyDeviceToHost));
  return list;
}

/// Memory of exactly this length, so that compute-sanitizer detects reads past it.
class Given {
 public:
  Given(i64 elements, i64 element, std::mt19937& random)
      : bytes(static_cast<std::size_t>(elements * element)) {
    std::ranges::generate(bytes, [&] { return static_cast<unsigned char>(random()); });
    TILECAST_CUDA(cudaMalloc(&pointer, bytes.size()));
    TILECAST_CUDA(cudaMemcpy(pointer, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }
  ~Given() { (void)cudaFree(pointer); }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  ByteList bytes;
  void* pointer = nullptr;
};

/// The expected copy.
ByteList copied(const ByteList& from, const MatrixSides& sides, i64 matrices, i64 row, i64 matrix,
                i64 to_row, i64 element) {
  ByteList to(static_cast<std::size_t>(matrices * sides.rows * to_row * element), 0);
  for (i64 i = 0; i < matrices * sides.rows; ++i) {
    const i64 at = (i / sides.rows * matrix + i % sides.rows * row) * element;
    std::copy_n(from.begin() + at, sides.columns * element, to.begin() + i * to_row * element);
  }
  return to;
}

void check(const GemmProblem& problem, std::mt19937& random) {
  INFO(to_text(AnyProblem{problem}));
  static CubinCache cache;
  const i64 element = element_bytes(problem.dtype);
  const MatrixSides a = sides_of_a(problem), b = sides_of_b(problem);
  const i64 row_a = given_row(problem.leading.a, a), row_b = given_row(problem.leading.b, b);
  const auto length = [](const MatrixSides& sides, i64 matrices, i64 row) {
    return ((matrices * sides.rows) - 1) * row + sides.columns;
  };
  const Given given_a(length(a, matrices_of_a(problem), row_a), element, random);
  const Given given_b(length(b, matrices_of_b(problem), row_b), element, random);
  OperandCopier copier(cache, 132);
  copier.prepare(problem);
  const GemmBuffers given{.a = given_a.pointer, .b = given_b.pointer, .c = nullptr};
  copier.launch(given, nullptr);
  TILECAST_CUDA(cudaDeviceSynchronize());
  const GemmBuffers read = copier.copied(given);
  const CopyBytes bytes = copy_bytes(problem);
  CHECK((read.a == given.a) == (bytes.a == 0));
  CHECK((read.b == given.b) == (bytes.b == 0));
  if (bytes.a != 0) {
    CHECK(from_device(read.a, static_cast<std::size_t>(bytes.a)) ==
          copied(given_a.bytes, a, matrices_of_a(problem), row_a, a.rows * row_a, a_row(problem),
                 element));
  }
  if (bytes.b != 0) {
    CHECK(from_device(read.b, static_cast<std::size_t>(bytes.b)) ==
          copied(given_b.bytes, b, matrices_of_b(problem), row_b, b.rows * row_b, b_row(problem),
                 element));
  }
}

}  // namespace

TEST_CASE("The kernel that copies operands compiles without spills") {
  for (const char* architecture : {"sm_90a", "sm_100a"}) {
    const CompiledKernel kernel = compile_kernel(copy_source(architecture));
    INFO(kernel.log);
    CHECK(kernel.rejection == "");
    CHECK(kernel.report.registers <= 64);  // with kCopyCtasPerSm CTAs
  }
}

TEST_CASE("Copies have the operands' bytes and zeros after each row", "[gpu]") {
  gpu_or_skip();
  std::mt19937 random(daily_seed("copies of operands"));
  for (const char* text : {"64x64x1", "64x64x7", "3x5x2049", "129x65x1023", "7x9x8191 e4m3",
                           "33x1x4095 e5m2", "2x3x31 e4m3 lda=32 ldb=33", "70x50257x16 nn",
                           "65x1001x333 nn", "3*33x17x1025", "4:b*9x5x77", "5:a*9x5x77 e4m3"}) {
    check(parse_gemm_problem(text), random);
  }
  for (int i = 0; i < 40; ++i) {
    const auto upto = [&](i64 most) {
      return 1 + static_cast<i64>(random() % static_cast<u64>(most));
    };
    constexpr ElementType kTypes[] = {ElementType::kFp16, ElementType::kBf16, ElementType::kE4m3};
    const ElementType dtype = kTypes[i % 3];
    const bool tn = is_fp8(dtype) || i % 2 == 0;
    GemmProblem problem{.shape = {upto(300), upto(300), upto(i % 4 == 0 ? 9000 : 300)},
                        .dtype = dtype,
                        .layout = tn ? Layout::kTn : Layout::kNn};
    problem.batch.products = i % 5 == 0 ? upto(4) : 1;
    check(with_leading(problem, {i % 3 == 0 ? sides_of_a(problem).columns + upto(20) : 0,
                                 i % 3 == 1 ? sides_of_b(problem).columns + upto(20) : 0, 0}),
          random);
  }
}

}  // namespace tilecast
