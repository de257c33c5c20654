// Known gaps and points left out, in full.

#include <regex>

#include "reports/sections/sections.h"

namespace tilecast {
namespace {

/// A link to a file beside the document leads nowhere from the report's folder: its words stay.
std::string without_relative_links(const std::string& markdown) {
  return std::regex_replace(markdown, std::regex(R"(\[([^\]]*)\]\((?!https?://)[^)\s]*\))"), "$1");
}

}  // namespace

MaybeSection documents_section(const ReportInput& input) {
  if (!input.deviations && !input.excluded) {
    return std::nullopt;
  }
  Section section{
      .id = "gaps", .title = "Known gaps, and points left out", .text = "", .files = {}};
  for (const std::optional<Document>& document : {input.deviations, input.excluded}) {
    if (document) {
      section.text += without_relative_links(document->text) + "\n";
      section.files.push_back(document->file);
    }
  }
  return section;
}

}  // namespace tilecast
