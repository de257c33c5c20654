// Attention on a device, through the library's public interface: results against fp64 for random
// problems, strides and configurations, in threads and in graphs. [gpu]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "library/gpu_test.h"
#include "tests/catch.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

constexpr std::uint16_t kUnwritten = 0xffff;  // NaN in both types
constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

template <class T>
T one_of(std::initializer_list<T> from, std::mt19937& draw) {
  return from.begin()[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(draw)];
}

/// Strides of [b,h,s,d] or [b,s,h,d], sometimes with gaps.
tilecast_strides drawn_strides(std::int64_t heads, std::int64_t rows, std::int64_t head_dim,
                               std::mt19937& draw) {
  const std::int64_t gap = one_of<std::int64_t>({0, 8, 72}, draw);
  const std::int64_t inner = head_dim + gap;
  return one_of({true, false}, draw)
             ? tilecast_strides{heads * rows * inner + gap, rows * inner, inner}
             : tilecast_strides{heads * rows * inner + gap, inner, heads * inner};
}

tilecast_attention drawn_attention(std::mt19937& draw) {
  const std::int64_t kv_heads = one_of<std::int64_t>({1, 1, 2}, draw);
  tilecast_attention p = attention(
      one_of<std::int64_t>({1, 1, 2}, draw), kv_heads * one_of<std::int64_t>({1, 1, 2, 4, 7}, draw),
      kv_heads, one_of<std::int64_t>({1, 1, 3, 64, 77, 130}, draw),
      one_of<std::int64_t>({1, 2, 65, 128, 300, 517}, draw),
      one_of<std::int64_t>({64, 128, 256}, draw), one_of({TILECAST_FP16, TILECAST_BF16}, draw),
      one_of({TILECAST_MASK_FULL, TILECAST_MASK_CAUSAL}, draw));
  p.lse = one_of({0, 1}, draw);
  if (one_of({true, false}, draw)) {
    p.q = drawn_strides(p.heads, p.queries, p.head_dim, draw);
    p.k = drawn_strides(p.kv_heads, p.keys, p.head_dim, draw);
    p.v = drawn_strides(p.kv_heads, p.keys, p.head_dim, draw);
    p.o = drawn_strides(p.heads, p.queries, p.head_dim, draw);
  } else {
    p.layout = one_of({TILECAST_BHSD, TILECAST_BSHD}, draw);
  }
  return p;
}

/// A tensor of heads on host and device; poison between its rows.
struct HeadsTensor {
  HeadsTensor(const tilecast_attention& p, const tilecast_strides& given, std::int64_t heads,
              std::int64_t rows)
      : strides(given),
        bits(size(p, heads, rows), kUnwritten),
        values(bits.size()),
        device(2 * bits.size()) {}

  std::size_t size(const tilecast_attention& p, std::int64_t heads, std::int64_t rows) {
    if (strides.batch == 0) {
      strides = p.layout == TILECAST_BHSD
                    ? tilecast_strides{heads * rows * p.head_dim, rows * p.head_dim, p.head_dim}
                    : tilecast_strides{heads * rows * p.head_dim, p.head_dim, heads * p.head_dim};
    }
    return at(p.batch - 1, heads - 1, rows - 1) + static_cast<std::size_t>(p.head_dim);
  }
  std::size_t at(std::int64_t batch, std::int64_t head, std::int64_t row) const {
    return static_cast<std::size_t>(batch * strides.batch + head * strides.head +
                                    row * strides.row);
  }
  void fill(const tilecast_attention& p, std::int64_t heads, std::int64_t rows,
            std::mt19937& draw) {
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < p.batch * heads * rows; ++i) {
      const std::size_t begin = at(i / rows / heads, i / rows % heads, i % rows);
      for (std::int64_t d = 0; d < p.head_dim; ++d) {
        const std::size_t place = begin + static_cast<std::size_t>(d);
        bits[place] = to_bits(normal(draw), p.type);
        values[place] = from_bits(bits[place], p.type);
      }
    }
  }
  void set(std::int64_t row, std::size_t d, double value, int type) {
    const std::size_t place = at(0, 0, row) + d;
    bits[place] = to_bits(value, type);
    values[place] = value;
    upload();
  }
  void upload() const { device.fill(bits); }

  tilecast_strides strides;
  std::vector<std::uint16_t> bits;
  std::vector<double> values;
  DeviceBytes device;
};

struct AttentionSample {
  AttentionSample(const tilecast_attention& of, std::mt19937& draw)
      : p(of),
        scale(one_of({0.0F, 0.3F}, draw)),
        q(p, p.q, p.heads, p.queries),
        k(p, p.k, p.kv_heads, p.keys),
        v(p, p.v, p.kv_heads, p.keys),
        o(p, p.o, p.heads, p.queries),
        lse(static_cast<std::size_t>(p.batch * p.heads * p.queries) * sizeof(float)) {
    q.fill(p, p.heads, p.queries, draw);
    k.fill(p, p.kv_heads, p.keys, draw);
    v.fill(p, p.kv_heads, p.keys, draw);
    for (const HeadsTensor* tensor : {&q, &k, &v}) {
      tensor->upload();
    }
    reset();
  }

  void reset() const {
    o.upload();
    check_cuda(cudaMemset(lse.get(), 0xff, lse.size()));
    check_cuda(cudaDeviceSynchronize());
  }

  tilecast_attention_arguments arguments(const DeviceBytes& workspace) const {
    tilecast_attention_arguments result = TILECAST_ATTENTION_ARGUMENTS_INIT;
    result.q = q.device.get();
    result.k = k.device.get();
    result.v = v.device.get();
    result.o = o.device.get();
    result.lse = p.lse == 0 ? nullptr : static_cast<float*>(lse.get());
    result.scale = scale;
    result.workspace = workspace.get();
    result.workspace_bytes = workspace.size();
    return result;
  }

  /// Counts the elements of O and of log-sum-exps that differ from fp64 by more than rounding, and
  /// the elements between rows that were overwritten.
  std::size_t wrong(cudaStream_t stream) const {
    std::vector<std::uint16_t> got(o.bits.size());
    std::vector<float> got_lse(lse.size() / sizeof(float));
    check_cuda(cudaMemcpyAsync(got.data(), o.device.get(), o.device.size(), cudaMemcpyDeviceToHost,
                               stream));
    check_cuda(
        cudaMemcpyAsync(got_lse.data(), lse.get(), lse.size(), cudaMemcpyDeviceToHost, stream));
    check_cuda(cudaStreamSynchronize(stream));
    std::vector<double> o_row(static_cast<std::size_t>(p.head_dim));
    std::size_t count = 0;
    const auto differs = [](double value, double expected, double tolerance) {
      return std::isnan(expected) ? !std::isnan(value)
                                  : value != expected && !(std::abs(value - expected) <= tolerance);
    };
    for (std::int64_t i = 0; i < p.batch * p.heads * p.queries; ++i) {
      const std::int64_t batch = i / p.queries / p.heads, head = i / p.queries % p.heads;
      const double expected_lse = reference(batch, head, i % p.queries, o_row);
      const std::size_t begin = o.at(batch, head, i % p.queries);
      for (std::size_t d = 0; d < o_row.size(); ++d) {
        // O and each weight are rounded once. Values of V are below 5, and weights sum to 1.
        const double rounding = p.type == TILECAST_FP16 ? 0x1p-10 : 0x1p-7;
        count += differs(from_bits(got[begin + d], p.type), o_row[d], 4 * rounding) ? 1 : 0;
        got[begin + d] = kUnwritten;
      }
      if (p.lse != 0) {
        count += differs(got_lse[static_cast<std::size_t>(i)], expected_lse, 1e-3) ? 1 : 0;
      }
    }
    return count + static_cast<std::size_t>(std::ranges::count_if(
                       got, [](std::uint16_t bits) { return bits != kUnwritten; }));
  }

  tilecast_attention p;
  float scale;
  HeadsTensor q, k, v, o;
  DeviceBytes lse;

 private:
  /// Computes one row of O; returns its log-sum-exp.
  double reference(std::int64_t batch, std::int64_t head, std::int64_t query,
                   std::vector<double>& o_row) const {
    const std::int64_t kv_head = head / (p.heads / p.kv_heads);
    const std::int64_t seen = p.mask == TILECAST_MASK_FULL
                                  ? p.keys
                                  : std::max<std::int64_t>(0, query + 1 + p.keys - p.queries);
    const double factor = scale == 0 ? 1 / std::sqrt(static_cast<double>(p.head_dim)) : scale;
    std::vector<double> scores(static_cast<std::size_t>(seen), 0);
    std::ranges::fill(o_row, 0);
    const double* const q_row = &q.values[q.at(batch, head, query)];
    for (std::int64_t key = 0; key < seen; ++key) {
      const double* const k_row = &k.values[k.at(batch, kv_head, key)];
      scores[static_cast<std::size_t>(key)] =
          factor * std::inner_product(q_row, q_row + p.head_dim, k_row, 0.0);
    }
    if (seen == 0) {
      return kMinusInfinity;
    }
    const double largest = std::accumulate(
        scores.begin(), scores.end(), kMinusInfinity, [](double most, double score) {
          return std::isnan(score) || std::isnan(most) ? std::nan("") : std::max(most, score);
        });
    double sum = 0;
    for (std::int64_t key = 0; key < seen; ++key) {
      const double weight = std::exp(scores[static_cast<std::size_t>(key)] - largest);
      const double* const v_row = &v.values[v.at(batch, kv_head, key)];
      sum += weight;
      for (std::size_t d = 0; d < o_row.size(); ++d) {
        o_row[d] += weight * v_row[d];
      }
    }
    std::ranges::for_each(o_row, [&](double& element) { element /= sum; });
    return largest + std::log(sum);
  }
};

/// Creates a plan with one of the predicted fastest configurations.
Plan drawn_plan(const tilecast_attention& p, std::mt19937& draw) {
  const std::vector<tilecast_forecast> ranking = predict(p, TILECAST_OPTIONS_INIT, 100);
  for (int tries = 0;; ++tries) {
    tilecast_options options = TILECAST_OPTIONS_INIT;
    options.config =
        ranking[std::uniform_int_distribution<std::size_t>(0, ranking.size() - 1)(draw)].config;
    try {
      return Plan(p, options);
    } catch (const Failure& failure) {  // rejected by the compiler
      if (failure.status() != TILECAST_UNSUPPORTED || tries == 10) {
        throw;
      }
    }
  }
}

}  // namespace

TEST_CASE("Attention of random problems is correct, twice in one workspace", "[gpu]") {
  hopper_or_skip();
  const unsigned seed = daily_seed("attention problems of the library");
  constexpr unsigned kProblems = 16;
  std::vector<tilecast_attention> problems;
  std::vector<std::future<Plan>> plans;  // compiled at the same time
  for (unsigned i = 0; i < kProblems; ++i) {
    std::mt19937 draw(seed + i);
    problems.push_back(drawn_attention(draw));
    plans.push_back(std::async(std::launch::async, [p = problems.back(), draw, i]() mutable {
      return i % 4 == 0 ? Plan(p) : drawn_plan(p, draw);
    }));
  }
  const TestStream stream;
  for (unsigned i = 0; i < kProblems; ++i) {
    const tilecast_attention& p = problems[i];
    std::mt19937 draw(seed + i);
    const AttentionSample sample(p, draw);
    const Plan plan = plans[i].get();
    INFO(p.batch << "x" << p.heads << ":" << p.kv_heads << "x" << p.queries << "x" << p.keys << "x"
                 << p.head_dim << " type " << p.type << " mask " << p.mask << " layout " << p.layout
                 << " q " << p.q.batch << " " << p.q.head << " " << p.q.row << " "
                 << plan.forecast().config);
    const DeviceBytes workspace(plan.workspace_bytes());
    check_cuda(cudaMemset(workspace.get(), 0xff, workspace.size()));
    check_cuda(cudaDeviceSynchronize());
    plan.clear_workspace(workspace.get(), workspace.size(), stream.get());
    for (int run = 0; run < 2; ++run) {
      check_cuda(cudaStreamSynchronize(stream.get()));
      sample.reset();
      plan.run(sample.arguments(workspace), stream.get());
      CHECK(sample.wrong(stream.get()) == 0);
    }
  }
}

TEST_CASE("NaN and infinite scores reach the rows that attend to them and no others", "[gpu]") {
  hopper_or_skip();
  std::mt19937 draw(3);
  tilecast_attention p = attention(1, 1, 1, 150, 150, 128, TILECAST_BF16, TILECAST_MASK_CAUSAL);
  p.lse = 1;
  for (const char* tile : {"attention_single:tile=64x64", "attention_specialized:tile=128x64",
                           "attention_ping_pong:tile=128x64", "attention_overlap:tile=128x64"}) {
    const std::string config =
        std::string(tile) + ",stages=2,ctas=1,grid=tiles,order=static,splits=1,pack=no";
    INFO(config);
    tilecast_options options = TILECAST_OPTIONS_INIT;
    options.config = config.c_str();
    const Plan plan(p, options);
    const TestStream stream;
    const DeviceBytes workspace(plan.workspace_bytes());
    plan.clear_workspace(workspace.get(), workspace.size(), stream.get());
    const auto wrong_with = [&](HeadsTensor AttentionSample::*tensor, std::int64_t row,
                                double value) {
      AttentionSample sample(p, draw);
      (sample.*tensor).set(row, 5, value, p.type);
      check_cuda(cudaDeviceSynchronize());
      plan.run(sample.arguments(workspace), stream.get());
      return sample.wrong(stream.get());
    };
    CHECK(wrong_with(&AttentionSample::q, 3, std::nan("")) == 0);
    CHECK(wrong_with(&AttentionSample::k, 7, -kMinusInfinity) == 0);
    CHECK(wrong_with(&AttentionSample::v, 0, std::nan("")) == 0);
  }
}

TEST_CASE("One plan of attention runs in many threads, and in a graph", "[gpu]") {
  hopper_or_skip();
  std::mt19937 draw(1);
  tilecast_attention p = attention(2, 8, 2, 130, 1000, 128, TILECAST_BF16, TILECAST_MASK_CAUSAL);
  p.lse = 1;
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.config =
      "attention_specialized:tile=128x128,stages=2,ctas=1,grid=resident,order=dynamic,splits=3,"
      "pack=no";
  const Plan plan(p, options);
  constexpr std::size_t kThreads = 4;
  std::array<std::size_t, kThreads> wrong{};
  std::vector<std::unique_ptr<AttentionSample>> samples;
  for (std::size_t i = 0; i < kThreads; ++i) {
    samples.push_back(std::make_unique<AttentionSample>(p, draw));
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const TestStream stream;
        const DeviceBytes workspace(plan.workspace_bytes());
        plan.clear_workspace(workspace.get(), workspace.size(), stream.get());
        for (int run = 0; run < 50; ++run) {
          plan.run(samples[i]->arguments(workspace), stream.get());
        }
        wrong[i] = samples[i]->wrong(stream.get());
      });
    }
  }
  CHECK(std::ranges::count(wrong, 0U) == kThreads);

  const TestStream stream;
  const DeviceBytes workspace(plan.workspace_bytes());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check_cuda(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  plan.clear_workspace(workspace.get(), workspace.size(), stream.get());
  plan.run(samples[0]->arguments(workspace), stream.get());
  plan.run(samples[0]->arguments(workspace), stream.get());
  check_cuda(cudaStreamEndCapture(stream.get(), &graph));
  check_cuda(cudaGraphInstantiate(&ready, graph, 0));
  for (int replay = 0; replay < 3; ++replay) {
    samples[0]->reset();
    check_cuda(cudaGraphLaunch(ready, stream.get()));
    CHECK(samples[0]->wrong(stream.get()) == 0);
  }
  check_cuda(cudaGraphExecDestroy(ready));
  check_cuda(cudaGraphDestroy(graph));
}

TEST_CASE("Tuning of attention runs every candidate, and remembers the fastest", "[gpu]") {
  hopper_or_skip();
  std::mt19937 draw(2);
  const tilecast_attention p = attention(2, 8, 2, 16, 2000, 128, TILECAST_FP16);
  const AttentionSample sample(p, draw);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "tilecast_run_test" / "tuned_attention.jsonl";
  std::filesystem::remove(file);
  const std::string name = file.string();
  tilecast_tuning tuning = TILECAST_TUNING_INIT;
  tuning.file = name.c_str();
  tuning.candidates = 4;
  const TestStream stream;
  const DeviceBytes none(0);
  const auto tuned = [&] { return Plan::tuned(p, tuning, sample.arguments(none), stream.get()); };
  const std::string first = tuned().forecast().config;
  CHECK(sample.wrong(stream.get()) == 0);
  CHECK(tuned().forecast().config == first);  // read from the file
  std::ifstream written(file);
  CHECK(std::count(std::istreambuf_iterator<char>(written), {}, '\n') == 1);
}
