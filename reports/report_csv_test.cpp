#include "reports/report_csv.h"

#include "tests/catch.h"
#include "validate/record/stored_text.h"

using namespace tilecast;

namespace {

DataTable rows_of(std::size_t count) {
  DataTable table{"t", "T", {{.key = "n", .title = "n", .on_page = false}}, {}};
  table.rows.assign(count, {Cell(1.5)});
  return table;
}

}  // namespace

TEST_CASE("Columns that the page leaves out are in the file") {
  CHECK(data_file_name(rows_of(2)) == "t.csv");
  CHECK(data_file(rows_of(2)) == "n\n1.5\n1.5\n");
}

TEST_CASE("A table of more than two thousand rows is compressed, and reads as the same text") {
  CHECK(data_file_name(rows_of(2000)) == "t.csv");
  CHECK(data_file_name(rows_of(2001)) == "t.csv.gz");
  const std::string packed = data_file(rows_of(2001));
  CHECK(packed.size() < 1000);
  CHECK(gunzip_member(packed, 0, "t.csv.gz").text == table_csv(rows_of(2001)));
}
