#include "validate/record/measurement_appender.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"
#include "validate/record/example_measurement.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

Measurement in_stages(int stages, Seconds time) {
  return example_measurement(
      fmt::format("pipelined:tile=128x128x64,stages={},warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
                  "raster=grouped_m,group=8",
                  stages),
      time);
}
const Measurement kFirst = in_stages(3, Seconds{1e-4});
const Measurement kSecond = in_stages(4, Seconds{2e-4});

std::string message_of(const std::filesystem::path& path, IfExists rule,
                       const std::vector<std::string>& counters = {}) {
  return ERROR_TEXT(MeasurementAppender(path, counters, rule));
}

TEST_CASE("Every row is in the file as soon as it is appended") {
  const TemporaryFolder folder;
  MeasurementAppender appender(folder / "deep/er.csv", {}, IfExists::kRefuse);
  CHECK(read_file(folder / "deep/er.csv") == measurement_csv({}));
  appender.append(kFirst);
  CHECK(read_file(folder / "deep/er.csv") == measurement_csv({kFirst}));
  appender.append(kSecond);
  CHECK(read_file(folder / "deep/er.csv") == measurement_csv({kFirst, kSecond}));
}

TEST_CASE("A resumed file knows its points, and every field of a point distinguishes it") {
  const TemporaryFolder folder;
  { MeasurementAppender(folder / "a.csv", {}, IfExists::kRefuse).append(kFirst); }
  const MeasurementAppender appender(folder / "a.csv", {}, IfExists::kResume);
  CHECK(appender.size() == 1);
  CHECK(appender.has(kFirst.point));
  CHECK_FALSE(appender.has(kSecond.point));
  std::vector<Point> others(6, kFirst.point);
  std::get<GemmProblem>(others[0].problem).shape.k += 8;
  std::get<GemmProblem>(others[1].problem).dtype = ElementType::kBf16;
  std::get<GemmProblem>(others[2].problem).layout = Layout::kNn;
  others[3].regime = Regime::kSustained;
  others[4].inputs = Inputs::kZeros;
  others[5].l2_state = L2State::kFlushed;
  for (const Point& other : others) {
    CHECK_FALSE(appender.has(other));
  }
}

TEST_CASE("A resumed file's rows of another revision of the kernel do not count as measured") {
  const TemporaryFolder folder;
  Measurement other = kFirst;
  other.revision = current_revision(other.point) + 1;
  write_file(folder / "a.csv", measurement_csv({other}));
  MeasurementAppender appender(folder / "a.csv", {}, IfExists::kResume);
  CHECK_FALSE(appender.has(kFirst.point));
  appender.append(other);  // measured again, despite the existing row
  CHECK(appender.has(kFirst.point));
  CHECK(read_file(folder / "a.csv") == measurement_csv({other, kFirst}));
}

TEST_CASE("A byte-order mark does not shift where a resumed file is cut") {
  const TemporaryFolder folder;
  const std::string text = "\xef\xbb\xbf" + measurement_csv({kFirst});
  write_file(folder / "a.csv", text + "cut off");
  { MeasurementAppender(folder / "a.csv", {}, IfExists::kResume).append(kSecond); }
  CHECK(read_file(folder / "a.csv") == text + measurement_line(kSecond, {}));
}

TEST_CASE("Resuming after a kill drops the truncated line and continues") {
  const std::string whole = measurement_csv({kFirst, kSecond});
  const std::size_t one = measurement_csv({kFirst}).size();
  for (const std::size_t cut : {std::size_t{0}, std::size_t{10}, one, one + 1, whole.size() - 1}) {
    const TemporaryFolder folder;
    write_file(folder / "a.csv", whole.substr(0, cut));
    MeasurementAppender appender(folder / "a.csv", {}, IfExists::kResume);
    for (const Measurement& m : {kFirst, kSecond}) {
      if (!appender.has(m.point)) {
        appender.append(m);
      }
    }
    CHECK(read_file(folder / "a.csv") == whole);
  }
}

TEST_CASE("Measured data is never overwritten or mixed with other columns") {
  const TemporaryFolder folder;
  { MeasurementAppender(folder / "a.csv", {}, IfExists::kRefuse).append(kFirst); }
  CHECK(contains(message_of(folder / "a.csv", IfExists::kRefuse), "--resume"));
  CHECK(message_of(folder / "a.csv", IfExists::kResume, {"dram__bytes_read.sum"})
            .ends_with("its columns differ from the new ones (it has no "
                       "dram__bytes_read.sum); choose another file"));
  { MeasurementAppender(folder / "b.csv", {"lts__t_bytes.sum"}, IfExists::kRefuse); }
  CHECK(contains(message_of(folder / "b.csv", IfExists::kResume), "(it has lts__t_bytes.sum)"));
  CHECK(read_file(folder / "a.csv") == measurement_csv({kFirst}));
}

TEST_CASE("A file that is not a measurement CSV is an error and stays unchanged") {
  const TemporaryFolder folder;
  write_file(folder / "notes.csv", "dear diary\n");
  CHECK_THROWS_AS(MeasurementAppender(folder / "notes.csv", {}, IfExists::kResume), ConfigError);
  CHECK(read_file(folder / "notes.csv") == "dear diary\n");
  CHECK_THROWS_AS(MeasurementAppender(folder / "a.csv.gz", {}, IfExists::kRefuse), ConfigError);
}

TEST_CASE("Two runs cannot add to one file at the same time") {
  const TemporaryFolder folder;
  const MeasurementAppender first(folder / "a.csv", {}, IfExists::kRefuse);
  CHECK(message_of(folder / "a.csv", IfExists::kResume).ends_with("another run is writing to it"));
}

TEST_CASE("A path that cannot be written is a file error") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  CHECK_THROWS_AS(MeasurementAppender(folder / "file/a.csv", {}, IfExists::kRefuse), FileError);
  CHECK_THROWS_AS(MeasurementAppender("/dev/full", {}, IfExists::kResume), FileError);
}

}  // namespace
}  // namespace tilecast
