#include "reports/render_report.h"

#include <set>
#include <string>

#include "reports/report_csv.h"
#include "reports/report_markdown.h"

namespace tilecast {

ReportFiles report_files(const Report& report, const PageParts& parts, const Figures& figures) {
  ReportFiles files;
  std::set<std::string> drawn;
  for (const auto& [id, svg] : figures) {
    drawn.insert(id);
    files["figures/" + id + ".svg"] = svg;
  }
  for (const Section& section : report.sections) {
    for (const DataTable& table : section.tables) {
      files["data/" + data_file_name(table)] = data_file(table);
    }
  }
  files["report.md"] = report_markdown(report, drawn);
  files["index.html"] = report_page(report, parts);
  files[kReportList];
  files[kReportList] = report_list(files);
  return files;
}

}  // namespace tilecast
