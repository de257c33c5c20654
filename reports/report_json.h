// A report as JSON: the figures that `validate` prints, and the rows that the page's charts and its
// list of problems show. The page is made from this alone, and report.json next to it holds it.
//
//   {"schema": 1, "gpu":..., "product":..., "command":..., "rows":..., "cards":..., "held_out":...,
//    "validation": as `validate --format json`, "whole_space": the same of those rows,
//    "waves": {...}, "errors": {...}, "picks": TABLE, "clock": {...},
//    "problems": [...], "timelines": [...]}
// TABLE is {"columns": [...], "rows": [[...], ...]}. What the data do not allow has no key.
// Checked by: page_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

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
  JoinedData data;  // of `config` alone; `fixed` has all kernels that were measured there
};

/// A kernel whose timeline was recorded.
struct TimelineInput {
  GemmProblem problem;
  KernelConfig config;
  std::vector<TileRecord> records;
};

struct ReportInput {
  GpuSpec gpu;
  std::string command;  // that writes this report, as one would type it
  std::size_t rows = 0, cards = 0;
  bool held_out = false;  // no problem of `judged` was used in fitting
  JudgedRows judged;
  std::optional<JudgedRows> whole_space;
  std::optional<WaveInput> waves;
  std::vector<TimelineInput> timelines;
};

nlohmann::ordered_json report_json(const ReportInput& input);

}  // namespace tilecast
