#include "reports/template.h"

#include <nlohmann/json.hpp>

#include "reports/html_text.h"
#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;
using Json = nlohmann::ordered_json;

namespace {

std::string filled(const char* text, const Json& values) {
  return fill_template(text, values, html_escaped, {{"style", "a < b"}});
}

}  // namespace

TEST_CASE("A template escapes every value and inserts only parts unescaped") {
  CHECK(filled("<p>{{a}}</p>", {{"a", "<b>&\""}}) == "<p>&lt;b&gt;&amp;&quot;</p>");
  CHECK(filled("{{n}} {{&style}}", {{"n", 2.5}}) == "2.5 a < b");
  CHECK(filled("{{a}}", {{"a", "{{b}}"}, {"b", "x"}}) == "{{b}}");  // values are not expanded
}

TEST_CASE("A section repeats for an array, appears once for a value, and vanishes without one") {
  const Json rows = {{"rows", {{{"a", 1}}, {{"a", 2}}}}, {"b", "outer"}, {"none", nullptr}};
  CHECK(filled("{{#rows}}{{a}}{{b}};{{/rows}}", rows) == "1outer;2outer;");
  CHECK(filled("{{#b}}[{{b}}]{{/b}}{{#none}}x{{/none}}{{#absent}}x{{/absent}}", rows) == "[outer]");
}

TEST_CASE("A template with a missing key is an error") {
  CHECK(ERROR_MESSAGE(filled("{{a}}", Json::object())) == "2 template: no text a");
  CHECK(ERROR_MESSAGE(filled("{{&a}}", Json::object())) == "2 template: no part a");
  CHECK(ERROR_MESSAGE(filled("{{#a}}", {{"a", 1}})) == "2 template: expected {{/a}}");
  CHECK(ERROR_MESSAGE(filled("{{a", {{"a", 1}})) == "2 template: {{ without }}");
}
