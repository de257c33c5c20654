// The Markdown that this repository's documents use, as HTML: headings, paragraphs, lists, tables,
// fenced code, and in the line code, bold, italics and links. Links to other files become plain
// text, for the page stands alone. Leaves out: everything else; what is not understood is shown as
// it stands. Checked by: markdown_html_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

/// Of one line: code, bold, italics, links.
std::string inline_html(std::string_view text);

/// Headings start at <h`top`>.
std::string markdown_html(std::string_view markdown, int top);

}  // namespace tilecast
