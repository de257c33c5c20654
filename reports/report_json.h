// A report as JSON: the figures of `validate`, and the data of the page's charts and list of
// problems. The page is made from this alone; it is also written as report.json.
//
//   {"schema": 1, "gpu":..., "product":..., "command":..., "rows":..., "cards":...,
//    "drivers": [...], "toolkits": [...], "power_limit_w":..., "dates": [...], "held_out":...,
//    "legend":...,
//    "validation": as `validate --format json`, "whole_space": likewise for those rows,
//    "waves": {...}, "errors": {...}, "picks": TABLE, "clock": {...},
//    "problems": [...], "timelines": [...],
//    "layers": {"times": TABLE, "parts": TABLE}}
// TABLE is {"columns": [...], "rows": [[...], ...]}. Figures that the data do not allow have no
// key. Checked by: page_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reports/tables.h"
#include "validate/compare/validation.h"
#include "validate/record/tile_timeline.h"

namespace tilecast {

struct JudgedRows {
  JoinedData data;
  Validation validation;
};

/// One configuration over many N.
struct WaveInput {
  KernelConfig config;
  JoinedData data;  // data only of `config`; `fixed` has all kernels measured there
};

/// A kernel with a recorded timeline.
struct TimelineInput {
  GemmProblem problem;
  KernelConfig config;
  std::vector<TileRecord> records;
};

/// Text that validate/decoder_layers.py wrote.
struct LayersInput {
  std::string file, text;
};

struct ReportInput {
  GpuSpec gpu;
  std::string command;                             // the command line that writes this report
  std::string validate_command;                    // the one that prints its errors and picks
  std::size_t rows = 0, cards = 0;                 // measurements, GPUs on which they were made
  std::set<std::string> drivers, toolkits, dates;  // such as 580.159.04, 13.0, 2026-11-22
  bool held_out = false;                           // no problem of `judged` was used for fitting
  JudgedRows judged;
  std::optional<JudgedRows> whole_space;
  std::optional<WaveInput> waves;
  std::vector<TimelineInput> timelines;
  std::optional<LayersInput> layers;
};

nlohmann::ordered_json report_json(const ReportInput& input);

/// Parts of a report; null if the data do not allow one.
Json waves_json(const WaveInput& waves);
Json errors_json(const ReportInput& input, Regime regime);
Json picks_json(const ReportInput& input, Regime regime);
Json clock_json(const JoinedData& data);
Json problems_json(const ReportInput& input);
Json timelines_json(const ReportInput& input);
Json layers_json(const LayersInput& layers);

}  // namespace tilecast
