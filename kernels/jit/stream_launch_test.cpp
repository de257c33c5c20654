// Runs the memory-bound kernels on the device. Inputs are integers from -2 to 2, so that every sum
// is exact in every element type. C is surrounded by poisoned memory, and every byte is compared:
// memory outside the matrix must stay unchanged.
#include "kernels/jit/stream_launch.h"

#include <cstring>
#include <string>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/cuda_error.h"
#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/stream/stream_config_text.h"
#include "tests/catch.h"
#include "tests/gpu.h"

namespace tilecast {
namespace {

using Bytes8 = std::vector<unsigned char>;
constexpr unsigned char kPoison = 0xff;

/// Encodes an integer from -4 to 4 in the low bytes.
u32 bits_of(int value, ElementType dtype) {
  constexpr u32 kFp16[] = {0xc400, 0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400};
  const float number = static_cast<float>(value);
  u32 bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return dtype == ElementType::kFp16   ? kFp16[value + 4]
         : dtype == ElementType::kBf16 ? bits >> 16
                                       : bits;
}

int value_at(i64 row, i64 column, int salt) {
  const i64 mixed = (row * 7919 + column * 104729 + salt * 31) % 1000003;
  return static_cast<int>(mixed / 7 % 5) - 2;
}

/// Position of one matrix's elements in its buffer.
struct Place {
  i64 row_stride, column_stride;
  i64 index(i64 row, i64 column) const { return row * row_stride + column * column_stride; }
};

class Buffer {
 public:
  Buffer(const StreamProblem& problem, Place place)
      : problem_(problem),
        place_(place),
        bytes_(static_cast<std::size_t>(
                   (place.index(problem.rows - 1, problem.columns - 1) + kGuardElements) *
                   element_bytes(problem.dtype)),
               kPoison) {
    TILECAST_CUDA(cudaMalloc(&pointer_, bytes_.size()));
  }
  ~Buffer() { (void)cudaFree(pointer_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  template <class Value>
  void set(const Value& value) {
    const auto size = static_cast<std::size_t>(element_bytes(problem_.dtype));
    for (i64 row = 0; row < problem_.rows; ++row) {
      for (i64 column = 0; column < problem_.columns; ++column) {
        const u32 bits = bits_of(value(row, column), problem_.dtype);
        std::memcpy(&bytes_[static_cast<std::size_t>(place_.index(row, column)) * size], &bits,
                    size);
      }
    }
  }
  void upload() const {
    TILECAST_CUDA(cudaMemcpy(pointer_, bytes_.data(), bytes_.size(), cudaMemcpyDefault));
  }
  Bytes8 download() const {
    Bytes8 bytes(bytes_.size());
    TILECAST_CUDA(cudaMemcpy(bytes.data(), pointer_, bytes.size(), cudaMemcpyDefault));
    return bytes;
  }
  const Bytes8& bytes() const { return bytes_; }
  StreamMatrix matrix() const { return {pointer_, place_.row_stride, place_.column_stride}; }

 private:
  static constexpr i64 kGuardElements = 2048;
  StreamProblem problem_;
  Place place_;
  Bytes8 bytes_;
  void* pointer_ = nullptr;
};

/// Returns the resident CTAs per SM. Launches twice, over the results of the first launch.
i32 check_runs(const std::string& text, const StreamProblem& problem, Place a_place, Place b_place,
               Place c_place) {
  INFO(text << " " << problem.rows << "x" << problem.columns << " " << to_text(problem.dtype));
  const StreamConfig config = parse_stream_config(text);
  CubinCache cache;
  const CompiledKernel compiled = cache.get(stream_source(config, problem.dtype));
  REQUIRE(compiled.rejection == "");
  LoadedKernel kernel(compiled.cubin, kStreamEntry);
  const StreamLaunch launch(kernel, problem, config);
  CHECK(launch.resident_ctas_per_sm() >= config.ctas_per_sm);

  Buffer a(problem, a_place), b(problem, b_place), c(problem, c_place);
  a.set([](i64 row, i64 column) { return value_at(row, column, 1); });
  b.set([](i64 row, i64 column) { return value_at(row, column, 2); });
  a.upload();
  b.upload();
  c.upload();
  const StreamArgs args = launch.bind({a.matrix(), b.matrix(), c.matrix()});
  launch.launch(args, nullptr);
  c.upload();
  launch.launch(args, nullptr);
  TILECAST_CUDA(cudaDeviceSynchronize());
  const bool copy = is_memcpy(config.schedule);
  c.set([copy](i64 row, i64 column) {
    return value_at(row, column, 1) + (copy ? 0 : value_at(row, column, 2));
  });
  CHECK((c.download() == c.bytes()));
  CHECK((a.download() == a.bytes()));
  return launch.resident_ctas_per_sm();
}

i32 check_runs(const std::string& text, const StreamProblem& problem) {
  const Place tight{problem.columns, 1};
  return check_runs(text, problem, tight, tight, tight);
}

std::string add_text(const char* schedule, const char* block, const char* rest) {
  return std::string(schedule) + ":block=" + block + "," + rest;
}

constexpr ElementType kTypes[] = {ElementType::kFp32, ElementType::kFp16, ElementType::kBf16};
constexpr const char* kTmaSchedules[] = {"elementwise_add_tma",
                                         "elementwise_add_tma_warp_specialized"};
constexpr const char* kOrders[] = {"bands", "blocks", "strided", "chunked"};

}  // namespace

TEST_CASE("memcpy copies every element and nothing else, for any length", "[gpu]") {
  gpu_or_skip();
  for (const ElementType dtype : kTypes) {
    for (const i64 length : {i64{1}, i64{200}, i64{1000}, i64{4099}, i64{1 << 20}}) {
      const StreamProblem problem{1, length, dtype, Op::kMemcpy};
      for (const char* order : {"blocks", "strided", "chunked"}) {
        for (const char* hint : {"none", "evict_first"}) {
          const std::string rest = std::string(",order=") + order + ",hint=" + hint;
          check_runs("memcpy:block=1x2048,warps=4,vector=16,ctas=4" + rest, problem);
          check_runs("memcpy_cpasync:block=1x2048,warps=4,vector=16,ctas=2,layout=swizzled" + rest,
                     problem);
          const std::string stages = std::string(order) == "blocks" ? "1" : "3";
          check_runs("memcpy_tma:block=1x2048,stages=" + stages + ",warps=1,ctas=4" + rest,
                     problem);
        }
      }
      check_runs("memcpy_tma:block=1x1024,stages=1,warps=1,ctas=2,order=strided,hint=none",
                 problem);
      check_runs(
          "memcpy_cpasync:block=1x256,warps=1,vector=4,ctas=8,layout=plain,order=blocks,"
          "hint=none",
          problem);
    }
  }
}

TEST_CASE("Drawn and bounded blocks are each copied once, launch after launch", "[gpu]") {
  gpu_or_skip();
  // 4 MiB and a remainder are 1025 blocks, more than the number of CTAs that draw them; 1000
  // elements are one block.
  for (const i64 length : {i64{(1 << 20) + 5}, i64{1000}}) {
    const StreamProblem problem{1, length, ElementType::kFp32, Op::kMemcpy};
    for (const char* text :
         {"memcpy_tma:block=1x1024,stages=1,warps=1,ctas=2,order=tickets,hint=none",
          "memcpy_tma:block=1x1024,stages=2,warps=1,ctas=1,order=tickets,hint=none",
          "memcpy_tma:block=1x1024,stages=8,warps=1,ctas=3,order=tickets,hint=evict_first",
          "memcpy_tma:block=1x1024,stages=1,warps=1,ctas=8,order=bounded,hint=none",
          "memcpy_cpasync:block=1x1024,warps=8,vector=16,ctas=3,layout=plain,order=bounded,"
          "hint=none",
          "memcpy:block=1x1024,warps=8,vector=16,ctas=3,order=bounded,hint=none"}) {
      const StreamConfig config = parse_stream_config(text);
      const i32 resident = check_runs(text, problem);
      if (config.order == BlockOrder::kBounded) {
        CHECK(resident == config.ctas_per_sm);
      }
    }
  }
}

TEST_CASE("Plain addition holds for ragged shapes and every order", "[gpu]") {
  gpu_or_skip();
  for (const ElementType dtype : kTypes) {
    for (const char* order : kOrders) {
      const std::string rest = std::string(",view=matrix,order=") + order + ",hint=none";
      check_runs(add_text("elementwise_add", "32x32", ("warps=4,vector=4,ctas=4" + rest).c_str()),
                 {1000, 2000, dtype});
      check_runs(add_text("elementwise_add", "8x256", ("warps=8,vector=16,ctas=4" + rest).c_str()),
                 {37, 1000, dtype});
    }
    check_runs(
        "elementwise_add:block=32x256,warps=8,vector=16,ctas=2,view=flat,order=strided,"
        "hint=evict_first",
        {300, 1280, dtype});
  }
  // 999 elements of 4 bytes are not a multiple of 16 bytes, so a vector is one element.
  check_runs(
      "elementwise_add:block=32x64,warps=4,vector=4,ctas=4,view=matrix,order=bands,"
      "hint=none",
      {333, 999, ElementType::kFp32});
  check_runs(
      "elementwise_add:block=32x64,warps=4,vector=2,ctas=4,view=matrix,order=bands,"
      "hint=none",
      {333, 999, ElementType::kFp16});
}

TEST_CASE("Rows and columns may be strided: transposed and padded", "[gpu]") {
  gpu_or_skip();
  const StreamProblem problem{100, 200, ElementType::kFp32};
  const Place padded{208, 1}, transposed{1, 104}, sparse{600, 3};
  for (const char* schedule : {"elementwise_add", "elementwise_add_cpasync"}) {
    const bool plain = std::string(schedule) == "elementwise_add";
    const std::string text =
        add_text(schedule, "32x32",
                 (std::string("warps=4,vector=4,ctas=4,") + (plain ? "" : "layout=plain,") +
                  "view=matrix,order=bands,hint=none")
                     .c_str());
    check_runs(text, problem, padded, transposed, sparse);
    check_runs(text, problem, transposed, sparse, padded);
  }
  for (const char* schedule : kTmaSchedules) {
    check_runs(add_text(schedule, "32x64",
                        "stages=2,warps=4,ctas=1,layout=plain,view=matrix,order=bands,hint=none"),
               problem, padded, {200, 1}, {204, 1});
  }
}

TEST_CASE("Addition by cp.async holds for one to four buffers in both layouts", "[gpu]") {
  gpu_or_skip();
  for (const ElementType dtype : kTypes) {
    for (const char* layout : {"plain", "swizzled"}) {
      const std::string rest = std::string(",layout=") + layout + ",view=matrix,order=";
      check_runs(add_text("elementwise_add_cpasync", "32x64",
                          ("warps=4,vector=16,ctas=4" + rest + "bands,hint=none").c_str()),
                 {1000, 2000, dtype});
      check_runs(add_text("elementwise_add_cpasync", "32x64",
                          ("warps=4,vector=8,ctas=4" + rest + "blocks,hint=evict_first").c_str()),
                 {1000, 2004, dtype});
      for (const char* stages : {"1", "2", "3", "4"}) {
        for (const char* order : kOrders) {
          const std::string text =
              add_text("elementwise_add_pipelined", "32x64",
                       (std::string("stages=") + stages + ",warps=4,vector=4,ctas=2" + rest +
                        order + ",hint=none")
                           .c_str());
          check_runs(text, {1000, 120, dtype});
          check_runs(text, {70, 2002, dtype});
        }
      }
    }
  }
}

TEST_CASE("Addition by the copy engine holds for ragged shapes in both layouts", "[gpu]") {
  gpu_or_skip();
  for (const char* schedule : kTmaSchedules) {
    for (const ElementType dtype : kTypes) {
      for (const char* layout : {"plain", "swizzled"}) {
        for (const char* order : kOrders) {
          const std::string rest = std::string(",layout=") + layout + ",view=matrix,order=" + order;
          check_runs(add_text(schedule, "64x128",
                              ("stages=2,warps=8,ctas=1" + rest + ",hint=none").c_str()),
                     {1000, 2000, dtype});
          check_runs(add_text(schedule, "8x512",
                              ("stages=4,warps=4,ctas=1" + rest + ",hint=none").c_str()),
                     {1003, 1048, dtype});
        }
      }
      check_runs(add_text(schedule, "32x256",
                          "stages=3,warps=8,ctas=1,layout=plain,view=flat,order=strided,"
                          "hint=none"),
                 {300, 1280, dtype});
    }
  }
}

TEST_CASE("Strides that a memory-bound kernel cannot address are refused", "[gpu]") {
  gpu_or_skip();
  const StreamProblem problem{64, 64, ElementType::kFp32};
  const StreamConfig config = parse_stream_config(
      "elementwise_add:block=32x64,warps=4,vector=16,ctas=4,view=matrix,order=bands,hint=none");
  CubinCache cache;
  LoadedKernel kernel(cache.get(stream_source(config, problem.dtype)).cubin, kStreamEntry);
  const StreamLaunch launch(kernel, problem, config);
  const Buffer good(problem, {64, 1});
  CHECK_THROWS_AS(launch.bind({good.matrix(), good.matrix(), {good.matrix().pointer, 64, 2}}),
                  ConfigError);
  CHECK_THROWS_AS(launch.bind({good.matrix(), good.matrix(), {good.matrix().pointer, 66, 1}}),
                  ConfigError);
}

}  // namespace tilecast
