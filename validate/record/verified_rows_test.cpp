#include "validate/record/verified_rows.h"

#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

namespace {

MeasurementRow row(const std::string& config, double micro, Status status = Status::kOk,
                   bool verified = true) {
  MeasurementRow made{};
  Measurement& m = made.measurement;
  m.point.problem = GemmProblem{{512, 512, 512}, ElementType::kFp16, Layout::kTn};
  m.point.config = config;
  m.status = status;
  m.verified = verified;
  if (status == Status::kOk) {
    m.time.emplace();
    m.time->median = Seconds{micro * 1e-6};
  }
  return made;
}

}  // namespace

TEST_CASE("For a repeated point the last verified row counts, at the first one's position") {
  std::vector<MeasurementFile> files(2);
  files[0].rows = {row("a", 1), row("b", 2), row("a", 3)};
  files[1].rows = {row("b", 4, Status::kFailed), row("b", 5, Status::kOk, false), row("c", 6)};
  const std::vector<VerifiedRow> rows = verified_rows(files);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].measurement().point.config == "a");
  CHECK(rows[0].measurement().time->median == Seconds{3e-6});
  CHECK(rows[1].measurement().time->median == Seconds{2e-6});  // later rows are not verified
  CHECK(rows[2].measurement().time->median == Seconds{6e-6});
  CHECK(rows[2].file == &files[1]);
}

TEST_CASE("A row of a newer kernel revision wins, wherever it is") {
  std::vector<MeasurementFile> files(1);
  files[0].rows = {row("a", 1), row("a", 2), row("a", 3), row("a", 4)};
  files[0].rows[1].measurement.revision = files[0].rows[2].measurement.revision = 2;
  const std::vector<VerifiedRow> rows = verified_rows(files);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].measurement().time->median == Seconds{3e-6});
}

TEST_CASE("A later row of another GPU does not replace this one's") {
  std::vector<MeasurementFile> files(2);
  files[0] = {.name = "x.csv", .rows = {row("a", 1), row("b", 2)}};
  files[1] = {.name = "y.csv", .rows = {row("a", 3)}};
  files[0].rows[0].measurement.context.gpu = "h200_sxm";
  files[0].rows[1].measurement.context.gpu = "NVIDIA H200";  // a GPU without a GPU file
  files[1].rows[0].line = 2;
  files[1].rows[0].measurement.context.gpu = "h100_sxm";
  const std::vector<std::string> h200{"h200_sxm", "NVIDIA H200"};
  const std::vector<VerifiedRow> rows = verified_rows(files, h200, OtherGpus::kLeftOut);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].measurement().time->median == Seconds{1e-6});
  CHECK(ERROR_MESSAGE(verified_rows(files, h200, OtherGpus::kRefused)) ==
        "2 y.csv:2: gpu: expected a row measured on h200_sxm or NVIDIA H200, got 'h100_sxm'");
  files[1].rows[0].measurement.verified = false;  // verified or not
  CHECK_THROWS_AS(verified_rows(files, h200, OtherGpus::kRefused), ConfigError);
}
