// Host cost of a library run, and the time of graphs of 64 dependent runs with ordinary and
// programmatic launches, compared with cuBLASLt's top heuristic. Started by hand on a device:
//   run_benchmark [OUT.csv]
// Host: median over batches of 64 calls, with the stream synchronized in between, so that no call
// waits for space in the queue. `launch` is the driver's launch of an empty kernel, a lower bound
// for any call. Graphs: replays alternate between the three variants in bursts; medians are
// reported. All variants compute the same GEMM, with C of each run as A of the next.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <tilecast/tilecast.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kernels/jit/compile.h"
#include "kernels/jit/cuda_error.h"
#include "kernels/jit/loaded_kernel.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/gemm/cublaslt.h"
#include "validate/measure/timing/replay.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;
using Call = std::function<void(const void* a, void* c, cudaStream_t stream)>;

constexpr int kRuns = 64;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class EmptyKernel {
 public:
  EmptyKernel()
      : kernel_(compile_kernel({.path = "empty.cu", .defines = {}}, kSources).cubin, "empty") {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    TILECAST_CUDA(cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &found, 12000,
                                                   cudaEnableDefault, &result));
    launch_ = reinterpret_cast<decltype(launch_)>(found);
  }

  void launch(cudaStream_t stream) const {
    const CUlaunchConfig config{.gridDimX = 1,
                                .gridDimY = 1,
                                .gridDimZ = 1,
                                .blockDimX = 1,
                                .blockDimY = 1,
                                .blockDimZ = 1,
                                .sharedMemBytes = 0,
                                .hStream = stream,
                                .attrs = nullptr,
                                .numAttrs = 0};
    if (launch_(&config, reinterpret_cast<CUfunction>(kernel_.handle()), nullptr, nullptr) !=
        CUDA_SUCCESS) {
      throw DeviceError("the empty kernel was not launched");
    }
  }

 private:
  static constexpr EmbeddedSource kSources[] = {
      {"empty.cu", "extern \"C\" __global__ void empty() {}"}};
  LoadedKernel kernel_;
  decltype(&cuLaunchKernelEx) launch_ = nullptr;
};

/// Returns nanoseconds per call.
double host_time(const Call& call, const void* a, void* c, cudaStream_t stream) {
  constexpr int kBatches = 101;
  std::vector<double> times;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = Clock::now();
    for (int run = 0; run < kRuns; ++run) {
      call(a, c, stream);
    }
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    TILECAST_CUDA(cudaStreamSynchronize(stream));
    times.push_back(spent.count() / kRuns);
  }
  return median(times);
}

Replay captured(const Call& call, void* even, void* odd, cudaStream_t stream) {
  return Replay(stream, true, [=] {
    for (int run = 0; run < kRuns; ++run) {
      call(run % 2 == 0 ? even : odd, run % 2 == 0 ? odd : even, stream);
    }
  });
}

/// Fills memory with normal(0, scale) in bf16.
void fill(const DeviceMemory& memory, double scale) {
  std::mt19937 draw(1);
  std::normal_distribution<float> normal(0, static_cast<float>(scale));
  std::vector<std::uint16_t> values(memory.bytes() / sizeof(std::uint16_t));
  for (std::uint16_t& value : values) {
    value = static_cast<std::uint16_t>(std::bit_cast<u32>(normal(draw)) >> 16);
  }
  TILECAST_CUDA(cudaMemcpy(memory.as<>(), values.data(), memory.bytes(), cudaMemcpyHostToDevice));
}

/// Returns microseconds per replay after an idle period, from CUDA events.
double replay_time(const Replay& graph, cudaEvent_t begin, cudaEvent_t end, cudaStream_t stream) {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  TILECAST_CUDA(cudaEventRecord(begin, stream));
  graph.launch();
  TILECAST_CUDA(cudaEventRecord(end, stream));
  TILECAST_CUDA(cudaEventSynchronize(end));
  float milliseconds = 0;
  TILECAST_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  return 1e3 * static_cast<double>(milliseconds);
}

Plan plan_of(i64 m, i64 side, bool programmatic) {
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.programmatic = programmatic ? 1 : 0;
  return Plan(problem(m, side, side, TILECAST_BF16), options);
}

std::string compare(const Cublaslt& library, const EmptyKernel& empty, i64 m, i64 side) {
  constexpr int kReplays = 31;
  const Plan ordinary = plan_of(m, side, false), programmatic = plan_of(m, side, true);
  const size_t workspace_bytes = ordinary.workspace_bytes();
  const DeviceMemory even(static_cast<std::size_t>(2 * m * side)),
      odd(static_cast<std::size_t>(2 * m * side)), b(static_cast<std::size_t>(2 * side * side)),
      workspace(std::max<std::size_t>(workspace_bytes, 16));
  fill(even, 1);
  fill(b, 1 / std::sqrt(static_cast<double>(side)));  // C has the size of A
  const Stream owned;
  const cudaStream_t stream = owned.get();
  ordinary.clear_workspace(workspace.as<>(), workspace.bytes(), stream);

  const auto run_of = [&](const Plan& plan) -> Call {
    return [&](const void* a, void* c, cudaStream_t on) {
      tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
      arguments.a = a;
      arguments.b = b.as<>();
      arguments.c = c;
      arguments.workspace = workspace.as<>();
      arguments.workspace_bytes = workspace.bytes();
      plan.run(arguments, on);
    };
  };
  const Call ours = run_of(ordinary), early = run_of(programmatic);
  const CublasltMatmul matmul(
      library, {.shape = {m, side, side}, .dtype = ElementType::kBf16, .layout = Layout::kTn},
      false);
  const cublasLtMatmulAlgo_t algorithm = matmul.algorithms(1).front();
  const Call theirs = [&](const void* a, void* c, cudaStream_t on) {
    matmul.run(algorithm, {.a = a, .b = b.as<>(), .c = c}, c, on);
  };
  const double launch = host_time([&](const void*, void*, cudaStream_t on) { empty.launch(on); },
                                  nullptr, nullptr, stream);
  const double our_host = host_time(ours, even.as<>(), odd.as<>(), stream);
  const double their_host = host_time(theirs, even.as<>(), odd.as<>(), stream);

  const Replay our_graph = captured(ours, even.as<>(), odd.as<>(), stream);
  const Replay early_graph = captured(early, even.as<>(), odd.as<>(), stream);
  const Replay their_graph = captured(theirs, even.as<>(), odd.as<>(), stream);
  cudaEvent_t begin = nullptr, end = nullptr;
  TILECAST_CUDA(cudaEventCreate(&begin));
  TILECAST_CUDA(cudaEventCreate(&end));
  std::vector<double> our_times, early_times, their_times;
  for (int i = 0; i < kReplays; ++i) {
    our_times.push_back(replay_time(our_graph, begin, end, stream));
    early_times.push_back(replay_time(early_graph, begin, end, stream));
    their_times.push_back(replay_time(their_graph, begin, end, stream));
  }
  TILECAST_CUDA(cudaEventDestroy(begin));
  TILECAST_CUDA(cudaEventDestroy(end));
  return fmt::format("{},{},{:.0f},{:.0f},{:.0f},{:.2f},{:.2f},{:.2f},{:.3f},{:.3f}\n", m, side,
                     launch, our_host, their_host, median(our_times), median(early_times),
                     median(their_times), median(their_times) / median(our_times),
                     median(our_times) / median(early_times));
}

void run(const char* path) {
  std::string csv =
      "m,n_and_k,launch_ns,host_ns,cublaslt_host_ns,graph_us,programmatic_graph_us,"
      "cublaslt_graph_us,speed,gain\n";
  std::fputs(csv.c_str(), stdout);
  const Cublaslt library;
  const EmptyKernel empty;
  for (const i64 m : {16, 128, 512, 2048, 4096}) {
    for (const i64 side : {256, 1024, 4096}) {
      const std::string line = compare(library, empty, m, side);
      std::fputs(line.c_str(), stdout);
      std::fflush(stdout);
      csv += line;
      if (std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w")) {
        std::fputs(csv.c_str(), file);
        std::fclose(file);
      }
    }
  }
}

}  // namespace
}  // namespace tilecast

int main(int argc, char** argv) {
  try {
    tilecast::run(argc > 1 ? argv[1] : nullptr);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
