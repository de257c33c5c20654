#include "validate/compare/public_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "model/base/parallel.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/ops/problem_fields.h"
#include "model/predict/predict.h"
#include "model/predict/roofline.h"
#include "model/spec/load_gpu.h"
#include "model/spec/strict_map.h"
#include "validate/compare/rotated_weights.h"
#include "validate/compare/shown_figures.h"
#include "validate/compare/validation.h"
#include "validate/record/csv_text.h"
#include "validate/record/flash_attention_rule.h"
#include "validate/record/measurement.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr Seconds kMicrosecond{1e-6};
constexpr std::size_t kWorst = 3;  // cases listed per source
constexpr i32 kSms = 132;          // SMs of an H200
constexpr char kPrefill[] = "prefill", kDecode[] = "decode";
constexpr char kFlashAttention3[] = "fa3", kCudnn[] = "cuDNN";

/// A row of a source before it is predicted. Without a configuration, the top-1 pick is predicted.
struct Claim {
  AnyProblem problem;
  std::string kernel;
  Seconds time;
  Regime regime = Regime::kBurst;
  std::optional<AnyConfig> config = {};
  std::optional<Seconds> fastest = {};
};

double positive(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  refuse_if(!value || *value <= 0, "expected a number above 0, got '{}'", text);
  return *value;
}

i64 count(std::string_view text) { return std::llround(positive(text)); }

GemmShape claimed_shape(const CsvRow& row) {
  return {row.get("m", count), row.get("n", count), row.get("k", count)};
}

std::optional<Claim> library_claim(const CsvRow& row) {
  Claim claim{GemmProblem{claimed_shape(row), ElementType::kBf16, Layout::kTn}, "library",
              row.get("median_us", positive) * kMicrosecond};
  if (row.has("min_us")) {
    claim.fastest = row.get("min_us", positive) * kMicrosecond;
  }
  return claim;
}

/// Reads a GEMM of XLA's table, which gives operations per second; its operands are row-major.
std::optional<Claim> xla_claim(const CsvRow& row) {
  GemmProblem problem{claimed_shape(row), ElementType::kBf16, Layout::kNn};
  problem.batch.products = row.get("b", count);
  return Claim{problem, "library", Seconds{gemm_flops(problem) / row.get("flops", positive)}};
}

/// Reads the gate and up projections of all experts: 2 N columns, K = H. The source's benchmark
/// sends each row to the next expert in turn.
std::optional<Claim> fused_moe_claim(const CsvRow& row) {
  const i64 rows = row.get("M", count) * row.get("topk", count), experts = row.get("E", count);
  GemmProblem problem{
      {rows, 2 * row.get("N", count), row.get("H", count)}, ElementType::kBf16, Layout::kTn};
  std::vector<i64> of_expert(static_cast<std::size_t>(experts), rows / experts);
  std::fill_n(of_expert.begin(), rows % experts, rows / experts + 1);
  problem.groups = GroupRows::of(std::move(of_expert));
  return Claim{problem,
               fmt::format("Triton {}x{}x{}", row.text("BLOCK_SIZE_M"), row.text("BLOCK_SIZE_N"),
                           row.text("BLOCK_SIZE_K")),
               row.get("avg_duration", positive) * kMicrosecond};
}

/// Reads a GEMM that one of tilecast's kernels can run. Excludes single wgmmas, whose time is the
/// launch.
std::optional<Claim> published_claim(const CsvRow& row) {
  const std::string& unit = row.text("unit");
  const std::string& config = row.text("config_there");
  if (row.text("op") != to_text(Op::kGemm) || (unit != "TFLOPS" && unit != "us") ||
      config.empty() || is_baseline(config)) {
    return std::nullopt;
  }
  const KernelConfig kernel = row.get("config_there", parse_kernel_config);
  if (kernel.schedule == Schedule::kSmallMma) {
    return std::nullopt;
  }
  // tilecast's Blackwell kernels support B as [N,K] only, so the document's layout is ignored
  // there.
  const Layout layout =
      uses_tcgen05(kernel.schedule) ? Layout::kTn : row.get("layout", parse_layout);
  const ElementType dtype = row.get("dtype", parse_element_type);
  const AnyProblem problem = row.get("shape", [&](std::string_view shape) {
    return problem_of(Op::kGemm, shape, dtype, {{"layout", std::string(to_text(layout))}});
  });
  const double value = row.get("value", positive);
  const double flops = gemm_flops(std::get<GemmProblem>(problem));
  return Claim{problem, row.text("kernel"),
               unit == "us" ? value * kMicrosecond : Seconds{flops * kPerTera / value},
               row.get("regime", parse_regime), kernel};
}

/// Reads attention of one phase by one library, from the held-out half. FlashAttention-3 is
/// compared with the tilecast kernel nearest to its rule's choice.
template <const char* kPhase, const char* kLibrary>
std::optional<Claim> attention_claim(const CsvRow& row) {
  if (row.text("phase") != kPhase || !row.text("library").starts_with(kLibrary) ||
      row.text("half") != "judged") {
    return std::nullopt;
  }
  const AnyProblem problem = problem_of(
      Op::kAttention,
      fmt::format("{}x{}:{}x{}x{}x{}", row.text("batch"), row.text("heads"), row.text("kv_heads"),
                  row.text("queries"), row.text("keys"), row.text("head_dim")),
      ElementType::kBf16, {{"mask", row.text("mask")}, {"layout", row.text("layout")}});
  Claim claim{problem, row.text("library"), row.get("time_us", positive) * kMicrosecond};
  if (claim.kernel.starts_with(kFlashAttention3)) {
    claim.config = flash_attention_rule(std::get<AttentionProblem>(problem), kSms);
  }
  return claim;
}

/// Readers of the sources' formats, by the format's name in the list.
const std::map<std::string, std::optional<Claim> (*)(const CsvRow&)> kFormats{
    {"flash_attention_prefill", attention_claim<kPrefill, kFlashAttention3>},
    {"flash_attention_decode", attention_claim<kDecode, kFlashAttention3>},
    {"cudnn_prefill", attention_claim<kPrefill, kCudnn>},
    {"cudnn_decode", attention_claim<kDecode, kCudnn>},
    {"library", library_claim},
    {"xla", xla_claim},
    {"published", published_claim},
    {"fused_moe", fused_moe_claim}};

/// Blanks out lines that begin with #, so that line numbers stay the same.
std::string without_remarks(const std::string& text) {
  std::string left;
  for (const std::string_view line : split(text, '\n')) {
    left += (line.starts_with('#') ? std::string() : std::string(line)) + "\n";
  }
  return left;
}

std::vector<Claim> claims_of(const PublicSource& source) {
  std::vector<Claim> claims;
  for (const CsvRow& row : csv_rows(without_remarks(read_stored_text(source.file)), source.file)) {
    if (row.text("gpu") == source.rows_of) {
      if (std::optional<Claim> claim = kFormats.at(source.format)(row)) {
        claims.push_back(*std::move(claim));
      }
    }
  }
  return claims;
}

Prediction predicted(const GpuSpec& gpu, const Claim& claim, i32 copies_of_b) {
  if (copies_of_b > 0) {
    return predicted(with_rotated_weights(gpu, std::get<GemmProblem>(claim.problem), copies_of_b),
                     claim, 0);
  }
  return claim.config
             ? predict_config(gpu, claim.problem, *claim.config, claim.regime, Inputs::kNormal)
             : rank_candidates(gpu, claim.problem, {}, claim.regime, Inputs::kNormal, 1,
                               {.threads = 1})
                   .predictions.front();
}

PublicCase case_of(const GpuSpec& gpu, const PublicSource& source, const Claim& claim) {
  const Prediction ours = predicted(gpu, claim, source.copies_of_b);
  const auto theirs = [&](Seconds time) { return time * source.factor + source.gap; };
  return {claim.problem,
          claim.kernel,
          claim.time,
          claim.fastest,
          theirs(ours.time),
          theirs(ours.interval_low),
          theirs(ours.interval_high),
          roofline_time(gpu, claim.problem)};
}

PublicSource parse_source(const StrictValue& item) {
  const StrictMap map = item.map({"name", "gpu", "format", "file", "rows_of", "claim", "gap_us",
                                  "factor", "limit_percent", "copies_of_b"});
  const StrictValue format = map.required("format");
  if (!kFormats.contains(format.text())) {
    format.fail(
        "expected library, xla, published, fused_moe, or one of flash_attention_prefill, "
        "flash_attention_decode, cudnn_prefill and cudnn_decode");
  }
  constexpr double kMostGap = 100, kMostLimit = 1000, kMostFactor = 10, kMostCopies = 1000;
  const std::optional<StrictValue> rows_of = map.optional("rows_of");
  const std::optional<StrictValue> gap = map.optional("gap_us"), factor = map.optional("factor");
  const std::optional<StrictValue> copies = map.optional("copies_of_b");
  PublicSource source{.name = map.required("name").text(),
                      .gpu = map.required("gpu").text(),
                      .format = format.text(),
                      .file = map.required("file").text(),
                      .rows_of = {},
                      .claim = map.required("claim").text(),
                      .gap = (gap ? gap->number(0, kMostGap) : 0) * kMicrosecond,
                      .factor = factor ? factor->number(0, kMostFactor) : 1,
                      .limit = map.required("limit_percent").number(0, kMostLimit) / kToPercent,
                      .copies_of_b = copies ? static_cast<i32>(copies->number(0, kMostCopies)) : 0};
  source.rows_of = rows_of ? rows_of->text() : source.gpu;
  return source;
}

std::vector<const PublicCase*> worst_of(const PublicJudgement& judgement) {
  std::vector<const PublicCase*> cases;
  for (const PublicCase& one : judgement.cases) {
    cases.push_back(&one);
  }
  std::ranges::stable_sort(cases, [](const PublicCase* a, const PublicCase* b) {
    return std::abs(a->error()) > std::abs(b->error());
  });
  cases.resize(std::min(cases.size(), kWorst));
  return cases;
}

}  // namespace

std::vector<std::string> gpus_of_rows(const std::string& file) {
  std::set<std::string> names;
  for (const CsvRow& row : csv_rows(without_remarks(read_stored_text(file)), file)) {
    names.insert(row.text("gpu"));
  }
  return {names.begin(), names.end()};
}

std::vector<PublicSource> load_public_sources(const std::filesystem::path& list) {
  std::vector<PublicSource> sources;
  for (const StrictValue& item : load_yaml(list).map({"sources"}).required("sources").list()) {
    sources.push_back(parse_source(item));
  }
  return sources;
}

PublicJudgement judge_public(const PublicSource& source, const std::function<bool()>& due) {
  const GpuSpec gpu = load_gpu(source.gpu, true).spec;
  std::vector<Claim> claims = claims_of(source);
  PublicJudgement judgement{source, claims.size(), {}, {}, {}};
  if (due) {
    std::erase_if(claims, [&](const Claim&) { return !due(); });
  }
  judgement.cases.resize(claims.size());
  parallel_for(claims.size(), 0,
               [&](std::size_t i) { judgement.cases[i] = case_of(gpu, source, claims[i]); });
  Values errors, times, forecasts;
  for (const PublicCase& one : judgement.cases) {
    errors.push_back(one.error());
    times.push_back(one.claimed.value);
    forecasts.push_back(one.predicted.value);
  }
  judgement.error = error_figures(errors);
  judgement.kendall = errors.empty() ? std::nullopt : kendall_tau(times, forecasts);
  return judgement;
}

std::vector<PublicJudgement> judge_public_list(const std::filesystem::path& list) {
  std::vector<PublicJudgement> judgements;
  for (const PublicSource& source : load_public_sources(list)) {
    judgements.push_back(judge_public(source));
  }
  return judgements;
}

std::string public_table(const std::vector<PublicJudgement>& judgements) {
  std::string table =
      "| source | GPU | what they state | rows | mean error | median | bias | order (Kendall) | "
      "limit |\n|---|---|---|--:|--:|--:|--:|--:|--:|\n";
  std::string worst =
      "\nThe three cases of each source with the largest errors:\n\n"
      "| source | GPU | problem | their kernel | stated, us | forecast, us | error |\n"
      "|---|---|---|---|--:|--:|--:|\n";
  for (const PublicJudgement& judged : judgements) {
    const PublicSource& source = judged.source;
    if (!judged.error) {
      continue;
    }
    table += fmt::format(
        "| [{}]({}) | {} | {} | {} | {:.1f} % | {:.1f} % | {:+.1f} % | {} | {:g} % |\n",
        source.name, source.file.substr(source.file.find('/') + 1), source.gpu, source.claim,
        judged.cases.size(), judged.error->mape * kToPercent, judged.error->median * kToPercent,
        judged.error->bias * kToPercent,
        judged.kendall ? fmt::format("{:.3f}", *judged.kendall) : "", source.limit * kToPercent);
    for (const PublicCase* one : worst_of(judged)) {
      worst +=
          fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:+.1f} % |\n", source.name,
                      source.gpu, to_text(one->problem), one->kernel, one->claimed.value * kToMicro,
                      one->predicted.value * kToMicro, one->error() * kToPercent);
    }
  }
  return table + worst;
}

nlohmann::ordered_json public_json(const std::vector<PublicJudgement>& judgements) {
  nlohmann::ordered_json json{{"schema", 1}, {"sources", nlohmann::ordered_json::array()}};
  for (const PublicJudgement& judged : judgements) {
    nlohmann::ordered_json source{{"name", judged.source.name}, {"gpu", judged.source.gpu},
                                  {"file", judged.source.file}, {"claim", judged.source.claim},
                                  {"rows", judged.rows},        {"limit", judged.source.limit}};
    if (judged.error) {
      source["error"] = error_json(*judged.error);
      source["error"]["points"] = judged.error->points;
    }
    add_figure(source, "kendall", judged.kendall);
    for (const PublicCase& one : judged.cases) {
      source["cases"].push_back({{"problem", to_text(one.problem)},
                                 {"kernel", one.kernel},
                                 {"claimed_us", rounded_figure(one.claimed.value * kToMicro)},
                                 {"predicted_us", rounded_figure(one.predicted.value * kToMicro)},
                                 {"error", rounded_figure(one.error())}});
    }
    json["sources"].push_back(std::move(source));
  }
  return json;
}

}  // namespace tilecast
