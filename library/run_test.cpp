// The library on a device, through its public interface: results against fp64, one plan in many
// threads, graphs. [gpu]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "library/gpu_test.h"
#include "tests/catch.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

std::int64_t between(std::int64_t least, std::int64_t most, std::mt19937& draw) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(draw);
}

tilecast_problem random_problem(std::mt19937& draw) {
  const auto type = static_cast<tilecast_type>(between(TILECAST_FP16, TILECAST_E5M2, draw));
  const std::int64_t step = is_fp8(type) ? 16 : 8;  // elements per 16 bytes
  const auto layout = static_cast<tilecast_layout>(
      between(TILECAST_TN, is_fp8(type) ? TILECAST_TN : TILECAST_TT, draw));
  const bool a_along_k = rows_of_a_are_of_k(layout), b_along_k = rows_of_b_are_of_k(layout);
  // Unaligned sizes: the operands are copied.
  const std::int64_t whole = between(0, 2, draw) == 0 ? 1 : step;
  const auto side = [&](bool in_rows, std::int64_t most) {
    return in_rows ? whole * between(1, most / whole, draw) : between(1, most, draw);
  };
  tilecast_problem p = problem(side(!a_along_k, 400), side(!b_along_k, 400),
                               side(a_along_k || b_along_k, 2400), type, layout);
  const std::int64_t a_row = a_along_k ? p.k : p.m, b_row = b_along_k ? p.k : p.n;
  p.type_c = is_fp8(type) && between(0, 1, draw) == 0 ? TILECAST_FP16 : 0;
  p.epilogue = static_cast<std::int32_t>(between(0, 1, draw));
  p.bias = static_cast<std::int32_t>(between(TILECAST_BIAS_NONE, TILECAST_BIAS_PER_COLUMN, draw));
  p.activation = static_cast<std::int32_t>(between(TILECAST_ACTIVATION_NONE, TILECAST_SILU, draw));
  p.residual = between(0, 2, draw) == 0 ? 1 : 0;
  p.lda = between(0, 1, draw) * (a_row + whole * between(0, 4, draw));
  p.ldb = between(0, 1, draw) * (b_row + whole * between(0, 4, draw));
  if (p.epilogue == TILECAST_EPILOGUE_NONE && p.n % 8 == 0) {
    p.ldc = between(0, 1, draw) * (p.n + 8 * between(0, 4, draw));
  }
  if (is_fp8(type) && between(0, 1, draw) == 0) {
    p.scales = static_cast<std::int32_t>(
        between(TILECAST_SCALES_PER_TENSOR, TILECAST_SCALES_PER_BLOCK, draw));
    if (p.scales == TILECAST_SCALES_PER_BLOCK) {
      p.ld_scale_a = between(0, 1, draw) * ((p.m + 3) / 4 + between(0, 5, draw)) * 4;
      p.ld_scale_b = between(0, 1, draw) * ((p.k + 127) / 128 + between(0, 5, draw));
    }
    return p;
  }
  if (between(0, 2, draw) == 0) {
    const auto stride = [&](std::int64_t rows, std::int64_t row) {
      const std::int64_t tight = (rows * row + step - 1) / step * step;
      const std::int64_t strides[] = {0, tight + step * between(0, 9, draw), TILECAST_SHARED};
      return strides[between(0, 2, draw)];
    };
    p.batch = between(2, 5, draw);
    p.stride_a = stride(a_along_k ? p.m : p.k, p.lda != 0 ? p.lda : a_row);
    p.stride_b = stride(b_along_k ? p.n : p.k, p.ldb != 0 ? p.ldb : b_row);
    p.stride_c = std::max<std::int64_t>(0, stride(p.m, p.ldc != 0 ? p.ldc : p.n));
  }
  return p;
}

/// Creates a plan with a configuration from the whole ranking. Every other plan uses programmatic
/// launches.
Plan random_plan(const tilecast_problem& of, std::mt19937& draw) {
  const std::vector<tilecast_forecast> ranking = predict(of, TILECAST_OPTIONS_INIT, 200);
  for (int tries = 0;; ++tries) {
    const auto drawn =
        static_cast<std::size_t>(between(0, static_cast<std::int64_t>(ranking.size()) - 1, draw));
    tilecast_options options = TILECAST_OPTIONS_INIT;
    options.config = ranking[tries == 0 ? 0 : drawn].config;
    options.programmatic = static_cast<std::int32_t>(drawn % 2);
    try {
      return Plan(of, options);
    } catch (const Failure& failure) {  // rejected by the compiler
      if (failure.status() != TILECAST_UNSUPPORTED || tries == 10) {
        throw;
      }
    }
  }
}

tilecast_arguments grouped_arguments(const DeviceBytes& a, const DeviceBytes& b,
                                     const DeviceBytes& c, const DeviceBytes& rows) {
  tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
  arguments.a = a.get();
  arguments.b = b.get();
  arguments.c = c.get();
  arguments.group_rows = static_cast<const std::int32_t*>(rows.get());
  return arguments;
}

double seconds_of_threads() {
  const char* given = std::getenv("TILECAST_TEST_SECONDS");
  return given == nullptr ? 2 : std::atof(given);
}

}  // namespace

TEST_CASE("Random problems are correct, twice in one workspace", "[gpu]") {
  hopper_or_skip();
  std::mt19937 draw(daily_seed("problems"));
  const TestStream stream;
  for (int i = 0; i < 24; ++i) {
    const tilecast_problem p = random_problem(draw);
    const bool scaled = p.epilogue == TILECAST_EPILOGUE_SCALED;
    Sample sample(p, scaled ? 0.75f : 1, scaled && i % 2 == 0 ? -1.5f : 0, draw);
    const Plan plan = random_plan(p, draw);
    INFO(p.m << "x" << p.n << "x" << p.k << " layout " << p.layout << " bias " << p.bias
             << " activation " << p.activation << " residual " << p.residual << " lda " << p.lda
             << " ldb " << p.ldb << " ldc " << p.ldc << " batch " << p.batch << " scales "
             << p.scales << " strides " << p.stride_a << " " << p.stride_b << " " << p.stride_c
             << " " << plan.forecast().config);
    const DeviceBytes workspace(plan.workspace_bytes());
    check_cuda(cudaMemset(workspace.get(), 0xff, workspace.size()));
    // The plan's stream is non-blocking, so it would not wait for this memset.
    check_cuda(cudaDeviceSynchronize());
    plan.clear_workspace(workspace.get(), workspace.size(), stream.get());
    for (int run = 0; run < 2; ++run) {
      check_cuda(cudaStreamSynchronize(stream.get()));
      sample.reset();
      plan.run(sample.arguments(workspace.get(), workspace.size()), stream.get());
      // overlaps the end of the first
      if (p.epilogue == TILECAST_EPILOGUE_NONE && p.residual == 0) {
        plan.run(sample.arguments(workspace.get(), workspace.size()), stream.get());
      }
      CHECK(sample.wrong(stream.get()) == 0);
    }
  }
}

TEST_CASE("C in fp32 is added to in place, exactly", "[gpu]") {
  hopper_or_skip();
  constexpr std::int64_t kSide = 128;
  std::vector<__half> a(kSide * kSide), b(kSide * kSide, __float2half(0));
  std::vector<float> c(kSide * kSide);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = __float2half(static_cast<float>(i % 31) - 15);
    b[i] = __float2half(i % (kSide + 1) == 0 ? 1 : 0);  // identity matrix
    c[i] = static_cast<float>(i) / 1024;
  }
  const DeviceBytes of_a(a), of_b(b), of_c(c);
  tilecast_problem p = problem(kSide, kSide, kSide, TILECAST_FP16);
  p.type_c = TILECAST_FP32;
  p.residual = 1;
  const Plan plan(p);
  const DeviceBytes workspace(plan.workspace_bytes());
  plan.clear_workspace(workspace.get(), workspace.size(), nullptr);
  tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
  arguments.a = of_a.get();
  arguments.b = of_b.get();
  arguments.c = of_c.get();
  arguments.residual = of_c.get();
  arguments.workspace = workspace.get();
  arguments.workspace_bytes = workspace.size();
  plan.run(arguments, nullptr);
  plan.run(arguments, nullptr);
  const std::vector<float> got = of_c.read<float>();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    wrong += got[i] == c[i] + 2 * (static_cast<float>(i % 31) - 15) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("A gate halves the columns of C, and amax is correct", "[gpu]") {
  hopper_or_skip();
  constexpr std::int64_t kRows = 70, kColumns = 144, kDepth = 64;
  // Every row of A B equals the first elements of b.
  std::vector<__half> a(kRows * kDepth, __float2half(0)), b(kColumns * kDepth, __float2half(0));
  for (std::int64_t i = 0; i < kRows; ++i) {
    a[static_cast<std::size_t>(i * kDepth)] = __float2half(1);
  }
  const auto value = [](std::int64_t column) {
    return static_cast<double>(column * 37 % 64) / 8 - 4;
  };
  for (std::int64_t i = 0; i < kColumns; ++i) {
    b[static_cast<std::size_t>(i * kDepth)] = __float2half(static_cast<float>(value(i)));
  }
  const DeviceBytes of_a(a), of_b(b), of_c(kRows * kColumns / 2 * 2), amax(4);
  check_cuda(cudaMemset(amax.get(), 0, amax.size()));
  check_cuda(cudaDeviceSynchronize());
  tilecast_problem p = problem(kRows, kColumns, kDepth, TILECAST_FP16);
  p.activation = TILECAST_SWIGLU;
  p.amax = 1;
  const Plan plan(p);
  tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
  arguments.a = of_a.get();
  arguments.b = of_b.get();
  arguments.c = of_c.get();
  arguments.amax = static_cast<float*>(amax.get());
  plan.run(arguments, nullptr);
  const std::vector<__half> got = of_c.read<__half>();
  const float found = amax.read<float>()[0];
  double largest = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i % (kColumns / 2));
    const double expected = activated(TILECAST_SILU, value(2 * column)) * value(2 * column + 1);
    largest = std::max(largest, std::abs(expected));
    // The error of silu is 2^-12 of 4 plus 2^-15, times 4; C is also rounded.
    wrong += std::abs(static_cast<double>(__half2float(got[i])) - expected) <=
                     0x1p-11 * std::abs(expected) + 0x1p-7
                 ? 0
                 : 1;
  }
  CHECK(wrong == 0);
  CHECK(static_cast<double>(found) == Approx(largest).epsilon(0.002));
}

TEST_CASE("Groups use the rows on the device, even if the plan expected others", "[gpu]") {
  hopper_or_skip();
  constexpr std::int64_t kSide = 128, kGroups = 4, kRows = 512;
  // B of group g is (g + 1) times the identity, so C is an exact multiple of A.
  std::vector<__half> a(kRows * kSide), b(kGroups * kSide * kSide, __float2half(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = __float2half(static_cast<float>(i % 31) - 15);
  }
  for (std::int64_t i = 0; i < kGroups * kSide; ++i) {
    b[static_cast<std::size_t>(i * kSide + i % kSide)] =
        __float2half(static_cast<float>(i / kSide + 1));
  }
  const DeviceBytes a_device(a), b_device(b), c_device(a.size() * 2),
      rows_device(kGroups * sizeof(std::int32_t));
  const TestStream stream;
  for (const std::int64_t capacity : {std::int64_t{0}, kRows / kGroups}) {
    tilecast_problem p = problem(kRows, kSide, kSide, TILECAST_FP16);
    p.groups = kGroups;
    p.group_capacity = capacity;
    const Plan plan(p);
    const std::vector<std::int32_t> rows = capacity == 0
                                               ? std::vector<std::int32_t>{0, 500, 501, 512}
                                               : std::vector<std::int32_t>{0, 128, 1, 77};
    rows_device.fill(rows);
    check_cuda(cudaMemset(c_device.get(), 0xff, c_device.size()));
    check_cuda(cudaDeviceSynchronize());
    const tilecast_arguments arguments =
        grouped_arguments(a_device, b_device, c_device, rows_device);
    plan.run(arguments, stream.get());
    check_cuda(cudaStreamSynchronize(stream.get()));
    const std::vector<__half> c = c_device.read<__half>();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i) / kSide;
      const auto ends = std::upper_bound(rows.begin(), rows.end(), row);
      const std::int64_t group = capacity == 0 ? ends - rows.begin() : row / capacity;
      const bool filled = capacity == 0 || row % capacity < rows[static_cast<std::size_t>(group)];
      const float got = __half2float(c[i]);
      wrong +=
          filled ? got != __half2float(a[i]) * static_cast<float>(group + 1) : !std::isnan(got);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Groups along K have a C each, and check_groups reports invalid groups", "[gpu]") {
  hopper_or_skip();
  constexpr std::int64_t kM = 64, kN = 128, kRows = 256, kGroups = 3;
  // A's rows are ones and each row of B holds its index, so C is the sum of the indices.
  std::vector<__half> a(kRows * kM, __float2half(1)), b(kRows * kN);
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = __float2half(static_cast<float>(i / kN % 4));
  }
  const DeviceBytes a_device(a), b_device(b), c_device(kGroups * kM * kN * 2),
      rows_device(kGroups * sizeof(std::int32_t));
  const auto put = [&](const std::vector<std::int32_t>& ends) {
    rows_device.fill(ends);
    // The plan's stream is non-blocking, so it would not wait for this memset.
    check_cuda(cudaDeviceSynchronize());
  };
  put({102, 102, 256});
  check_cuda(cudaMemset(c_device.get(), 0xff, c_device.size()));
  tilecast_problem p = problem(kM, kN, kRows, TILECAST_FP16, TILECAST_NT);
  p.groups = kGroups;
  p.group_side = TILECAST_GROUPS_ALONG_K;
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.check_groups = 1;
  const Plan plan(p, options);
  const TestStream stream;
  check_cuda(cudaDeviceSynchronize());
  const tilecast_arguments arguments = grouped_arguments(a_device, b_device, c_device, rows_device);
  plan.run(arguments, stream.get());
  check_cuda(cudaStreamSynchronize(stream.get()));
  const std::vector<__half> c = c_device.read<__half>();
  // Rows 0 to 101: 25 times 0 + 1 + 2 + 3, plus 0 + 1. Rows 102 to 255: 2 + 3, plus 38 times 6.
  const float sums[] = {151, 0, 233};
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    wrong += __half2float(c[i]) != sums[i / (kM * kN)];
  }
  CHECK(wrong == 0);
  put({102, 101, 256});
  try {
    plan.run(arguments, stream.get());
    FAIL("an end before the one before it was taken");
  } catch (const Failure& failure) {
    CHECK(failure.status() == TILECAST_INVALID_ARGUMENT);
    CHECK(contains(std::string(failure.what()),
                   "group_rows: group 1 ends at K 101: expected 102 to 256"));
  }
}

TEST_CASE("One plan runs in 16 threads on 16 streams", "[gpu]") {
  hopper_or_skip();
  constexpr int kThreads = 16;
  const tilecast_problem p = problem(256, 256, 4096, TILECAST_BF16);
  const Plan plan(p);
  std::atomic<std::size_t> wrong = 0, runs = 0, failed = 0;
  std::vector<std::thread> threads;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_of_threads());
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      try {
        std::mt19937 draw(static_cast<unsigned>(i));
        const TestStream stream;
        Sample sample(p, 1, 0, draw);
        const DeviceBytes workspace(plan.workspace_bytes());
        plan.clear_workspace(workspace.get(), workspace.size(), stream.get());
        do {
          check_cuda(cudaMemsetAsync(sample.c.get(), 0xff, sample.c.size(), stream.get()));
          for (int again = 0; again < 20; ++again) {
            plan.run(sample.arguments(workspace.get(), workspace.size()), stream.get());
          }
          wrong += sample.wrong(stream.get());
          runs += 20;
        } while (std::chrono::steady_clock::now() < end);
      } catch (const std::exception& error) {
        std::printf("thread %d: %s\n", i, error.what());
        ++failed;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::printf("%zu runs in 16 threads: %zu wrong elements\n", runs.load(), wrong.load());
  CHECK(failed == 0);
  CHECK(wrong == 0);
  CHECK(runs >= kThreads * 20);
}

namespace {

/// If a dimension is not a multiple of 8, each run copies its operands first. A run that does not
/// wait for its inputs would use columns of an earlier run.
void check_permutations(std::int64_t side, bool programmatic, const char* config = nullptr) {
  INFO(side << " " << programmatic << " " << (config == nullptr ? "" : config));
  constexpr int kRuns = 64;
  const std::size_t size = static_cast<std::size_t>(side);
  const tilecast_problem p = problem(side, side, side, TILECAST_FP16);
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.programmatic = programmatic ? 1 : 0;
  options.config = config;
  const Plan plan(p, options);
  std::mt19937 draw(daily_seed("permutation"));
  std::vector<std::size_t> from(size);
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = i;
  }
  std::shuffle(from.begin(), from.end(), draw);
  // B is [N,K]: column n of A B is column from[n] of A.
  std::vector<std::uint16_t> b(size * size, 0);
  for (std::size_t n = 0; n < from.size(); ++n) {
    b[n * size + from[n]] = to_bits(1, p.type);
  }
  const DeviceBytes b_device(b), even(b), odd(b), workspace(plan.workspace_bytes());
  check_cuda(cudaDeviceSynchronize());
  const TestStream stream;
  plan.clear_workspace(workspace.get(), workspace.size(), stream.get());

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  const auto run_all = [&] {
    for (int run = 0; run < kRuns; ++run) {
      tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
      arguments.a = run % 2 == 0 ? even.get() : odd.get();
      arguments.b = b_device.get();
      arguments.c = run % 2 == 0 ? odd.get() : even.get();
      arguments.workspace = workspace.get();
      arguments.workspace_bytes = workspace.size();
      plan.run(arguments, stream.get());
    }
  };
  check_cuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  run_all();
  check_cuda(cudaStreamEndCapture(stream.get(), &graph));
  std::size_t nodes = 0;
  check_cuda(cudaGraphGetNodes(graph, nullptr, &nodes));
  const std::size_t kernels = side % 8 == 0 ? 1 : 2;
  CHECK(nodes == kernels * std::size_t{kRuns});
  check_cuda(cudaGraphInstantiate(&replay, graph, 0));

  for (int times = 0; times < 4; ++times) {
    std::vector<std::uint16_t> values =
        normal_matrices(Matrices::of(side, side, 0, 1, 0), p.type, draw);
    even.fill(values);
    check_cuda(cudaDeviceSynchronize());
    if (times % 2 == 0) {
      check_cuda(cudaGraphLaunch(replay, stream.get()));
    } else {
      run_all();
    }
    check_cuda(cudaStreamSynchronize(stream.get()));
    for (int run = 0; run < kRuns; ++run) {
      std::vector<std::uint16_t> next(values.size());
      for (std::size_t i = 0; i < next.size(); ++i) {
        next[i] = values[i / size * size + from[i % size]];
      }
      values.swap(next);
    }
    CHECK((even.read<std::uint16_t>() == values));
  }
  check_cuda(cudaGraphExecDestroy(replay));
  check_cuda(cudaGraphDestroy(graph));
}

}  // namespace

TEST_CASE("64 dependent runs, in a graph or not, apply a permutation 64 times, exactly", "[gpu]") {
  hopper_or_skip();
  for (const bool programmatic : {false, true}) {
    check_permutations(512, programmatic);
    check_permutations(511, programmatic);
    for (const char* config :
         {"warp_specialized:tile=128x128x64,stages=5,cluster=2x1",
          "ping_pong:tile=64x128x64,stages=7", "split_k:tile=64x64x64",
          "persistent_overlap:tile=128x128x64,stages=5", "blocked_pipelined:tile=64x64x64"}) {
      check_permutations(512, programmatic, config);
    }
  }
  for (const std::int64_t side : {512, 511}) {  // as on GPUs before Hopper
    check_permutations(side, false, "multistage:tile=128x128x32");
  }
}

TEST_CASE("A thread without a current device runs on the plan's; another device is refused",
          "[gpu]") {
  hopper_or_skip();
  std::mt19937 draw(1);
  const tilecast_problem p = problem(64, 64, 64, TILECAST_FP16);
  const Plan plan(p);
  Sample sample(p, 1, 0, draw);
  const DeviceBytes workspace(plan.workspace_bytes());
  const TestStream stream;
  plan.clear_workspace(workspace.get(), workspace.size(), stream.get());
  const tilecast_arguments arguments = sample.arguments(workspace.get(), workspace.size());
  tilecast_status status = TILECAST_INTERNAL_ERROR;
  std::thread([&] { status = tilecast_plan_run(plan.get(), &arguments, stream.get()); }).join();
  CHECK(status == TILECAST_OK);
  CHECK(sample.wrong(stream.get()) == 0);

  int devices = 0;
  check_cuda(cudaGetDeviceCount(&devices));
  if (devices > 1) {
    check_cuda(cudaSetDevice(1));
    CHECK(tilecast_plan_run(plan.get(), &arguments, stream.get()) == TILECAST_WRONG_DEVICE);
    check_cuda(cudaSetDevice(0));
  }
}

TEST_CASE("Tuning selects the fastest measured candidate, and remembers it", "[gpu]") {
  hopper_or_skip();
  std::mt19937 draw(2);
  tilecast_problem p = problem(512, 1024, 2048, TILECAST_BF16);
  Sample sample(p, 1, 0, draw);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "tilecast_run_test" / "tuned.jsonl";
  std::filesystem::remove(file);
  const std::string name = file.string();
  tilecast_tuning tuning = TILECAST_TUNING_INIT;
  tuning.file = name.c_str();
  tuning.candidates = 6;
  const TestStream stream;
  const auto tune = [&](double& measured_us) {
    tilecast_plan* made = nullptr;
    const tilecast_arguments arguments = sample.arguments(nullptr, 0);
    check(tilecast_plan_tune(&p, nullptr, &tuning, &arguments, stream.get(), &made, &measured_us));
    tilecast_forecast forecast{};
    forecast.struct_size = sizeof forecast;
    check(tilecast_plan_forecast(made, &forecast));
    tilecast_plan_destroy(made);
    return std::string(forecast.config);
  };
  double first_us = 0, again_us = 0;
  const std::string first = tune(first_us);
  CHECK(sample.wrong(stream.get()) == 0);  // every candidate computes the same C
  // 2 x 512 x 1024 x 2048 FLOP take 2.2 us at 989 TFLOP/s.
  CHECK(first_us > 2.2);
  CHECK(first_us < 50);
  std::ifstream written(file);
  std::string line, more;
  REQUIRE(std::getline(written, line));
  CHECK_FALSE(std::getline(written, more));
  CHECK(line.find(first) < line.find("measured_us"));  // the fastest configuration is listed first
  std::size_t candidates = 0;
  for (std::size_t at = 0; (at = line.find("\"config\"", at)) != std::string::npos; ++at) {
    ++candidates;
  }
  CHECK(candidates >= 4);
  CHECK(candidates <= 6);

  CHECK(tune(again_us) == first);  // read from the file, with the identical number
  CHECK(again_us == first_us);
  p.m = 256;  // another problem has its own line
  tune(again_us);
  std::ifstream both(file);
  CHECK(std::count(std::istreambuf_iterator<char>(both), {}, '\n') == 2);

  const tilecast_arguments arguments = sample.arguments(nullptr, 0);
  CHECK(Plan::tuned(p, tuning, arguments, stream.get()).forecast().time_us > 0);
}

TEST_CASE("A host pointer is reported when the stream is synchronized, without a crash",
          "[.][lost_context]") {  // in a separate process, since the device's context is lost
  hopper_or_skip();
  const tilecast_problem p = problem(64, 64, 64, TILECAST_FP16);
  const Plan plan(p);
  alignas(16) static char memory[64 * 64 * 2];
  tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
  arguments.a = arguments.b = arguments.c = memory;
  CHECK(tilecast_plan_run(plan.get(), &arguments, nullptr) == TILECAST_OK);
  CHECK(cudaDeviceSynchronize() != cudaSuccess);
  CHECK(tilecast_plan_run(plan.get(), &arguments, nullptr) == TILECAST_CUDA_ERROR);
}
