#include "reports/html_text.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;
using Json = nlohmann::ordered_json;

TEST_CASE("Escaped text cannot open a tag or end an attribute") {
  CHECK(html_escaped("<a href=\"x\" b='y'>&") == "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
}

TEST_CASE("JSON in a page cannot end its script or open a comment, and is unchanged as JSON") {
  const Json json{{"a", "</SCRIPT><img src=x onerror=alert(1)>"}, {"b", "<!--<script"}};
  const std::string text = json_in_html(json);
  CHECK(!contains(text, '<'));
  CHECK(Json::parse(text) == json);
}

TEST_CASE("JSON in a page replaces invalid UTF-8") {
  CHECK(json_in_html(Json("a\xFFz")) == "\"a\xEF\xBF\xBDz\"");
}

TEST_CASE("A script that could end its element is an error") {
  CHECK(script_in_html("a < b", "x.js") == "a < b");
  CHECK(ERROR_MESSAGE(script_in_html("'</Script'", "x.js")) ==
        "2 x.js: a page's script cannot hold </script");
  CHECK(ERROR_MESSAGE(script_in_html("a<!--b", "x.js")) ==
        "2 x.js: a page's script cannot hold <!--");
}
