#include "reports/write_report.h"

#include <set>

#include "model/base/file.h"
#include "reports/report_csv.h"
#include "reports/report_markdown.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"data", "figures"};

/// What lies in the report's own folders, by path in the report.
std::set<std::string> present(const fs::path& folder) {
  std::set<std::string> names;
  for (const char* own : kFolders) {
    if (!fs::is_directory(folder / own)) {
      continue;
    }
    for (const auto& entry : fs::directory_iterator(folder / own)) {
      const std::string ending = entry.path().extension();
      if (ending == ".csv" || ending == ".gz" || ending == ".svg") {
        names.insert((fs::path(own) / entry.path().filename()).string());
      }
    }
  }
  return names;
}

/// Of a compressed file the text counts, for libraries pack it differently.
bool is_same(const fs::path& path, const std::string& content) {
  return path.extension() == ".gz"
             ? read_stored_text(path) == gunzip_member(content, 0, path.string()).text
             : read_file(path) == content;
}

}  // namespace

std::map<std::string, std::string> report_files(const Report& report, const PageParts& parts,
                                                const Figures& figures) {
  std::map<std::string, std::string> files;
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
  return files;
}

void write_report(const std::map<std::string, std::string>& files, const fs::path& folder) {
  for (const std::string& name : present(folder)) {
    if (!files.contains(name)) {
      fs::remove(folder / name);
    }
  }
  for (const auto& [name, content] : files) {
    write_file(folder / name, content);
  }
}

std::vector<std::string> out_of_date(const std::map<std::string, std::string>& files,
                                     const fs::path& folder) {
  std::vector<std::string> lines;
  for (const auto& [name, content] : files) {
    if (!fs::exists(folder / name)) {
      lines.push_back(name + " is missing");
    } else if (!is_same(folder / name, content)) {
      lines.push_back(name + " differs");
    }
  }
  for (const std::string& name : present(folder)) {
    if (!files.contains(name)) {
      lines.push_back(name + " is no part of it any more");
    }
  }
  return lines;
}

}  // namespace tilecast
