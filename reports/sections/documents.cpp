// Known gaps and points left out, in full.

#include "reports/sections/sections.h"

namespace tilecast {

MaybeSection documents_section(const ReportInput& input) {
  if (!input.deviations && !input.excluded) {
    return std::nullopt;
  }
  Section section{
      .id = "gaps", .title = "Known gaps, and points left out", .text = "", .files = {}};
  for (const std::optional<Document>& document : {input.deviations, input.excluded}) {
    if (document) {
      section.text += document->text + "\n";
      section.files.push_back(document->file);
    }
  }
  return section;
}

}  // namespace tilecast
