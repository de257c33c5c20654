#include "kernels/jit/compile.h"

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

// Each source triggers one ptxas warning.
constexpr EmbeddedSource kSources[] = {
    {"lib/value.h", "#pragma once\nconstexpr int kValue = kGiven;\n"},
    {"clean.cu",
     "#include \"lib/value.h\"\n"
     "extern \"C\" __global__ void k(int* out) { out[threadIdx.x] = kValue; }\n"},
    {"broken.cu", "extern \"C\" __global__ void k(int* out) { out[0] = missing_name; }\n"},
    {"spilling.cu",
     "extern \"C\" __global__ void __launch_bounds__(1024, 2) k(float* x, int n) {\n"
     "  float v[128];\n"
     "#pragma unroll\n"
     "  for (int i = 0; i < 128; ++i) v[i] = x[i * n + threadIdx.x];\n"
     "  for (int j = 0; j < n; ++j)\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < 128; ++i) v[i] = v[i] * v[(i * 7 + 3) % 128] + x[j + i];\n"
     "#pragma unroll\n"
     "  for (int i = 0; i < 128; ++i) x[i * n + threadIdx.x] = v[i];\n"
     "}\n"},
    {"indexed.cu",
     "extern \"C\" __global__ void k(float* x, int n) {\n"
     "  float v[64];\n"
     "  for (int i = 0; i < 64; ++i) v[i] = x[i];\n"
     "  for (int i = 0; i < n; ++i) v[(i * n) & 63] += x[i];\n"
     "  for (int i = 0; i < 64; ++i) x[i] = v[(i * n) & 63];\n"
     "}\n"},
    {"unbounded_setmaxnreg.cu",
     "extern \"C\" __global__ void k(float* x) {\n"
     "  asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;\");\n"
     "  x[threadIdx.x] = 1;\n"
     "}\n"},
    {"read_in_flight.cu",
     "extern \"C\" __global__ void __launch_bounds__(128, 1)\n"
     "    k(float* x, unsigned long long a, unsigned long long b, int n) {\n"
     "  float d[4] = {x[0], x[1], x[2], x[3]};\n"
     "  asm volatile(\"wgmma.fence.sync.aligned;\");\n"
     "  for (int j = 0; j < n; ++j) {\n"
     "    asm volatile(\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, "
     "1, 1, 1, 0, 0;\"\n"
     "                 : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
     "                 : \"l\"(a), \"l\"(b));\n"
     "    x[threadIdx.x + j] = d[1];\n"
     "    asm volatile(\"wgmma.commit_group.sync.aligned;\");\n"
     "  }\n"
     "  asm volatile(\"wgmma.wait_group.sync.aligned 0;\");\n"
     "  x[0] = d[0] + d[2] + d[3];\n"
     "}\n"},
};

CompiledKernel compile(const char* path, const std::string& constants = "") {
  return compile_kernel(with_constants(path, constants), kSources);
}

std::string error_of(const char* path) { return ERROR_TEXT(compile(path)); }

}  // namespace

TEST_CASE("A kernel compiles to a cubin with its headers and constants") {
  const CompiledKernel kernel = compile("clean.cu", "constexpr int kGiven = 7;");
  CHECK(kernel.usable());
  CHECK(kernel.cubin.substr(0, 4) == "\177ELF");
  CHECK(kernel.report.registers > 0);
  CHECK(kernel.report.registers <= 32);
  CHECK((compile("clean.cu", "constexpr int kGiven = 8;").cubin != kernel.cubin));
}

TEST_CASE("A source with an error is refused with the compiler's own words") {
  const std::string broken = error_of("broken.cu");
  INFO(broken);
  CHECK(broken.starts_with("broken.cu does not compile"));
  CHECK(contains(broken, "\"missing_name\" is undefined"));
  // Without this constant, lib/value.h does not compile.
  CHECK(contains(error_of("clean.cu"), "lib/value.h(2): error: "));
}

TEST_CASE("Spills reject a kernel") {
  const CompiledKernel kernel = compile("spilling.cu");
  CHECK(!kernel.usable());
  CHECK(kernel.report.spill_stores.value > 0);
  CHECK(kernel.rejection.starts_with("spills: "));
  // 65,536 registers for 2 CTAs of 1024 threads.
  CHECK(kernel.report.registers <= 32);
}

TEST_CASE("An array indexed at run time rejects a kernel by its stack frame") {
  // 64 floats of 4 bytes.
  CHECK(compile("indexed.cu").rejection == "stack frame of 256 bytes");
}

TEST_CASE("Register reallocation without launch bounds rejects a kernel") {
  CHECK(compile("unbounded_setmaxnreg.cu").rejection.starts_with("C7508: "));
}

TEST_CASE("Reading an accumulator in flight rejects a kernel") {
  const std::string reason = compile("read_in_flight.cu").rejection;
  INFO(reason);
  CHECK(reason.starts_with("C751"));
}

}  // namespace tilecast
