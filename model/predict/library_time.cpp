#include "model/predict/library_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>

#include "model/base/element_type_text.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/ops/problem_fields.h"
#include "model/spec/kept_gpu.h"

namespace tilecast {
namespace {

struct VendorLibrary {
  Op op;
  std::string_view word, name;
  std::string_view fields;  // columns between dtype and regime: fields of the problem
};
constexpr VendorLibrary kLibraries[] = {
    {Op::kGemm, "cublaslt", "cuBLASLt", "dtype_c,layout,epilogue,accumulate,lda,ldb,ldc"},
    {Op::kAttention, "cudnn", "cuDNN", "mask,layout,lse"}};

const VendorLibrary* find_library(Op op) {
  const auto* const found = std::ranges::find(kLibraries, op, &VendorLibrary::op);
  return found == std::end(kLibraries) ? nullptr : found;
}

constexpr std::string_view kTimeColumn = "time_us", kForecastColumn = "forecast_us";

// Widths of the two kernel averages, in units of the features, and the weights of the priors with
// which they are averaged. Chosen by eight-fold cross-validation over problems
// (library_time_test.cpp).
constexpr double kNarrow = 0.3, kWide = 1.2, kPull = 0.5, kPullOfAll = 0.02;
// Half-width of the 90 % interval, in standard deviations of the ratios around their mean; and the
// lowest standard deviation, which is the spread between GPUs and repeats.
constexpr double kReach = 1.6, kLeastDeviation = 0.012, kDeviationOfAll = 0.2;
// If the forecast stored with a row differs from the current one by more than this, an older model
// made it: only the row's ratio is used, not its time.
constexpr double kSameForecast = 0.03;

// Length scales of the features; problems further apart are hardly correlated. In order: logarithm
// of M and of N; of K; filled part of the last wave; logarithm of alignments; logarithm of the
// batch. Then come distances between categories.
constexpr double kSide = 1.5, kDepth = 2, kFilled = 0.25, kAligned = 10 / 3.0, kBatch = 3;
constexpr double kOtherKernels = 6, kFp8 = 4, kBlockScales = 4, kScales = 2, kOtherLayout = 0.7,
                 kExact = 1, kEpilogue = 0.5, kOtherRegime = 1;
constexpr double kMicrosecond = 1e-6;
// The same for attention: logarithm of queries, keys, head dimension, KV heads, heads per KV head;
// of decode's bytes, because cuDNN has a longer fixed time and a higher rate. Then come distances
// between masks, decode and prefill, a few queries, lengths that are not multiples of 64, and
// options.
constexpr double kQueries = 3, kKeys = 4, kKvHeads = 6, kSharing = 4, kDecodeBytes = 2;
constexpr double kCausal = 2, kDecode = 3, kFewQueries = 6, kRagged = 4, kOption = 1;

using ProblemFeatures = LibraryRows::Features;

/// log2 of the alignment in bytes of rows of `elements`, at most 16 bytes.
i32 log2_alignment(i64 elements, i32 bytes) {
  i32 log2 = 0;
  while (log2 < 4 && ((elements * bytes) >> log2) % 2 == 0) {
    ++log2;
  }
  return log2;
}

/// Fraction of the last wave's SMs that have a tile, on average over the waves.
double filled(int sms, const GemmProblem& p, i64 block_m, i64 block_n) {
  const double waves = static_cast<double>(ceil_div(p.shape.m, block_m) *
                                           ceil_div(p.shape.n, block_n) * p.batch.products) /
                       sms;
  return waves / std::ceil(waves);
}

double log2_of(i64 count) { return std::log2(static_cast<double>(count)); }
double if_so(bool so, double apart) { return so ? apart : 0.0; }

/// log2 of the alignment of the rows of A, B and C, in pitch and length: cuBLASLt checks both.
std::array<i32, 3> log2_alignments(const GemmProblem& p) {
  const auto aligned = [](i64 row, i64 columns, ElementType type) {
    return std::min(log2_alignment(row != 0 ? row : columns, element_bytes(type)),
                    log2_alignment(columns, element_bytes(type)));
  };
  return {aligned(p.leading.a, sides_of_a(p).columns, p.dtype),
          aligned(p.leading.b, sides_of_b(p).columns, p.dtype),
          aligned(p.leading.c, c_columns(p), c_type(p))};
}

ProblemFeatures features_of(int sms, const GemmProblem& p, Regime regime) {
  const auto [align_a, align_b, align_c] = log2_alignments(p);
  // cuBLASLt uses wgmma kernels for rows aligned to 16 bytes, Ampere's kernels for 4 and 8, and
  // older ones for 2.
  const i32 worst = std::min({align_a, align_b, align_c});
  const int family = worst == 4 ? 0 : worst >= 2 ? 1 : 2;
  const bool scaled = p.epilogue.has(OutputKind::kScale);
  return {log2_of(p.shape.m) / kSide,
          log2_of(p.shape.n) / kSide,
          log2_of(p.shape.k) / kDepth,
          filled(sms, p, 128, 256) / kFilled,
          filled(sms, p, 256, 128) / kFilled,
          kOtherKernels * family,
          align_a / kAligned,
          align_b / kAligned,
          align_c / kAligned,
          if_so(is_fp8(p.dtype), kFp8),
          if_so(has_block_scales(p.epilogue), kBlockScales),
          if_so(scaled, kScales),
          if_so(p.layout == Layout::kNn, kOtherLayout),
          if_so(p.layout == Layout::kNt || p.layout == Layout::kTt, kOtherLayout),
          log2_of(p.batch.products) / kBatch,
          if_so(p.accumulate == Accumulate::kExact, kExact),
          if_so(!scaled && p.epilogue != Epilogue{}, kEpilogue),
          if_so(regime == Regime::kSustained, kOtherRegime)};
}

ProblemFeatures features_of(int, const AttentionProblem& p, Regime regime) {
  constexpr i32 kUsualBlock = 64;
  return {log2_of(p.queries) / kQueries,
          log2_of(p.keys) / kKeys,
          log2_of(p.head_dim),
          log2_of(i64{p.batch} * p.kv_heads) / kKvHeads,
          log2_of(heads_per_kv(p)) / kSharing,
          if_so(p.queries == 1,
                log2_of(i64{p.batch} * p.kv_heads * p.keys * p.head_dim) / kDecodeBytes),
          if_so(is_causal(p), kCausal),
          if_so(p.queries == 1, kDecode),
          if_so(p.queries > 1 && p.queries < kUsualBlock, kFewQueries),
          if_so(p.keys % kUsualBlock != 0, kRagged),
          if_so(p.queries > 1 && p.queries % kUsualBlock != 0, kRagged),
          if_so(p.lse, kOption),
          if_so(p.dtype == ElementType::kFp16, kOption),
          if_so(p.layout == AttentionLayout::kBshd, kOption),
          if_so(regime == Regime::kSustained, kOtherRegime)};
}

ProblemFeatures features_of(int, const StreamProblem&, Regime) { return {}; }

/// Time of cuDNN's prefill over that of an even distribution of its work. The kernel has a CTA for
/// each tile of 128 queries, one per SM at a time; a head's tiles follow each other, and a causal
/// tile takes longer than the one before it. A tile starts and ends in the time of two blocks of
/// 128 keys. (Of tiles of 64, 128 and 256 only 128 explain the measured ratios of causal problems.)
double unevenness(int sms, const AttentionProblem& p) {
  constexpr i64 kTile = 128, kStartAndEnd = 2, kManyWaves = 64;
  const i64 tiles = ceil_div<i64>(p.queries, kTile);
  const i64 heads = i64{p.batch} * p.kv_heads * heads_per_kv(p);
  if (p.queries < kTile / 2 || tiles * heads > kManyWaves * sms) {
    return 1;  // other kernels, or too many tiles for the last ones to matter
  }
  std::priority_queue<i64, std::vector<i64>, std::greater<>> ends(
      std::greater<>{}, std::vector<i64>(static_cast<std::size_t>(sms), 0));
  i64 total = 0, longest = 0, end = 0;
  for (i64 head = 0; head < heads; ++head) {
    for (i64 tile = 1; tile <= tiles; ++tile) {
      const i32 last = static_cast<i32>(std::min<i64>(p.queries, tile * kTile)) - 1;
      const i64 blocks = ceil_div<i64>(keys_seen(p, last), kTile) + kStartAndEnd;
      const i64 ended = ends.top() + blocks;
      ends.pop();
      ends.push(ended);
      total += blocks;
      longest = std::max(longest, blocks);
      end = std::max(end, ended);
    }
  }
  return static_cast<double>(end) /
         std::max(static_cast<double>(total) / sms, static_cast<double>(longest));
}

template <class Problem>
double unevenness(int, const Problem&) {
  return 1;
}

/// The factor that is taken off a measured ratio before ratios are averaged.
double known_ratio(int sms, const AnyProblem& problem) {
  return std::visit([sms](const auto& p) { return unevenness(sms, p); }, problem);
}

double squared_distance(const ProblemFeatures& a, const ProblemFeatures& b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus<>{},
                               [](double x, double y) { return (x - y) * (x - y); });
}

std::string header(const VendorLibrary& library) {
  return fmt::format("shape,dtype,{},regime,{},{}", library.fields, kTimeColumn, kForecastColumn);
}

Seconds time_in(std::string_view cell, std::string_view column) {
  const std::optional<double> value = parse_number(cell);
  refuse_if(!value || !(*value > 0), "{}: expected microseconds, got '{}'", column, cell);
  return Seconds{*value * kMicrosecond};
}

}  // namespace

std::string_view library_of(Op op) {
  const VendorLibrary* const library = find_library(op);
  return library == nullptr ? "" : library->word;
}
std::string_view library_name(Op op) {
  const VendorLibrary* const library = find_library(op);
  return library == nullptr ? "" : library->name;
}

LibraryRows::LibraryRows(Op op, const std::filesystem::path& csv, int sms) {
  const VendorLibrary& library = *find_library(op);
  const std::vector<std::string_view> fields = split(library.fields, ',');
  const std::size_t regime_at = 2 + fields.size();
  const std::string text = read_text(csv);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    try {
      const std::vector<std::string_view> cells = split(line, ',');
      if (line == header(library)) {
        continue;
      }
      if (cells.size() != regime_at + 3) {
        throw ConfigError("expected the columns " + header(library));
      }
      FieldTexts given;
      for (std::size_t field = 0; field < fields.size(); ++field) {
        if (!cells[2 + field].empty()) {
          given.emplace(fields[field], cells[2 + field]);
        }
      }
      const AnyProblem problem = problem_of(op, cells[0], parse_element_type(cells[1]), given);
      const Regime regime = parse_regime(std::string(cells[regime_at]));
      const Seconds measured = time_in(cells[regime_at + 1], kTimeColumn);
      const Seconds forecast = time_in(cells[regime_at + 2], kForecastColumn);
      rows_.push_back(
          {problem, regime, measured, forecast,
           std::log(measured / forecast / known_ratio(sms, problem)),
           std::visit([&](const auto& p) { return features_of(sms, p, regime); }, problem)});
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}", csv.string(), number, error.what()));
    }
  }
  refuse_if(rows_.empty(), "{}: expected measured rows", csv.string());
  std::vector<double> off;
  std::ranges::transform(rows_, std::back_inserter(off), &Row::off);
  std::ranges::nth_element(off, off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2));
  usual_ = off[off.size() / 2];
}

LibraryTime LibraryRows::forecast(const AnyProblem& problem, Regime regime, Seconds ours, int sms,
                                  bool own) const {
  TILECAST_ASSERT(ours.value > 0);
  const ProblemFeatures asked =
      std::visit([&](const auto& p) { return features_of(sms, p, regime); }, problem);
  // Sums of weights, of weighted offsets and of their squares.
  struct Sums {
    double weight = 0, off = 0, square = 0;
    void add(double w, double value) {
      weight += w;
      off += w * value;
      square += w * value * value;
    }
  } near, wide;
  const Row* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Row& row : rows_) {
    if (own && row.regime == regime && row.problem == problem &&
        std::abs(std::log(ours / row.forecast)) < kSameForecast) {
      const double reach = kReach * kLeastDeviation;
      return {row.measured,
              row.measured * (1 - reach),
              row.measured * (1 + reach),
              row.measured / ours,
              1,
              true};
    }
    const double apart = squared_distance(asked, row.features) / 2;
    if (apart < least) {
      least = apart;
      nearest = &row;
    }
    near.add(std::exp(-apart / (kNarrow * kNarrow)), row.off);
    wide.add(std::exp(-apart / (kWide * kWide)), row.off);
  }
  const auto mean = [](const Sums& sums, double pull, double to) {
    return (sums.off + pull * to) / (sums.weight + pull);
  };
  // Mean square of the offsets around `at`, including the prior variance.
  const auto variance = [](const Sums& sums, double pull, double of_pull, double at) {
    const double all = sums.square - 2 * at * sums.off + at * at * sums.weight;
    return (std::max(0.0, all) + pull * of_pull) / (sums.weight + pull);
  };
  const double of_kind = mean(wide, kPullOfAll, usual_);
  const double known = std::log(known_ratio(sms, problem)), off = mean(near, kPull, of_kind);
  const double spread = std::sqrt(variance(
      near, kPull, variance(wide, kPullOfAll, kDeviationOfAll * kDeviationOfAll, of_kind), off));
  const double reach = kReach * std::max(spread, kLeastDeviation);
  const Seconds time = ours * std::exp(off + known);
  const double near_ratio = nearest->measured / nearest->forecast;
  return {time,
          time * std::exp(-reach),
          time * std::exp(reach),
          time / ours,
          wide.weight,
          false,
          nearest->problem,
          near_ratio};
}

std::array<i32, 3> row_alignments(const GemmProblem& problem) {
  std::array<i32, 3> bytes = log2_alignments(problem);
  std::ranges::transform(bytes, bytes.begin(), [](i32 log2) { return 1 << log2; });
  return bytes;
}

LibraryTime library_time(const GpuSpec& gpu, const AnyProblem& problem, Regime regime, Seconds ours,
                         const std::filesystem::path& config_folder) {
  const Op op = op_of(problem);
  const VendorLibrary* const library = find_library(op);
  if (library == nullptr) {
    throw ConfigError(fmt::format("no library is measured next to {}", to_text(op)));
  }
  if (gpu.architecture != Architecture::kHopper) {
    throw ConfigError(
        fmt::format("{}: {} was measured only on Hopper GPUs", gpu.name, library->name));
  }
  if (const auto* const gemm = std::get_if<GemmProblem>(&problem);
      gemm != nullptr && gemm->groups != nullptr) {
    throw ConfigError(fmt::format("{} has no grouped GEMMs", library->name));
  }
  static std::mutex mutex;
  static std::map<std::string, LibraryRows> kept;
  const auto file = [&](const std::string& name) {
    return config_folder / "gpus" / fmt::format("{}.{}.csv", name, library->word);
  };
  const bool own = std::filesystem::exists(file(gpu.name));
  const std::string path = file(own ? gpu.name : kRatiosOf).string();
  const LibraryRows* rows = nullptr;
  {
    const std::lock_guard lock(mutex);
    auto found = kept.find(path);
    if (found == kept.end()) {
      const int sms = kept_gpu(own ? gpu.name : kRatiosOf, false, config_folder).spec.sm.count;
      found = kept.emplace(path, LibraryRows(op, path, sms)).first;
    }
    rows = &found->second;
  }
  return rows->forecast(problem, regime, ours, gpu.sm.count, own);
}

}  // namespace tilecast
