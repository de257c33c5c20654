#include "model/stream/stream_closed_form.h"

#include <string>

#include "model/stream/stream_config_text.h"
#include "model/stream/stream_occupancy.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr Hertz kClock{2e9};

/// A GPU without limits: ten SMs, plenty of registers and shared memory; DRAM at 1 TB/s without
/// losses; no overheads.
GpuSpec simple_gpu() {
  GpuSpec gpu{};
  gpu.sm.count = 10;
  gpu.sm.max_threads = 2048;
  gpu.sm.max_ctas = 32;
  gpu.sm.shared_memory = Bytes{233472};
  gpu.sm.shared_memory_per_cta = Bytes{232448};
  gpu.sm.shared_memory_reserved_per_cta = Bytes{1024};
  gpu.sm.registers = 1 << 20;
  gpu.sm.max_registers_per_thread = 255;
  gpu.wgmma = WgmmaSpec{};
  gpu.wgmma->operand_rate = BytesPerCycle{128};
  gpu.l2 = L2Spec{};
  gpu.dram = DramSpec{.read_rate = {1e12}, .write_rate = {1e12}};
  gpu.machine = MachineSpec{.intake = {133.8}, .l2_output = {1e13}};
  return gpu;
}

/// Latencies of 1 us, all other costs 0.
StreamSpec simple_stream() {
  StreamSpec stream{};
  stream.load_latency = stream.bulk_latency = Seconds{1e-6};
  stream.bulk_rate = BytesPerSecond{1e15};
  stream.bulk_read_out = BytesPerCycle{1e9};
  return stream;
}

StreamForm form_of(const std::string& text, const StreamProblem& problem,
                   const StreamSpec& stream = simple_stream(), double dram_rate = 1e12) {
  GpuSpec gpu = simple_gpu();
  gpu.dram->read_rate = gpu.dram->write_rate = {dram_rate};
  gpu.stream = stream;
  return form_at(gpu, problem, parse_stream_config(text), kClock);
}

std::string pipelined(int stages) {
  return "elementwise_add_pipelined:block=8x256,stages=" + std::to_string(stages) +
         ",warps=4,vector=16,ctas=1,layout=plain,view=matrix,order=strided,hint=none";
}

}  // namespace

TEST_CASE("With many bytes in flight, the time is the bytes over DRAM's rate") {
  // 3 x 8192 x 4096 x 4 B = 402.65 MB at 1 TB/s take 402.65 us, or 805306 cycles at 2 GHz. In
  // flight are 10 SMs x 8 CTAs x 16 KiB per us: 1.31 TB/s of reads, 1.97 TB/s with the writes. That
  // is half of DRAM's time, so (1 + 0.51^3)^(1/3) = 1.042; and the first block adds 1 us of
  // latency.
  const StreamForm form = form_of(
      "elementwise_add:block=8x256,warps=4,vector=16,ctas=8,view=matrix,order=strided,hint=none",
      {8192, 4096, ElementType::kFp32});
  CHECK(form.limiter == Limiter::kDram);
  CHECK(form.cycles.value > 805306);
  CHECK(form.cycles.value < 805306 * 1.06);
  CHECK(form.dram_read.value == Approx(2 * 8192.0 * 4096 * 4));
  CHECK(form.dram_write.value == Approx(8192.0 * 4096 * 4));
}

TEST_CASE("With few bytes in flight, the time is a latency for every block") {
  // 4096 blocks of 8 KiB over 10 CTAs take 409.6 latencies of 1 us; the first latency comes before
  // the stream. DRAM would take 100.7 us: (1 + 0.246^3)^(1/3) = 1.005. 410.6 + 1 us are 823.2
  // kcycles.
  const StreamForm form = form_of(pipelined(1), {8192, 1024, ElementType::kFp32});
  CHECK(form.limiter == Limiter::kLatency);
  CHECK(form.cycles.value == Approx(823.2e3).epsilon(0.003));
}

TEST_CASE("Each buffer beyond the second divides the wait, until DRAM is the limit") {
  const StreamProblem problem{8192, 1024, ElementType::kFp32};
  const double one = form_of(pipelined(1), problem).cycles.value;
  const double two = form_of(pipelined(2), problem).cycles.value;
  const double three = form_of(pipelined(3), problem).cycles.value;
  const double four = form_of(pipelined(4), problem).cycles.value;
  CHECK(two == Approx(one));  // with free instructions there is nothing to overlap
  CHECK(three == Approx(two / 2).epsilon(0.05));
  CHECK(four < three);
  CHECK(four > one / 4);  // 100.7 us of DRAM time are a quarter of the time with one buffer
}

TEST_CASE("Bytes in flight are the inputs' blocks of every stage but the one in use") {
  GpuSpec gpu = simple_gpu();
  gpu.stream = StreamSpec{};
  // One CTA has 2 blocks x 8 KiB in flight with one buffer and with two, and twice as much with
  // three.
  for (const auto& [stages, times] : {std::pair{1, 1}, {2, 1}, {3, 2}}) {
    const StreamConfig config = parse_stream_config(pipelined(stages));
    const StreamProblem problem{4096, 4096, ElementType::kFp32};
    CHECK(form_at(gpu, problem, config, Hertz{1e9}).parts.in_flight.value == 2 * 8192.0 * times);
  }
}

TEST_CASE("Shared memory bounds the CTAs of an SM, on both sides of the edge") {
  const GpuSpec gpu = simple_gpu();
  // Three stages of A and B of 8 KiB each, 72 B of barriers and 1 KiB reserved are 50248 B. Four
  // CTAs fit in 233472 B, five do not.
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

/// Returns the ratio of cycles with `change` to cycles without it, for a large DRAM-bound copy or
/// addition.
double slowdown(const std::string& text, void (*change)(StreamSpec&)) {
  const bool copy = text.starts_with("memcpy");
  const StreamProblem problem =
      copy ? StreamProblem{1, i64{1} << 28, ElementType::kFp32, Op::kMemcpy}
           : StreamProblem{16384, 16384, ElementType::kFp32};
  StreamSpec stream = simple_stream();
  stream.load_latency = stream.bulk_latency = Seconds{1e-9};  // only DRAM matters
  const double before = form_of(text, problem, stream).cycles.value;
  change(stream);
  return form_of(text, problem, stream).cycles.value / before;
}

TEST_CASE("Independent walks, plain loads and hinted asynchronous loads lose equal shares") {
  const auto disorder = [](StreamSpec& s) { s.disorder_loss = 0.1; };
  const auto lost = [&](const std::string& text) {  // losses as shares of DRAM's rate
    return 1 - 1 / slowdown(text, disorder);
  };
  const std::string blocks = ",warps=8,vector=16,ctas=4,view=flat,order=blocks,hint=";
  const std::string copied = ",warps=8,vector=16,ctas=4,layout=plain,view=flat,order=";
  CHECK(lost("elementwise_add:block=8x256" + blocks + "none") == Approx(0.1).epsilon(0.01));
  CHECK(lost("elementwise_add:block=8x256" + blocks + "evict_first") == Approx(0.1).epsilon(0.01));
  const std::string asynchronous = "elementwise_add_cpasync:block=8x256" + copied;
  CHECK(lost(asynchronous + "blocks,hint=none") == Approx(0).margin(0.001));
  CHECK(lost(asynchronous + "strided,hint=none") == Approx(0.1).epsilon(0.01));
  CHECK(lost(asynchronous + "blocks,hint=loads_evict_first") == Approx(0.1).epsilon(0.01));
  CHECK(lost(asynchronous + "blocks,hint=stores_evict_first") == Approx(0).margin(0.001));
  CHECK(lost(asynchronous + "strided,hint=loads_evict_first") == Approx(0.2).epsilon(0.01));
}

TEST_CASE("Each doubling of the bytes in flight costs the same loss, from 32 KiB on") {
  const auto spread = [](StreamSpec& s) { s.spread_loss = 0.1; };
  // All stages but the one in use are in flight, with 16 KiB each: 128, 64, 32 and 16 KiB for 9, 5,
  // 3 and 2 stages.
  for (const auto& [stages, doublings] : {std::pair{9, 1}, {5, 0}, {3, -1}, {2, -1}}) {
    CHECK(slowdown("elementwise_add_tma:block=8x256,stages=" + std::to_string(stages) +
                       ",warps=8,ctas=1,layout=plain,view=flat,order=strided,hint=none",
                   spread) == Approx(1 / (1 - 0.1 * doublings)).epsilon(0.001));
  }
}

TEST_CASE("A request of 128 bytes loses three times as much as one of 256") {
  const auto narrow = [](StreamSpec& s) { s.narrow_loss = 0.05; };
  const auto with = [&](const char* block, int vector) {
    return slowdown("elementwise_add:block=" + std::string(block) + ",warps=8,vector=" +
                        std::to_string(vector) + ",ctas=4,view=matrix,order=blocks,hint=none",
                    narrow);
  };
  CHECK(with("8x256", 16) == Approx(1).epsilon(0.001));         // 32 threads x 16 B
  CHECK(with("8x256", 8) == Approx(1 / 0.95).epsilon(0.001));   // 256 B
  CHECK(with("32x64", 16) == Approx(1 / 0.95).epsilon(0.001));  // a row of the block, 256 B
  CHECK(with("8x256", 4) == Approx(1 / 0.85).epsilon(0.001));   // 128 B
}

TEST_CASE("A CTA per block waits for its slot's refill, and small copies for each of them") {
  StreamSpec stream = simple_stream();
  const StreamProblem problem{8192, 1024, ElementType::kFp32};  // 4096 blocks
  const std::string text =
      "elementwise_add_cpasync:block=8x256,warps=8,vector=4,ctas=8,layout=plain,view=matrix,"
      "order=blocks,hint=none";
  const double before = form_of(text, problem, stream, 1e18).cycles.value;
  // There are 80 slots with 51.2 blocks each, hence 50.2 refills.
  stream.cta_refill = Cycles{1000};
  const double refilled = form_of(text, problem, stream, 1e18).cycles.value;
  CHECK(refilled - before == Approx(50.2 * 1000).epsilon(0.001));
  // 2 x 2048 elements are 16 copies for each of 256 threads in every block.
  stream.small_copy = Cycles{100};
  CHECK(form_of(text, problem, stream, 1e18).cycles.value - refilled ==
        Approx(51.2 * 16 * 100).epsilon(0.001));
}

TEST_CASE("The rate of CTA starts limits kernels with a CTA per block, not resident ones") {
  StreamSpec stream = simple_stream();
  stream.load_latency = Seconds{1e-9};
  stream.cta_launch = Seconds{2e-9};
  const StreamProblem problem{1, i64{1} << 22, ElementType::kFp32, Op::kMemcpy};
  const auto cycles = [&](const std::string& order) {
    return form_of("memcpy:block=1x1024,warps=8,vector=16,ctas=4,order=" + order + ",hint=none",
                   problem, stream, 1e18)
        .cycles.value;
  };
  // 4096 blocks take 2 ns, or 4 cycles, each; the first load is added.
  CHECK(cycles("blocks") == Approx(4096 * 4 + 2).epsilon(0.001));
  CHECK(cycles("bounded") == Approx(4096 * 4 + 2).epsilon(0.001));
  CHECK(cycles("strided") < 4096);
}

TEST_CASE("Blocks drawn by tickets are limited by the rate of one counter") {
  StreamSpec stream = simple_stream();
  stream.bulk_latency = Seconds{1e-9};
  stream.ticket = Seconds{2e-9};
  const StreamProblem problem{1, i64{1} << 22, ElementType::kFp32, Op::kMemcpy};
  const auto cycles = [&](const std::string& order) {
    return form_of("memcpy_tma:block=1x1024,stages=4,warps=1,ctas=8,order=" + order + ",hint=none",
                   problem, stream, 1e18)
        .cycles.value;
  };
  // 4096 blocks less the first 320, which are planned, take 2 ns, or 4 cycles, each; the first load
  // is added.
  CHECK(cycles("tickets") == Approx((4096 - 320) * 4 + 2).epsilon(0.001));
  CHECK(cycles("strided") < 4096);
}

TEST_CASE("The copy engine's latency grows with the block, and its store with the bytes read out") {
  StreamSpec stream = simple_stream();
  const StreamProblem problem{1, i64{1} << 20, ElementType::kFp32, Op::kMemcpy};  // 4 MiB
  const std::string text =
      "memcpy_tma:block=1x4096,stages=1,warps=1,ctas=1,order=strided,hint=none";
  // 256 blocks of 16 KiB over 10 CTAs take 25.6 latencies.
  const double before = form_of(text, problem, stream, 1e18).cycles.value;
  CHECK(before == Approx(25.6 * 2000).epsilon(0.001));
  stream.bulk_rate = BytesPerSecond{16.384e9};  // 1 us for a block
  const double slower = form_of(text, problem, stream, 1e18).cycles.value;
  CHECK(slower == Approx(25.6 * 4000).epsilon(0.001));
  stream.bulk_read_out = BytesPerCycle{16.384};  // 1000 cycles for a block
  CHECK(form_of(text, problem, stream, 1e18).cycles.value == Approx(25.6 * 5000).epsilon(0.001));
}

TEST_CASE("A tiny problem is all launch and latency") {
  const StreamForm form = form_of(pipelined(2), {1, 256, ElementType::kFp32});
  CHECK(form.shares.dram < 0.01);
  CHECK(form.cycles.value == Approx(2000).epsilon(0.02));  // the load's latency
}

}  // namespace tilecast
