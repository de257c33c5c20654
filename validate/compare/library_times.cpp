#include "validate/compare/library_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "validate/compare/shown_figures.h"
#include "validate/compare/validation.h"

namespace tilecast {
namespace {

// Efficiency that serving planners assume for shapes without measurements.
constexpr double kFallbackEfficiency = 0.8;
constexpr Seconds kFallbackStart{3e-6};

/// Problems whose library time is at least `least` and less than `limit`.
struct Size {
  const char* name;
  Seconds least, limit;
};
constexpr Size kSizes[] = {{"all", Seconds{0}, Seconds{1e9}},
                           {"below 20 us", Seconds{0}, Seconds{20e-6}},
                           {"20 to 200 us", Seconds{20e-6}, Seconds{200e-6}},
                           {"above 200 us", Seconds{200e-6}, Seconds{1e9}}};

std::string rows_of(const std::string& file, const std::string& gpu) {
  const std::vector<std::string> names = gpus_of_rows(file);
  if (std::ranges::find(names, gpu) != names.end()) {
    return gpu;
  }
  std::vector<std::string> longer;
  std::ranges::copy_if(names, std::back_inserter(longer), [&](const std::string& name) {
    return name.starts_with(gpu + "_") || gpu.starts_with(name);
  });
  refuse_if(longer.size() != 1, "{}: column gpu: expected rows of {}, got rows of {}", file, gpu,
            names.empty() ? "no GPU" : join(names, ", "));
  return longer.front();
}

std::optional<LibraryErrors> errors_of(const Size& size, const std::vector<PublicCase>& cases) {
  Values forecast, fallback, against_fastest, inside;
  for (const PublicCase& one : cases) {
    if (one.claimed < size.least || one.claimed >= size.limit) {
      continue;
    }
    forecast.push_back(one.error());
    fallback.push_back((one.roofline.value() / kFallbackEfficiency + kFallbackStart) / one.claimed -
                       1);
    inside.push_back(one.low <= one.claimed && one.claimed <= one.high ? 1 : 0);
    if (one.fastest) {
      against_fastest.push_back(one.predicted / *one.fastest - 1);
    }
  }
  if (forecast.empty()) {
    return std::nullopt;
  }
  return LibraryErrors{size.name, *error_figures(forecast), *error_figures(fallback),
                       error_figures(against_fastest), mean(inside)};
}

/// Formats mean and bias as two table cells.
std::string cells(const std::optional<ErrorFigures>& errors) {
  return errors ? fmt::format("{:.1f} % | {:+.1f} %", errors->mape * kToPercent,
                              errors->bias * kToPercent)
                : " | ";
}

}  // namespace

LibraryJudgement judge_library(const std::string& file, const std::string& gpu, i32 copies_of_b) {
  const std::string name = load_gpu(gpu, true).spec.name;
  const PublicSource source{.name = file,
                            .gpu = gpu,
                            .format = "library",
                            .file = file,
                            .rows_of = rows_of(file, name),
                            .claim = {},
                            .gap = Seconds{0},
                            .factor = 1,
                            .limit = 0,
                            .copies_of_b = copies_of_b};
  LibraryJudgement judgement{name, file, {}, judge_public(source).cases};
  for (const Size& size : kSizes) {
    if (std::optional<LibraryErrors> errors = errors_of(size, judgement.cases)) {
      judgement.sizes.push_back(*std::move(errors));
    }
  }
  return judgement;
}

std::string library_table(const LibraryJudgement& judgement) {
  std::string table = fmt::format(
      "{}: the top pick against the library's times of {}\n\n"
      "| their time | problems | against the median: mean error | bias | against the fastest: mean "
      "error | bias | inside the 90 % interval | roofline / 0.8 + 3 us: mean error | bias |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
      judgement.gpu, judgement.file);
  for (const LibraryErrors& errors : judgement.sizes) {
    table +=
        fmt::format("| {} | {} | {} | {} | {:.0f} % | {} |\n", errors.size, errors.forecast.points,
                    cells(errors.forecast), cells(errors.against_fastest),
                    errors.inside_90 * kToPercent, cells(errors.fallback));
  }
  return table;
}

nlohmann::ordered_json library_json(const LibraryJudgement& judgement) {
  nlohmann::ordered_json json{{"schema", 1}, {"gpu", judgement.gpu}, {"file", judgement.file}};
  for (const LibraryErrors& errors : judgement.sizes) {
    nlohmann::ordered_json size{{"size", errors.size},
                                {"points", errors.forecast.points},
                                {"median_collection", error_json(errors.forecast)},
                                {"coverage_90", rounded_figure(errors.inside_90)},
                                {"fallback", error_json(errors.fallback)}};
    if (errors.against_fastest) {
      size["fastest_collection"] = error_json(*errors.against_fastest);
    }
    json["sizes"].push_back(std::move(size));
  }
  for (const PublicCase& one : judgement.cases) {
    json["cases"].push_back(
        {{"problem", to_text(one.problem)},
         {"claimed_us", rounded_figure(one.claimed.value * kToMicro)},
         {"predicted_us", rounded_figure(one.predicted.value * kToMicro)},
         {"interval_us",
          {rounded_figure(one.low.value * kToMicro), rounded_figure(one.high.value * kToMicro)}}});
  }
  return json;
}

}  // namespace tilecast
