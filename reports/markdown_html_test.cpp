#include "reports/markdown_html.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("Markup inside a line becomes tags, and code is taken as it stands") {
  CHECK(inline_html("a *b* and **c `d*e`**") ==
        "a <em>b</em> and <strong>c <code>d*e</code></strong>");
  CHECK(inline_html("2 * 3 < 7") == "2 * 3 &lt; 7");  // a mark before a blank opens nothing
  CHECK(inline_html("`<script>`") == "<code>&lt;script&gt;</code>");
}

TEST_CASE("Only links to the web stay links: the page stands alone") {
  CHECK(inline_html("[a](https://x.org/y)") == "<a href=\"https://x.org/y\">a</a>");
  CHECK(inline_html("[the protocol](../README.md).") == "the protocol.");
  CHECK(inline_html("[no link]") == "[no link]");
}

TEST_CASE("Blocks: headings shift by the level given, lines of a paragraph and of an item join") {
  CHECK(markdown_html("# A\n\none\ntwo\n", 2) == "<h2>A</h2>\n<p>one two</p>\n");
  CHECK(markdown_html("- a\n  b\n- c\n", 2) == "<ul>\n<li>a b</li>\n<li>c</li>\n</ul>\n");
  CHECK(markdown_html("1. a\n2. b\n", 2) == "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n");
  CHECK(markdown_html("```\na < b\n```\nc", 2) == "<pre><code>a &lt; b\n</code></pre>\n<p>c</p>\n");
}

TEST_CASE("A table's cells end at bars outside code") {
  CHECK(markdown_html("| a | b |\n|---|--:|\n| `x|y` | 1 |\n", 2) ==
        "<div class=\"table\" tabindex=\"0\"><table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody>\n<tr><td><code>x|y</code></td><td>1</td></tr>\n</tbody></table></div>\n");
}

TEST_CASE("What is not closed ends with the text and is not lost") {
  CHECK(markdown_html("```\na", 2) == "<pre><code>a\n</code></pre>\n");
  CHECK(inline_html("**a") == "**a");
}
