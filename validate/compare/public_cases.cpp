#include "validate/compare/public_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/parallel.h"
#include "model/base/text.h"
#include "model/predict/predict.h"
#include "model/predict/routing.h"
#include "model/spec/load_gpu.h"
#include "model/spec/strict_map.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/group_rows.h"
#include "validate/compare/published.h"
#include "validate/compare/shown_figures.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr Seconds kMicrosecond{1e-6};
constexpr std::size_t kWorst = 3;  // of each source

/// A row of a source before it is predicted. Without a configuration the first pick is predicted.
struct Claim {
  AnyProblem problem;
  std::string kernel;
  Seconds time;
  Regime regime = Regime::kBurst;
  std::optional<AnyConfig> config = {};
};

/// A CSV's rows, read by column name.
class NamedRows {
 public:
  explicit NamedRows(const std::string& file)
      : file_(file), csv_(parse_csv(read_stored_text(file), file)) {
    if (csv_.records.empty()) {
      throw ConfigError(file + ":1: expected a header");
    }
  }

  template <class Use>
  void each(const Use& use) const {
    for (std::size_t i = 1; i < csv_.records.size(); ++i) {
      use(csv_.records[i]);
    }
  }

  const std::string& text(const CsvRecord& row, std::string_view column) const {
    const std::vector<std::string>& names = csv_.records.front().fields;
    const auto at = static_cast<std::size_t>(std::ranges::find(names, column) - names.begin());
    if (at >= row.fields.size()) {
      throw ConfigError(fmt::format("{}:{}: {}: is missing", file_, row.line, column));
    }
    return row.fields[at];
  }

  double number(const CsvRecord& row, std::string_view column) const {
    const std::optional<double> value = parse_number(text(row, column));
    if (!value || *value <= 0) {
      throw ConfigError(fmt::format("{}:{}: {}: expected a number above 0, got '{}'", file_,
                                    row.line, column, text(row, column)));
    }
    return *value;
  }

  i64 count(const CsvRecord& row, std::string_view column) const {
    return std::llround(number(row, column));
  }

 private:
  std::string file_;
  CsvText csv_;
};

std::vector<Claim> library_claims(const PublicSource& source) {
  const NamedRows rows(source.file);
  std::vector<Claim> claims;
  rows.each([&](const CsvRecord& row) {
    if (rows.text(row, "gpu") == source.rows_of) {
      const GemmShape shape{rows.count(row, "m"), rows.count(row, "n"), rows.count(row, "k")};
      claims.push_back({GemmProblem{shape, ElementType::kBf16, Layout::kTn}, "library",
                        rows.number(row, "median_us") * kMicrosecond});
    }
  });
  return claims;
}

/// Gate and up projections of all experts: 2 N columns, H deep. Tokens are routed uniformly.
std::vector<Claim> fused_moe_claims(const PublicSource& source) {
  const NamedRows rows(source.file);
  std::vector<Claim> claims;
  rows.each([&](const CsvRecord& row) {
    if (rows.text(row, "gpu") != source.rows_of) {
      return;
    }
    const Routing routing{rows.count(row, "E"), rows.count(row, "M"), rows.count(row, "topk")};
    GemmProblem problem{{routing.rows(), 2 * rows.count(row, "N"), rows.count(row, "H")},
                        ElementType::kBf16,
                        Layout::kTn};
    problem.groups = GroupRows::of(drawn_rows(routing, 1).front());
    claims.push_back({problem,
                      fmt::format("Triton {}x{}x{}", rows.text(row, "BLOCK_SIZE_M"),
                                  rows.text(row, "BLOCK_SIZE_N"), rows.text(row, "BLOCK_SIZE_K")),
                      rows.number(row, "avg_duration") * kMicrosecond});
  });
  return claims;
}

/// GEMMs with a kernel of ours. The one-tile kernel with A from registers is left out, since its
/// time is the launch.
std::vector<Claim> published_claims(const PublicSource& source) {
  std::vector<Claim> claims;
  for (const PublishedFigure& figure : parse_published(read_file(source.file), source.file)) {
    const bool is_time =
        figure.unit == FigureUnit::kTflops || figure.unit == FigureUnit::kMicroseconds;
    if (figure.gpu != source.rows_of || op_of(figure.problem) != Op::kGemm || !is_time ||
        figure.config_there.empty() || is_baseline(figure.config_there) ||
        figure.kernel.starts_with("A from")) {
      continue;
    }
    const GemmProblem& problem = std::get<GemmProblem>(figure.problem);
    const Seconds time = figure.unit == FigureUnit::kTflops
                             ? Seconds{gemm_flops(problem) * kPerTera / figure.value}
                             : figure.value * kMicrosecond;
    claims.push_back({problem_there(figure), figure.kernel, time, figure.regime,
                      parse_config(figure.config_there)});
  }
  return claims;
}

/// How a source's file is read, by the word in the list.
const std::map<std::string, std::vector<Claim> (*)(const PublicSource&)> kFormats{
    {"library", library_claims}, {"published", published_claims}, {"fused_moe", fused_moe_claims}};

Seconds predicted(const GpuSpec& gpu, const Claim& claim) {
  return claim.config
             ? predict_config(gpu, claim.problem, *claim.config, claim.regime, Inputs::kNormal).time
             : rank_candidates(gpu, claim.problem, {}, claim.regime, Inputs::kNormal, 1,
                               {.threads = 1})
                   .predictions.front()
                   .time;
}

PublicSource parse_source(const StrictValue& item) {
  const StrictMap map =
      item.map({"name", "gpu", "format", "file", "rows_of", "claim", "gap_us", "limit_percent"});
  const StrictValue format = map.required("format");
  if (!kFormats.contains(format.text())) {
    format.fail("expected library, published or fused_moe");
  }
  constexpr double kMostGap = 100, kMostLimit = 1000;
  const std::optional<StrictValue> rows_of = map.optional("rows_of");
  const std::optional<StrictValue> gap = map.optional("gap_us");
  PublicSource source{.name = map.required("name").text(),
                      .gpu = map.required("gpu").text(),
                      .format = format.text(),
                      .file = map.required("file").text(),
                      .rows_of = {},
                      .claim = map.required("claim").text(),
                      .gap = (gap ? gap->number(0, kMostGap) : 0) * kMicrosecond,
                      .limit = map.required("limit_percent").number(0, kMostLimit) / kToPercent};
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

std::vector<PublicSource> load_public_sources(const std::filesystem::path& list) {
  std::vector<PublicSource> sources;
  for (const StrictValue& item : load_yaml(list).map({"sources"}).required("sources").list()) {
    sources.push_back(parse_source(item));
  }
  return sources;
}

PublicJudgement judge_public(const PublicSource& source, const std::function<bool()>& due) {
  const GpuSpec gpu = load_gpu(source.gpu, true).spec;
  std::vector<Claim> claims = kFormats.at(source.format)(source);
  PublicJudgement judgement{source, claims.size(), {}, {}, {}};
  if (due) {
    std::erase_if(claims, [&](const Claim&) { return !due(); });
  }
  judgement.cases.resize(claims.size());
  parallel_for(claims.size(), 0, [&](std::size_t i) {
    const Claim& claim = claims[i];
    judgement.cases[i] = {claim.problem, claim.kernel, claim.time,
                          predicted(gpu, claim) + source.gap};
  });
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
      source["error"] = {{"points", judged.error->points},
                         {"mape", rounded_figure(judged.error->mape)},
                         {"median", rounded_figure(judged.error->median)},
                         {"p90", rounded_figure(judged.error->p90)},
                         {"bias", rounded_figure(judged.error->bias)}};
    }
    if (judged.kendall) {
      source["kendall"] = rounded_figure(*judged.kendall);
    }
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
