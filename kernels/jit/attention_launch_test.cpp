// Compiles the attention kernels, and runs them on the device against fp64 sums on the host. Inputs
// are multiples of 1/16 from -2 to 2, exact in fp16 and bf16. O is surrounded by poisoned memory.
#include "kernels/jit/attention_launch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "tests/hang_guard.h"
#include "tests/seed.h"
#include "tests/whole_numbers.h"

namespace tilecast {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kGuardElements = 4096;
constexpr unsigned short kPoison = 0x7fff;  // NaN in both types

/// Encodes a number that both types represent exactly, or NaN or an infinity.
unsigned short bits_of_exact(double value, ElementType dtype) {
  if (dtype == ElementType::kBf16) {
    return static_cast<unsigned short>(std::bit_cast<u32>(static_cast<float>(value)) >> 16);
  }
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  if (value == 0 || !std::isfinite(value)) {
    return static_cast<unsigned short>(sign | (value == 0          ? 0
                                               : std::isnan(value) ? 0x7e00
                                                                   : 0x7c00));
  }
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  return static_cast<unsigned short>(sign | static_cast<unsigned>(exponent + 14) << 10 |
                                     static_cast<unsigned>((2 * fraction - 1) * 1024));
}

double value_of(unsigned short bits, ElementType dtype) {
  if (dtype == ElementType::kBf16) {
    return std::bit_cast<float>(static_cast<u32>(bits) << 16);
  }
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double size = exponent == 31  ? (mantissa == 0 ? kInfinity : std::nan(""))
                      : exponent == 0 ? std::ldexp(mantissa, -24)
                                      : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// The elements of Q, K or V in memory order.
struct Heads {
  AttentionStrides strides;
  std::vector<double> values;

  Heads(const AttentionProblem& p, i64 heads, i64 rows)
      : strides(attention_strides(p.layout, heads, rows, p.head_dim)),
        values(static_cast<std::size_t>(p.batch * heads * rows * p.head_dim)) {}
  std::size_t at(i64 batch, i64 head, i64 row) const {
    return static_cast<std::size_t>(batch * strides.batch + head * strides.head +
                                    row * strides.row);
  }
  std::vector<unsigned short> bits(ElementType dtype) const {
    std::vector<unsigned short> all;
    std::ranges::transform(values, std::back_inserter(all),
                           [&](double value) { return bits_of_exact(value, dtype); });
    return all;
  }
};

struct Inputs {
  Heads q, k, v;

  Inputs(const AttentionProblem& p, std::mt19937& random)
      : q(p, p.heads, p.queries), k(p, p.kv_heads, p.keys), v(p, p.kv_heads, p.keys) {
    std::uniform_int_distribution<int> sixteenths(-32, 32);
    for (Heads* heads : {&q, &k, &v}) {
      std::ranges::generate(heads->values, [&] { return sixteenths(random) / 16.0; });
    }
  }
};

/// One row of the output with its log-sum-exp.
struct Row {
  std::vector<double> o;
  double lse;
};
Row reference_row(const AttentionProblem& p, const Inputs& in, double scale, i32 batch, i32 head,
                  i32 query) {
  const auto d = static_cast<std::size_t>(p.head_dim);
  const auto seen = static_cast<std::size_t>(keys_seen(p, query));
  const double* const q = &in.q.values[in.q.at(batch, head, query)];
  const i32 kv_head = head / heads_per_kv(p);
  std::vector<double> scores(seen);
  double largest = -kInfinity;
  for (std::size_t key = 0; key < seen; ++key) {
    const double* const k = &in.k.values[in.k.at(batch, kv_head, static_cast<i64>(key))];
    for (std::size_t i = 0; i < d; ++i) {
      scores[key] += q[i] * k[i] * scale;
    }
    largest = std::isnan(scores[key]) ? scores[key] : std::max(largest, scores[key]);
  }
  Row row{std::vector<double>(d), -kInfinity};
  double sum = 0;
  for (std::size_t key = 0; key < seen; ++key) {
    const double weight = std::exp(scores[key] - largest);
    const double* const v = &in.v.values[in.v.at(batch, kv_head, static_cast<i64>(key))];
    sum += weight;
    for (std::size_t i = 0; i < d; ++i) {
      row.o[i] += weight * v[i];
    }
  }
  if (seen > 0) {
    row.lse = largest + std::log(sum);
    std::ranges::for_each(row.o, [&](double& value) { value /= sum; });
  }
  return row;
}

std::string shown(const AttentionConfig& c) {
  return std::string(traits_of(c.schedule).name) + " groups " + std::to_string(c.groups) + " kv " +
         std::to_string(c.kv_block) + " stages " + std::to_string(c.stages) + " order " +
         std::to_string(static_cast<i32>(c.order)) + " grid " +
         std::to_string(static_cast<i32>(c.grid)) + " splits " + std::to_string(c.splits) +
         (c.pack ? " packed" : "");
}
std::string shown(const AttentionProblem& p) {
  std::string text;
  for (const i32 side : {p.batch, p.heads, p.kv_heads, p.queries, p.keys, p.head_dim}) {
    text += std::to_string(side) + " ";
  }
  return text + (p.dtype == ElementType::kBf16 ? "bf16" : "fp16") +
         (is_causal(p) ? " causal" : "") + (p.layout == AttentionLayout::kBshd ? " bshd" : "");
}

bool close(double got, double want, double tolerance) {
  return std::isnan(want) ? std::isnan(got) : got == want || std::abs(got - want) <= tolerance;
}

/// Launches twice: the second time with the counters and partial results left by the first.
void check_attention(const AttentionProblem& p, const AttentionConfig& config, const Inputs& in) {
  INFO(shown(config) << " on " << shown(p));
  CubinCache cache;
  const CompiledKernel compiled = cache.get(attention_source(config, p));
  REQUIRE(compiled.rejection == "");
  const HangGuard guard(shown(config) + " on " + shown(p));
  LoadedKernel kernel(compiled.cubin, kAttentionEntry);
  const AttentionLaunch launch(kernel, p, config);
  const std::size_t rows = static_cast<std::size_t>(p.batch) * static_cast<std::size_t>(p.heads) *
                           static_cast<std::size_t>(p.queries);
  const Heads of_o(p, p.heads, p.queries);
  const std::vector<unsigned short> poison(of_o.values.size() + kGuardElements, kPoison);
  DeviceArray q(in.q.values.size() * 2), k(in.k.values.size() * 2), v(in.v.values.size() * 2),
      o(poison.size() * 2), lse(rows * sizeof(float));
  q.fill(in.q.bits(p.dtype));
  k.fill(in.k.bits(p.dtype));
  v.fill(in.v.bits(p.dtype));
  const double scale = 1 / std::sqrt(p.head_dim);
  const AttentionArgs args =
      launch.bind(tight_buffers(p, q.get(), k.get(), v.get(), o.get(),
                                p.lse ? static_cast<float*>(lse.get()) : nullptr),
                  static_cast<float>(scale));
  for (int turn = 0; turn < 2; ++turn) {
    o.fill(poison);
    launch.launch(args, nullptr);
    TILECAST_CUDA(cudaDeviceSynchronize());
  }
  const auto got = o.read<unsigned short>(poison.size());
  const auto got_lse = lse.read<float>(rows);
  CHECK(std::all_of(got.end() - kGuardElements, got.end(),
                    [](unsigned short bits) { return bits == kPoison; }));
  // Weights and outputs of up to 2 are rounded once each.
  const double tolerance = p.dtype == ElementType::kBf16 ? 0.016 : 0.002;
  for (i32 batch = 0; batch < p.batch; ++batch) {
    for (i32 head = 0; head < p.heads; ++head) {
      for (i32 query = 0; query < p.queries; ++query) {
        const Row want = reference_row(p, in, scale, batch, head, query);
        const std::size_t begin = of_o.at(batch, head, query);
        for (std::size_t i = 0; i < want.o.size(); ++i) {
          const double value = value_of(got[begin + i], p.dtype);
          if (!close(value, want.o[i], tolerance)) {
            FAIL("batch " << batch << ", head " << head << ", query " << query << ", column " << i
                          << ": " << value << " instead of " << want.o[i]);
          }
        }
        const std::size_t row =
            static_cast<std::size_t>((batch * p.heads + head) * p.queries + query);
        if (p.lse && !close(got_lse[row], want.lse, 1e-3)) {
          FAIL("batch " << batch << ", head " << head << ", query " << query << ": log-sum-exp "
                        << got_lse[row] << " instead of " << want.lse);
        }
      }
    }
  }
}

AttentionConfig config_of(AttentionSchedule schedule, i32 groups, i32 kv_block, i32 stages) {
  return {.schedule = schedule,
          .groups = groups,
          .kv_block = kv_block,
          .stages = stages,
          .ctas_per_sm = 1,
          .grid = AttentionGrid::kTiles,
          .order = AttentionOrder::kStatic,
          .splits = 1,
          .pack = false};
}

using enum AttentionSchedule;

/// Small and large tiles per head dimension that fit registers and shared memory.
std::vector<AttentionConfig> configs_of(i32 head_dim) {
  const i32 wide = head_dim == 64 ? 192 : head_dim == 128 ? 176 : 80;
  const i32 narrow = head_dim == 64 ? 128 : 80;  // for three warpgroups
  std::vector<AttentionConfig> all{
      config_of(kSingle, 1, 64, 1),      config_of(kSingle, 1, 48, 2),
      config_of(kSpecialized, 1, 64, 2), config_of(kSpecialized, 2, 80, 2),
      config_of(kPingPong, 2, 64, 2),    config_of(kOverlap, 1, 32, 3),
      config_of(kOverlap, 2, wide, 1),
  };
  if (head_dim < 256) {
    all.push_back(config_of(kSpecialized, 3, narrow, 2));
    all.push_back(config_of(kPingPong, 3, narrow, 2));
    all.push_back(config_of(kOverlap, 3, narrow, 2));
  }
  return all;
}

AttentionProblem problem_of(i32 head_dim, AttentionMask mask) {
  return {.batch = 1,
          .heads = 1,
          .kv_heads = 1,
          .queries = 128,
          .keys = 256,
          .head_dim = head_dim,
          .dtype = ElementType::kBf16,
          .mask = mask,
          .layout = AttentionLayout::kBhsd,
          .lse = true};
}

}  // namespace

TEST_CASE("Attention kernels compile without spills") {
  Turns turns("attention kernels to compile", 4);
  CubinCache none{std::filesystem::path()};
  for (const i32 head_dim : {64, 128, 256}) {
    for (const AttentionMask mask : {AttentionMask::kFull, AttentionMask::kCausal}) {
      for (const AttentionConfig& config : configs_of(head_dim)) {
        if (!turns.due()) {
          continue;
        }
        INFO(shown(config) << " of head dimension " << head_dim);
        const CompiledKernel kernel =
            none.get(attention_source(config, problem_of(head_dim, mask)));
        INFO(kernel.log);
        CHECK(kernel.rejection == "");
      }
    }
  }
}

TEST_CASE("Attention kernels agree with fp64 on random problems", "[gpu]") {
  gpu_or_skip();
  std::mt19937 random(daily_seed("attention on random problems"));
  const auto drawn = [&](std::initializer_list<i32> from) {
    return from.begin()[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
  };
  for (const i32 head_dim : {64, 128, 256}) {
    for (AttentionConfig config : configs_of(head_dim)) {
      for (int turn = 0; turn < 4; ++turn) {
        const i32 group = drawn({1, 1, 2, 3, 7, 8});
        AttentionProblem p = problem_of(
            head_dim, drawn({0, 1}) == 0 ? AttentionMask::kFull : AttentionMask::kCausal);
        p.batch = drawn({1, 1, 2});
        p.kv_heads = drawn({1, 1, 3});
        p.heads = p.kv_heads * group;
        p.queries = drawn({1, 1, 3, 64, 77, 200, 300});
        p.keys = drawn({1, 2, 65, 128, 300, 517});
        p.dtype = drawn({0, 1}) == 0 ? ElementType::kFp16 : ElementType::kBf16;
        p.layout = drawn({0, 1}) == 0 ? AttentionLayout::kBhsd : AttentionLayout::kBshd;
        p.lse = drawn({0, 1}) == 0;
        config.pack = drawn({0, 1}) == 1;
        config.splits = drawn({1, 1, 2, 3, 9});
        if (!fits_registers(config, head_dim)) {
          config.splits = 1;
        }
        const bool resident = config.schedule != kSingle && drawn({0, 1}) == 1;
        const bool clusters = !resident && config.splits > 1 &&
                              part_fits_stages(config, head_dim) && drawn({0, 1}) == 1;
        config.grid = resident   ? AttentionGrid::kResident
                      : clusters ? AttentionGrid::kClusters
                                 : AttentionGrid::kTiles;
        if (!fits_registers(config, head_dim)) {
          config.grid = AttentionGrid::kTiles;
        }
        config.order = resident && drawn({0, 1}) == 1 ? AttentionOrder::kDynamic
                       : drawn({0, 1}) == 1           ? AttentionOrder::kLongestFirst
                                                      : AttentionOrder::kStatic;
        check_attention(p, config, Inputs(p, random));
      }
    }
  }
}

TEST_CASE("Attention propagates NaN and infinite scores to the rows that attend to them", "[gpu]") {
  gpu_or_skip();
  std::mt19937 random(1);
  AttentionProblem p = problem_of(128, AttentionMask::kCausal);
  p.queries = p.keys = 150;
  for (const AttentionSchedule schedule : {kSingle, kSpecialized, kPingPong, kOverlap}) {
    const AttentionConfig config = config_of(schedule, schedule == kSingle ? 1 : 2, 64, 2);
    Inputs nan_query(p, random);
    nan_query.q.values[nan_query.q.at(0, 0, 3) + 5] = std::nan("");
    check_attention(p, config, nan_query);
    Inputs infinite_key(p, random);  // its scores are +-infinity
    infinite_key.k.values[infinite_key.k.at(0, 0, 7) + 1] = kInfinity;
    check_attention(p, config, infinite_key);
    Inputs nan_value(p, random);
    nan_value.v.values[nan_value.v.at(0, 0, 0) + 2] = std::nan("");
    check_attention(p, config, nan_value);
  }
}

}  // namespace tilecast
