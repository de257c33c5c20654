// Tests the attention harness on the device: random legal kernels give correct results on random
// problems, a wrong result is detected, and cuDNN is timed in the same run as tilecast's kernels.
#include "validate/measure/attention/attention_lab.h"

#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "model/attention/attention_model.h"
#include "model/attention/attention_text.h"
#include "model/gemm/menu/random_problems.h"
#include "model/spec/load_gpu.h"
#include "tests/attention_problem.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "tests/hang_guard.h"
#include "tests/seed.h"
#include "validate/measure/laboratory.h"

namespace tilecast {
namespace {

constexpr std::size_t kProblems = 300;

/// Draws lengths from 1 up, mostly not multiples of a tile; one KV head or many; more or fewer
/// queries than keys.
AttentionProblem random_attention(Random& random) {
  const bool many = random.one_in(8);  // query heads; if packed, over several warpgroups
  const i32 kv_heads = many ? random.one_of({1, 2}) : random.one_of({1, 1, 2, 3, 8});
  const i32 group = many ? random.one_of({65, 100, 128}) : random.one_of({1, 1, 2, 4, 7, 8});
  const bool decode = random.one_in(3);
  return {.batch = random.one_of({1, 1, 2, 5}),
          .heads = kv_heads * group,
          .kv_heads = kv_heads,
          .queries = decode ? random.one_of({1, 1, 2, 4, 9}) : static_cast<i32>(random.length(700)),
          .keys = static_cast<i32>(random.length(decode ? 9000 : 1500)),
          .head_dim = random.one_of({64, 128, 256}),
          .dtype = random.one_of({ElementType::kFp16, ElementType::kBf16}),
          .mask = random.one_of({AttentionMask::kFull, AttentionMask::kCausal}),
          .layout = random.one_of({AttentionLayout::kBhsd, AttentionLayout::kBshd}),
          .lse = random.one_in(2)};
}

std::vector<Point> random_points(const GpuSpec& gpu, u64 seed) {
  std::vector<Point> points;
  for (std::size_t number = 0; number < kProblems; ++number) {
    Random random(seed, number);
    const AttentionProblem problem = random_attention(random);
    // Runs one legal configuration of each schedule in turn.
    const auto legal =
        enumerate_candidates(gpu, problem,
                             {kEveryAttentionSchedule[number % kAttentionScheduleCount]})
            .legal;
    if (!legal.empty()) {
      const i64 drawn = random.between(0, static_cast<i64>(legal.size()) - 1);
      points.push_back({problem, to_text(legal[static_cast<std::size_t>(drawn)])});
    }
  }
  return points;
}

AttentionProblem problem_of(i32 batch, i32 heads, i32 queries, i32 keys) {
  AttentionProblem p = attention_of(batch, heads, heads, queries, keys);
  p.lse = true;
  return p;
}

/// The harness without its timing.
struct Bench {
  Device device = require_hopper();
  ActivityTimer activity;
  Stream stream;
  CubinCache cache;
  MicroKernels kernels{cache, device.sm_count, stream.get()};
  Nvml nvml{device_facts(device).pci_bus_id};
  RegimeTimer timer{activity, kernels, nvml, stream};
  AttentionLab lab{{device, device_facts(device).l2, cache, kernels, activity, timer, stream}};
};

}  // namespace

TEST_CASE("Random attention problems are right on random legal kernels", "[gpu]") {
  gpu_or_skip();
  Bench bench;
  const std::vector<Point> points =
      random_points(load_gpu("h200_sxm", false).spec, daily_seed("random attention"));
  std::vector<KernelSource> sources;
  for (const Point& point : points) {
    sources.push_back(attention_source(std::get<AttentionConfig>(parse_config(point.config)),
                                       std::get<AttentionProblem>(point.problem)));
  }
  compile_ahead(sources, bench.cache);
  int rejected = 0;
  for (const Point& point : points) {
    const std::string what = to_text(point.problem) + " " + point.config;
    INFO(what);
    const HangGuard guard(what);
    bench.lab.prepare(point.problem, Inputs::kNormal);
    Measurement row{.point = point};
    try {
      CHECK(bench.lab.contender(point.config, row)->check().fault == "");
    } catch (const ConfigError&) {  // rejected by the compiler
      ++rejected;
    }
  }
  std::printf("%zu pairs of problem and kernel, %d of them rejected by the compiler\n",
              points.size(), rejected);
  CHECK(points.size() * 10 >= kProblems * 9);
  CHECK(rejected * 20 <= static_cast<int>(points.size()));
}

TEST_CASE("Attention that skips a block of keys is wrong", "[gpu]") {
  gpu_or_skip();
  Bench bench;
  const AttentionProblem whole = problem_of(1, 1, 64, 2048);
  AttentionProblem cut = whole;
  cut.keys -= 64;
  const auto k = static_cast<std::size_t>(query_bytes(whole));
  const auto v = k + static_cast<std::size_t>(kv_bytes(whole) / 2);
  const DeviceMemory memory(k + static_cast<std::size_t>(kv_bytes(whole)));
  bench.kernels.fill(memory.as<void>(), memory.bytes() / sizeof(short), whole.dtype,
                     Inputs::kNormal, 1, bench.stream.get());
  const auto buffers = [&](const AttentionProblem& p, void* o, float* lse) {
    return tight_buffers(p, memory.as<void>(), memory.as<void>(k), memory.as<void>(v), o, lse);
  };
  AttentionVerifier verifier(bench.cache, bench.kernels, bench.stream);
  verifier.prepare(whole, buffers(whole, nullptr, nullptr));
  const std::string text =
      "attention_specialized:tile=64x64,stages=2,ctas=1,grid=tiles,order=static,splits=1,pack=no";
  const AttentionConfig config = std::get<AttentionConfig>(parse_config(text));
  for (const AttentionProblem& launched : {whole, cut}) {
    const CompiledKernel compiled = bench.cache.get(attention_source(config, launched));
    LoadedKernel kernel(compiled.cubin, kAttentionEntry);
    const AttentionLaunch launch(kernel, launched, config);
    const Verdict verdict = verifier.check([&](void* o, float* lse) {
      launch.launch(launch.bind(buffers(launched, o, lse), usual_scale(launched)),
                    bench.stream.get());
    });
    INFO(verdict.fault);
    CHECK(verdict.right() == (launched == whole));
  }
}

TEST_CASE("The log-sum-exp of rows without keys must be -infinity", "[gpu]") {
  gpu_or_skip();
  Bench bench;
  AttentionProblem problem = problem_of(1, 1, 128, 64);
  problem.mask = AttentionMask::kCausal;  // the first 64 queries attend to no key
  const auto k = static_cast<std::size_t>(query_bytes(problem));
  const auto v = k + static_cast<std::size_t>(kv_bytes(problem) / 2);
  const DeviceMemory memory(k + static_cast<std::size_t>(kv_bytes(problem)));
  bench.kernels.fill(memory.as<void>(), memory.bytes() / sizeof(short), problem.dtype,
                     Inputs::kNormal, 1, bench.stream.get());
  const auto buffers = [&](void* o, float* lse) {
    return tight_buffers(problem, memory.as<void>(), memory.as<void>(k), memory.as<void>(v), o,
                         lse);
  };
  AttentionVerifier verifier(bench.cache, bench.kernels, bench.stream);
  verifier.prepare(problem, buffers(nullptr, nullptr));
  const AttentionConfig config = std::get<AttentionConfig>(parse_config(
      "attention_specialized:tile=64x64,stages=2,ctas=1,grid=tiles,order=static,splits=1,pack=no"));
  LoadedKernel kernel(bench.cache.get(attention_source(config, problem)).cubin, kAttentionEntry);
  const AttentionLaunch launch(kernel, problem, config);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float first : {-kInfinity, kInfinity, 0.0f, -1e30f}) {
    const Verdict verdict = verifier.check([&](void* o, float* lse) {
      launch.launch(launch.bind(buffers(o, lse), usual_scale(problem)), bench.stream.get());
      TILECAST_CUDA(
          cudaMemcpyAsync(lse, &first, sizeof first, cudaMemcpyHostToDevice, bench.stream.get()));
    });
    INFO(first << ": " << verdict.fault);
    CHECK(verdict.right() == (first == -kInfinity));
  }
}

TEST_CASE("Attention is timed, and cuDNN in the same run", "[gpu]") {
  gpu_or_skip();
  Laboratory laboratory;
  // 4 x 16 heads x 4096 x 4096 x 128 x 4 = 550 GFLOP take over 556 us at 989 TFLOP/s.
  const AttentionProblem problem = problem_of(4, 16, 4096, 4096);
  for (const char* config :
       {"attention_overlap:tile=128x128,stages=2,ctas=1,grid=resident,order=dynamic,splits=1,"
        "pack=no",
        kCudnnAttention.data()}) {
    const Measurement row = laboratory.measure({.problem = problem, .config = config});
    INFO(config << ": " << row.reason);
    if (row.status == Status::kSkipped && is_baseline(config)) {
      continue;  // no cuDNN on this machine
    }
    REQUIRE(row.status == Status::kOk);
    CHECK(row.verified);
    CHECK(row.time->median > Seconds{556e-6});
    CHECK(row.time->median < Seconds{1200e-6});
    CHECK(row.sm_clock.has_value());
  }
}

}  // namespace tilecast
