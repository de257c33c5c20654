// Tests fused epilogues and types of C on the device: random problems, configurations and epilogues
// against a reference in fp64; every 16-bit value through every activation; NaN and infinities;
// strides of R; amax. TILECAST_TEST_TRIPLES sets the minimum number of checked triples.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/jit/copy_to_device.h"
#include "model/base/math.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/output/exact_math.h"
#include "model/gemm/rules/kernel_rules.h"
#include "tests/gemm_check.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"
#include "tests/h200.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

/// Returns no activation, and each activation of one column.
std::vector<OutputStep> activations() {
  std::vector<OutputStep> all = steps_of(OutputKind::kActivate);
  std::erase_if(all, [](OutputStep step) { return OutputSteps::columns_of(step) != 1; });
  all.insert(all.begin(), OutputStep{});
  return all;
}

double activated(OutputStep activation, double x) {
  double value = x;
  OutputSteps::visit<OutputKind::kActivate>(activation, [&](auto step) {
    if constexpr (step.kColumns == 1) {
      value = step.template apply<ExactMath>(x);
    }
  });
  return value;
}

/// The steps and the type that turn accumulators into C.
struct Result {
  Epilogue epilogue;
  ElementType c = ElementType::kBf16;  // as in GemmProblem
  Accumulate accumulate = Accumulate::kFast;
};

std::vector<Result> every_result() {
  std::vector<Result> all;
  for (const OutputStep bias : {OutputStep{}, step<BiasM>(), step<BiasN>()}) {
    for (const OutputStep activation : activations()) {
      if (const Epilogue epilogue{bias, activation}; fuses(epilogue)) {
        all.push_back({epilogue});
      }
    }
  }
  for (const char* words : {"residual", "bias_n+residual", "bias_m+gelu+residual", "swiglu",
                            "bias_n+geglu", "swiglu+amax", "relu+amax", "silu+residual+amax"}) {
    all.push_back({parse_epilogue(words)});
  }
  for (const char* words : {"none", "residual", "silu", "swiglu", "scale_row+residual"}) {
    all.push_back({parse_epilogue(words), ElementType::kFp32});
  }
  for (const char* words : {"scale_c", "bias_n+gelu+amax+scale_c", "scale_tensor+relu+scale_c"}) {
    all.push_back({parse_epilogue(words), ElementType::kE4m3});
  }
  for (const char* words : {"none", "bias_n+gelu+residual", "scale_row+swiglu", "scale_tensor+amax",
                            "scale_row+residual"}) {
    all.push_back({parse_epilogue(words), ElementType::kBf16, Accumulate::kExact});
  }
  return all;
}

int fewest_triples() {
  constexpr int kDefault = 400;
  const char* given = std::getenv("TILECAST_TEST_TRIPLES");
  return given == nullptr ? kDefault : std::atoi(given);
}

/// Problems of one epilogue, type and layout, and configurations drawn from their candidates: one
/// of each schedule, and one with a deferred store.
struct Family {
  std::vector<GemmProblem> problems;
  std::vector<KernelConfig> configs;
};

/// Returns the problem with rows of A and B in multiples of 16 bytes.
GemmProblem with_whole_rows(GemmProblem problem) {
  auto& [m, n, k] = problem.shape;
  m = a_is_k_major(problem.layout) ? m : round_up<i64>(m, 8);
  n = b_is_k_major(problem.layout) ? n : round_up<i64>(n, 8);
  n = gates(problem.epilogue) ? round_up<i64>(n, 2) : n;
  return problem;
}

GemmProblem random_problem(std::size_t size, const Result& result, std::mt19937& random) {
  const auto up_to = [&](i64 most) { return drawn_up_to(most, random); };
  const i64 sides[] = {64, 300, 1500}, depths[] = {8, 32, 200};
  constexpr ElementType kTypes[] = {ElementType::kFp16, ElementType::kBf16, ElementType::kE4m3};
  const bool scaled = result.epilogue.has(OutputKind::kScale);
  const bool fp8 = scaled || result.accumulate == Accumulate::kExact;
  const ElementType dtype = kTypes[fp8 ? 2 : random() % std::size(kTypes)];
  const Layout layout = kEveryLayout[is_fp8(dtype) ? 0 : random() % std::size(kEveryLayout)];
  return with_whole_rows(
      {.shape = {up_to(sides[size]), up_to(sides[size]), 16 * up_to(depths[size])},
       .dtype = dtype,
       .layout = layout,
       .epilogue = result.epilogue,
       .c = result.c,
       .accumulate = result.accumulate});
}

Family random_family(const GpuSpec& gpu, const Result& result, std::mt19937& random) {
  Family family;
  for (const std::size_t size : {0, 1, 1, 2, 2}) {
    family.problems.push_back(random_problem(size, result, random));
    family.problems.back().dtype = family.problems.front().dtype;
    family.problems.back().layout = family.problems.front().layout;
    family.problems.back() = with_whole_rows(family.problems.back());
  }
  for (const Schedule schedule : kWgmmaSchedules) {
    // Few problems are small enough for one MMA.
    const GemmProblem& of =
        schedule == Schedule::kSmallMma ? family.problems.front() : family.problems.back();
    const auto legal = enumerate_candidates(gpu, of, {schedule}).legal;
    if (!legal.empty()) {
      family.configs.push_back(legal[random() % legal.size()]);
    }
    std::vector<KernelConfig> deferred;
    std::ranges::copy_if(legal, std::back_inserter(deferred), [](const KernelConfig& config) {
      return config.store == Store::kDeferred;
    });
    if (!deferred.empty()) {
      family.configs.push_back(deferred[random() % deferred.size()]);
    }
  }
  return family;
}

void compile_all_of(const std::vector<Family>& families, GpuTestBench& bench) {
  std::vector<KernelSource> sources;
  for (const Family& family : families) {
    const GemmProblem& of = family.problems.front();
    for (const KernelConfig& config : family.configs) {
      sources.push_back(gemm_source(config, ProblemKind::of(of)));
    }
  }
  compile_ahead(sources, bench.cache);
}

/// Kernels of each path to C: slots, borrowed stages, deferred, turnstile, partial sums that the
/// last piece stores, partial sums that all pieces store, and last chunks without a swizzle.
constexpr const char* kWays[] = {
    "ws 128x128x32 s4 w2x1 c2x1 o1 i1 e2 m8",   "pi 64x64x32 s4 w1x1 c1x1 o1 i1 e0 m8",
    "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2d m8",  "pp 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m8",
    "sp 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m8 k2t", "sp 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m8 k2s",
    "ws 128x168x64 s4 w2x1 c1x1 o1 i1 e2d m8",  "pp 64x72x64 s4 w1x1 c1x1 o1 i1 e2 m8",
};

double value_of(unsigned short bits, ElementType type) {
  if (type == ElementType::kBf16) {
    return static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits) << 16));
  }
  const int exponent = bits >> 10 & 31;
  const double mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return sign *
         (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

/// Runs one launch on the caller's operands.
std::vector<unsigned short> run(GpuTestBench& bench, const char* text, const GemmProblem& problem,
                                const std::vector<unsigned short>& a,
                                const std::vector<unsigned short>& b,
                                const std::vector<unsigned short>& bias) {
  const HangGuard guard(text);
  bench.problem = problem;
  const KernelConfig config = gemm_config(text);
  LoadedKernel kernel = bench.load(config);
  const GemmLaunch launch(kernel, problem, config);
  const auto elements = static_cast<std::size_t>(problem.shape.m * problem.shape.n);
  const DeviceMemory a_device(a.size() * 2), b_device(b.size() * 2), c_device(elements * 2),
      bias_device(std::max<std::size_t>(1, bias.size()) * 2);
  const auto upload = [](const DeviceMemory& to, const std::vector<unsigned short>& from) {
    TILECAST_CUDA(cudaMemcpy(to.as<void>(), from.data(), from.size() * 2, cudaMemcpyDefault));
  };
  upload(a_device, a);
  upload(b_device, b);
  upload(bias_device, bias);
  launch.launch(launch.bind({.a = a_device.as<void>(),
                             .b = b_device.as<void>(),
                             .c = c_device.as<void>(),
                             .bias = bias.empty() ? nullptr : bias_device.as<void>()}),
                bench.stream.get());
  return copy_to_host(c_device.as<unsigned short>(), elements, bench.stream.get());
}

/// Kernels of each path to C with a residual, whose ring takes stages.
constexpr const char* kResidualWays[] = {
    "ws 128x128x32 s4 w2x1 c2x1 o1 i1 e2 m8",   "pi 64x64x32 s6 w1x1 c1x1 o1 i1 e0 m8",
    "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2d m8",  "sp 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m8 k2t",
    "sp 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m8 k2s", "pp 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m8",
};

bool takes(const KernelConfig& config, const GemmProblem& problem) {
  return why_no_kernel(ProblemKind::of(problem), config).empty();
}

constexpr unsigned short one(ElementType type) {
  return type == ElementType::kFp16 ? 0x3c00 : 0x3f80;
}

}  // namespace

TEST_CASE("Random epilogues of random problems are right in random configurations", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::mt19937 random(daily_seed("problems, configurations and epilogues"));
  int triples = 0, rejected = 0;
  std::map<Schedule, int> of_schedule;
  do {
    std::vector<Family> families;
    for (const Result& result : every_result()) {
      families.push_back(random_family(h200(), result, random));
    }
    compile_all_of(families, bench);
    for (const Family& family : families) {
      for (const GemmProblem& problem : family.problems) {
        bench.prepare(problem, Inputs::kNormal);
        for (const KernelConfig& config : family.configs) {
          if (check_legal(h200(), problem, config) != Refusal::kNone) {
            continue;
          }
          if (!compile_gemm(config, ProblemKind::of(problem), bench.cache).usable()) {
            ++rejected;
            continue;
          }
          const std::string what = to_text(problem) + " " + to_text(config);
          const HangGuard guard(what);
          INFO(what);
          const bool in_place = problem.epilogue.has(OutputKind::kLoad) && random() % 2 == 0;
          CHECK(bench.check(config, in_place).fault == "");
          ++triples;
          ++of_schedule[config.schedule];
        }
      }
    }
  } while (triples < fewest_triples());
  std::printf(
      "%d triples of problem, configuration and epilogue checked, %d with a rejected kernel\n",
      triples, rejected);
  for (const auto& [schedule, count] : of_schedule) {
    std::printf("  %s: %d\n", std::string(to_text(schedule)).c_str(), count);
  }
  CHECK(of_schedule.size() == std::size(kWgmmaSchedules));
  CHECK(rejected * 20 <= triples);
}

TEST_CASE("Every 16-bit value goes through every activation within the stated bound", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr i64 kValues = 1 << 16, kDepth = 8, kColumns = 8;
  for (const ElementType type : {ElementType::kFp16, ElementType::kBf16}) {
    // C[i, j] = value i times 1
    std::vector<unsigned short> a(kValues * kDepth, 0), b(kColumns * kDepth, 0);
    for (std::size_t i = 0; i < kValues; ++i) {
      a[i * kDepth] = static_cast<unsigned short>(i);
    }
    for (std::size_t j = 0; j < kColumns; ++j) {
      b[j * kDepth] = one(type);
    }
    const double rounding = unit_roundoff(type);
    for (const OutputStep activation : activations()) {
      const GemmProblem problem{{kValues, kColumns, kDepth}, type, Layout::kTn, {activation}};
      const std::vector<unsigned short> c = run(bench, kWays[3], problem, a, b, {});
      int wrong = 0;
      double most = 0;
      for (std::size_t i = 0; i < kValues; ++i) {
        const double x = value_of(static_cast<unsigned short>(i), type);
        const double expected = activated(activation, x);
        const double got = value_of(c[i * kColumns], type);
        const bool approximate = row_of(activation).approximate;
        const double bound =
            rounding * std::fabs(expected) + std::ldexp(1.0, -24) +
            (approximate ? std::ldexp(std::fabs(x), -12) + std::ldexp(1.0, -15) : 0);
        const bool right = std::isnan(expected)   ? std::isnan(got)
                           : std::isinf(expected) ? got == expected
                                                  : std::fabs(got - expected) <= bound;
        wrong += right ? 0 : 1;
        most =
            std::isfinite(x) && std::fabs(x) < 8 ? std::max(most, std::fabs(got - expected)) : most;
      }
      std::printf("%s %s: %d wrong, largest error below |x| = 8: %.2g\n",
                  std::string(to_text(type)).c_str(), to_text(problem.epilogue).c_str(), wrong,
                  most);
      INFO(to_text(problem.epilogue) << " " << to_text(type));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("NaN and infinity in the bias stay in their row or column, on every path to C", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr i64 kRows = 70, kColumns = 75, kDepth = 64;
  constexpr unsigned short kNan = 0x7e00, kInfinity = 0x7c00;
  constexpr std::size_t kNanAt = 67, kInfinityAt = 2;
  const std::vector<unsigned short> a(kRows * kDepth, 0), b(kColumns * kDepth, 0);
  for (const char* text : kWays) {
    for (const OutputStep kind : {step<BiasM>(), step<BiasN>()}) {
      const GemmProblem problem{
          {kRows, kColumns, kDepth}, ElementType::kFp16, Layout::kTn, {kind, step<Silu>()}};
      std::vector<unsigned short> bias(
          static_cast<std::size_t>(bias_elements({kind}, kRows, kColumns)), 0);
      bias[kNanAt] = kNan;
      bias[kInfinityAt] = kInfinity;
      const std::vector<unsigned short> c = run(bench, text, problem, a, b, bias);
      int wrong = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        const std::size_t element = kind == step<BiasM>() ? i / kColumns : i % kColumns;
        const double got = value_of(c[i], ElementType::kFp16);
        const bool right = element == kNanAt        ? std::isnan(got)
                           : element == kInfinityAt ? std::isinf(got)
                                                    : got == 0;
        wrong += right ? 0 : 1;
      }
      INFO(text << " " << to_text(problem.epilogue));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("R may have larger strides than C", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  for (const ElementType c : {ElementType::kBf16, ElementType::kFp32}) {
    for (const i64 apart : {8, 3}) {  // multiples of 16 bytes or not
      const GemmProblem problem{.shape = {200, 136, 96},
                                .dtype = ElementType::kBf16,
                                .layout = Layout::kTn,
                                .epilogue = {step<BiasN>(), step<Relu>(), step<Residual>()},
                                .c = c,
                                .batch = {.products = 3}};
      bench.prepare(problem, Inputs::kNormal);
      const i64 row = problem.shape.n + apart, stride = row * (problem.shape.m + 2);
      const DeviceMemory r(static_cast<std::size_t>(3 * stride * element_bytes(c)));
      bench.kernels.fill(r.as<void>(), static_cast<u64>(3 * stride), c, Inputs::kNormal, 99,
                         bench.stream.get());
      const auto with_r = [&](void* output) {
        GemmBuffers buffers = bench.buffers(output);
        buffers.residual = r.as<void>();
        buffers.residual_row = row;
        buffers.residual_matrix_stride = stride;
        return buffers;
      };
      bench.verifier.prepare(problem, with_r(nullptr));
      for (const char* text : kResidualWays) {
        const KernelConfig config = gemm_config(text);
        if (!takes(config, problem)) {
          continue;
        }
        const HangGuard guard(text);
        INFO(text << " " << to_text(c) << " " << apart);
        LoadedKernel kernel = bench.load(config);
        const GemmLaunch launch(kernel, problem, config);
        const Verdict verdict = bench.verifier.check(
            [&](void* output) { launch.launch(launch.bind(with_r(output)), bench.stream.get()); });
        CHECK(verdict.fault == "");
      }
    }
  }
}

TEST_CASE("NaN and infinity in R stay in their element, on every path to C", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr i64 kRows = 70, kColumns = 75;
  constexpr std::size_t kNanAt = 67 * kColumns + 71, kInfinityAt = 3 * kColumns + 2;
  const GemmProblem problem{.shape = {kRows, kColumns, 64},
                            .dtype = ElementType::kFp16,
                            .layout = Layout::kTn,
                            .epilogue = parse_epilogue("silu+residual"),
                            .c = ElementType::kFp32};
  bench.prepare(problem, Inputs::kZeros);
  std::vector<float> r(kRows * kColumns, 0);
  r[kNanAt] = std::numeric_limits<float>::quiet_NaN();
  r[kInfinityAt] = -std::numeric_limits<float>::infinity();
  copy_to_device(bench.residual.as<void>(), std::span<const float>(r));
  const DeviceMemory output(r.size() * sizeof(float));
  for (const char* text : kResidualWays) {
    const KernelConfig config = gemm_config(text);
    if (!takes(config, problem)) {
      continue;
    }
    const HangGuard guard(text);
    LoadedKernel kernel = bench.load(config);
    const GemmLaunch launch(kernel, problem, config);
    launch.launch(launch.bind(bench.buffers(output.as<void>())), bench.stream.get());
    const std::vector<float> c = copy_to_host(output.as<float>(), r.size(), bench.stream.get());
    int wrong = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const bool right = i == kNanAt        ? std::isnan(c[i])
                         : i == kInfinityAt ? std::isinf(c[i]) && c[i] < 0
                                            : c[i] == 0;
      wrong += right ? 0 : 1;
    }
    INFO(text);
    CHECK(wrong == 0);
  }
}

TEST_CASE("amax is NaN if a result is, and never below its initial value", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const GemmProblem problem{.shape = {70, 76, 64},
                            .dtype = ElementType::kFp16,
                            .layout = Layout::kTn,
                            .epilogue = parse_epilogue("bias_n+amax")};
  bench.prepare(problem, Inputs::kZeros);
  const auto amax_with = [&](unsigned short last_of_bias, float before) {
    std::vector<unsigned short> bias(76, 0x3c00);  // ones in fp16
    bias.back() = last_of_bias;
    copy_to_device(bench.bias.as<void>(), std::span<const unsigned short>(bias));
    const KernelConfig config = gemm_config(kWays[0]);
    LoadedKernel kernel = bench.load(config);
    const GemmLaunch launch(kernel, problem, config);
    const GemmBuffers buffers = bench.buffers(bench.c.as<void>());
    copy_to_device(buffers.amax, std::span<const float>(&before, 1));
    launch.launch(launch.bind(buffers), bench.stream.get());
    return copy_to_host(buffers.amax, 1, bench.stream.get()).front();
  };
  CHECK(amax_with(0xc200, 0) == 3);  // 0xc200 is -3
  CHECK(amax_with(0xc200, 5) == 5);
  CHECK(std::isnan(amax_with(0x7e00, 0)));
}
