// What the page's charts read: tables, chart specifications and filters as one JSON object. Columns
// of words are written as a dictionary and indices, so that ten thousand rows stay small.
//
//   {"schedules": [...],
//    "tables": {ID: {"rows": n, "columns": {KEY: {"values": [...]} | {"words": [...], "at":
//    [...]}}}}, "charts": {ID: {"title":..., "tables": [...], "filters": [...], "spec": {...}}}}
// Absent cells are null. Checked by: report_json_test.cpp, reports/browser/page_test.py.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "reports/report.h"

namespace tilecast {

/// Only tables that a chart reads, only columns on the page. Specifications come from
/// `page_folder`/charts; in them the string "@schedules" stands for the list of schedules in the
/// report's points. Throws FileError where one is missing, ConfigError where it is not JSON.
nlohmann::ordered_json charts_json(const Report& report, const std::filesystem::path& page_folder);

nlohmann::ordered_json table_json(const DataTable& table);

}  // namespace tilecast
