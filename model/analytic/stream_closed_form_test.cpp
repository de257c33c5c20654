#include "model/analytic/stream_closed_form.h"

#include <string>

#include "model/analytic/stream_occupancy.h"
#include "model/tile/stream_config_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr Hertz kClock{2e9};

/// Ten SMs with room for everything; DRAM of 1 TB/s without losses; nothing around the stream.
GpuSpec simple_gpu() {
  GpuSpec gpu{};
  gpu.sm.count = 10;
  gpu.sm.max_threads = 2048;
  gpu.sm.max_ctas = 32;
  gpu.sm.shared_memory = Bytes{233472};
  gpu.sm.shared_memory_reserved_per_cta = Bytes{1024};
  gpu.sm.registers = 1 << 20;
  gpu.sm.max_registers_per_thread = 255;
  gpu.wgmma = WgmmaSpec{};
  gpu.wgmma->operand_rate = BytesPerCycle{128};
  gpu.l2 = L2Spec{};
  gpu.l2->output = BytesPerSecond{1e13};
  return gpu;
}

/// DRAM of 1 TB/s, latencies of 1 us, everything else for free.
StreamSpec simple_stream() {
  StreamSpec stream{};
  stream.read_rate = stream.write_rate = BytesPerSecond{1e12};
  stream.load_latency = stream.bulk_latency = Seconds{1e-6};
  stream.instructions = 1e12;
  return stream;
}

StreamForm form_of(const std::string& text, const StreamProblem& problem,
                   const StreamSpec& stream = simple_stream()) {
  GpuSpec gpu = simple_gpu();
  gpu.stream = stream;
  return stream_closed_form(gpu, problem, parse_stream_config(text), kClock);
}

std::string pipelined(int stages) {
  return "elementwise_add_pipelined:block=8x256,stages=" + std::to_string(stages) +
         ",warps=4,vector=16,ctas=1,layout=plain,view=matrix,order=strided,hint=none";
}

}  // namespace

TEST_CASE("Much in flight, and the time is the bytes over DRAM's rate") {
  // 3 x 8192 x 4096 x 4 B = 402.65 MB at 1 TB/s are 402.65 us, or 805306 cycles at 2 GHz. In flight
  // are 10 SMs x 8 CTAs x 16 KiB per us, 1.31 TB/s of reads, 1.97 TB/s with the writes: half as
  // slow again, (1 + 0.51^3)^(1/3) = 1.042, and 1 us of latency before the first block.
  const StreamForm form = form_of(
      "elementwise_add:block=8x256,warps=4,vector=16,ctas=8,view=matrix,order=strided,hint=none",
      {8192, 4096, ElementType::kFp32});
  CHECK(form.limiter == Limiter::kDram);
  CHECK(form.cycles.value > 805306);
  CHECK(form.cycles.value < 805306 * 1.06);
  CHECK(form.dram_read.value == Approx(2 * 8192.0 * 4096 * 4));
  CHECK(form.dram_write.value == Approx(8192.0 * 4096 * 4));
}

TEST_CASE("Little in flight, and the time is a latency for every block") {
  // 4096 blocks of 8 KiB over 10 CTAs are 409.6 turns of 1 us. DRAM would take 100.7 us:
  // (1 + 0.246^3)^(1/3) = 1.005. 411.6 us and 1 us before it are 825.2 kcycles.
  const StreamForm form = form_of(pipelined(1), {8192, 1024, ElementType::kFp32});
  CHECK(form.limiter == Limiter::kLatency);
  CHECK(form.cycles.value == Approx(825.2e3).epsilon(0.01));
}

TEST_CASE("Each buffer beyond the second divides the wait, until DRAM is the limit") {
  const StreamProblem problem{8192, 1024, ElementType::kFp32};
  const double one = form_of(pipelined(1), problem).cycles.value;
  const double two = form_of(pipelined(2), problem).cycles.value;
  const double three = form_of(pipelined(3), problem).cycles.value;
  const double four = form_of(pipelined(4), problem).cycles.value;
  CHECK(two == Approx(one));  // with free instructions there is nothing to overlap with
  CHECK(three == Approx(two / 2).epsilon(0.05));
  CHECK(four < three);
  CHECK(four > one / 4);  // 100.7 us of DRAM are a quarter of one buffer's time
}

TEST_CASE("Bytes in flight are the inputs' blocks of every stage but the one in use") {
  const GpuSpec gpu = simple_gpu();
  // 10 SMs x 2 blocks x 8 KiB, once for one buffer and for two, twice for three.
  for (const auto& [stages, times] : {std::pair{1, 1}, {2, 1}, {3, 2}}) {
    CHECK(bytes_in_flight(gpu, parse_stream_config(pipelined(stages)), ElementType::kFp32).value ==
          10 * 2 * 8192.0 * times);
  }
}

TEST_CASE("Shared memory bounds the CTAs of an SM, on both sides of the edge") {
  const GpuSpec gpu = simple_gpu();
  // Three stages of A and B, 8 KiB each, and 72 B of barriers and the 1 KiB reserved: 50248 B. Four
  // fit in 233472 B, five do not.
  const auto resident = [&](int ctas) {
    return resident_stream_ctas(
        gpu,
        parse_stream_config(
            "elementwise_add_tma:block=8x256,stages=3,warps=4,ctas=" + std::to_string(ctas) +
            ",layout=plain,view=matrix,order=strided,hint=none"),
        ElementType::kFp32);
  };
  CHECK(resident(4) == 4);
  CHECK(resident(5) == 4);
}

TEST_CASE("Reads and writes together lose what mixing them costs") {
  StreamSpec stream = simple_stream();
  const std::string text =
      "memcpy_cpasync:block=1x8192,warps=8,vector=16,ctas=6,layout=plain,order=strided,hint=none";
  const StreamProblem problem{1, i64{1} << 28, ElementType::kFp32, Op::kMemcpy};
  const double apart = form_of(text, problem, stream).cycles.value;
  stream.mix_loss = 0.1;  // a copy is equal reads and writes: all of the loss
  CHECK(form_of(text, problem, stream).cycles.value == Approx(apart / 0.9).epsilon(0.02));
}

TEST_CASE("A tiny problem is all launch and latency") {
  const StreamForm form = form_of(pipelined(2), {1, 256, ElementType::kFp32});
  CHECK(form.shares.dram < 0.01);
  CHECK(form.cycles.value == Approx(4000).epsilon(0.02));  // a turn and the first load, 1 us each
}

}  // namespace tilecast
