#include "validate/record/raw_samples.h"

#include "model/base/error.h"
#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "validate/record/example_measurement.h"
#include "validate/record/measurement_appender.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

const std::vector<SampleBlock> kTwo = {{{1001, 1002, 1003}, Hertz{1.5e9}, false},
                                       {{1101}, Hertz{1.25e9}, true}};
const std::vector<SampleBlock> kOne = {{{7}, Hertz{1.98e9}, false}};

Measurement with_samples(const std::string& config, const std::vector<SampleBlock>& raw) {
  Measurement m = example_measurement(config, Seconds{1e-4});
  m.raw = raw;
  return m;
}

std::vector<Measurement> rows_of(const std::filesystem::path& path) {
  std::vector<Measurement> rows;
  for (const MeasurementRow& row : read_measurements(path).rows) {
    rows.push_back(row.measurement);
  }
  return rows;
}

TEST_CASE("A row's samples are read back from the offset in its column") {
  const TemporaryFolder folder;
  MeasurementAppender file(folder / "a.csv", {}, IfExists::kRefuse);
  file.append(with_samples("pipelined:a=1", kTwo));
  file.append(example_measurement("pipelined:a=2", Seconds{1e-4}));
  file.append(with_samples("pipelined:a=3", kOne));
  const std::vector<Measurement> rows = rows_of(folder / "a.csv");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].samples_at == 0);
  CHECK_FALSE(rows[1].samples_at.has_value());
  REQUIRE(rows[2].samples_at.has_value());
  const std::filesystem::path samples = raw_samples_path(folder / "a.csv");
  CHECK(samples.filename() == "a.samples.csv.gz");
  CHECK(read_raw_samples(samples, 0) == kTwo);
  CHECK(read_raw_samples(samples, *rows[2].samples_at) == kOne);
}

TEST_CASE("The file of raw samples is one CSV for gzip") {
  const TemporaryFolder folder;
  MeasurementAppender file(folder / "a.csv", {}, IfExists::kRefuse);
  file.append(with_samples("pipelined:a=1", kTwo));
  file.append(with_samples("pipelined:a=3", kOne));
  const std::string at = std::to_string(*rows_of(folder / "a.csv")[1].samples_at);
  const std::string key = "gemm 4096x4096x4096 fp16 tn pipelined:a=";
  CHECK(read_stored_text(folder / "a.samples.csv.gz") ==
        "samples_at,point,block,drifted,sm_clock_mhz,durations_ns\n"
        "0," +
            key +
            "1 burst normal rotating,0,0,1500,1001 1002 1003\n"
            "0," +
            key + "1 burst normal rotating,1,1,1250,1101\n" + at + "," + key +
            "3 burst normal rotating,0,0,1980,7\n");
}

TEST_CASE("Resuming removes samples that no row refers to, complete or truncated") {
  const TemporaryFolder folder;
  const std::filesystem::path csv = folder / "a.csv", samples = folder / "a.samples.csv.gz";
  { MeasurementAppender(csv, {}, IfExists::kRefuse).append(with_samples("pipelined:a=1", kTwo)); }
  const std::string one = read_file(samples), rows = read_file(csv);
  { MeasurementAppender(csv, {}, IfExists::kResume).append(with_samples("pipelined:a=2", kOne)); }
  const std::string both = read_file(samples);
  for (std::size_t cut = one.size(); cut <= both.size(); ++cut) {  // killed before the row was
                                                                   // written
    write_file(csv, rows);
    write_file(samples, both.substr(0, cut));
    MeasurementAppender(csv, {}, IfExists::kResume).append(with_samples("pipelined:a=2", kOne));
    CHECK(read_file(samples) == both);
  }
  write_file(csv, measurement_csv({}));  // killed before the first row
  write_file(samples, one);
  MeasurementAppender(csv, {}, IfExists::kResume).append(with_samples("pipelined:a=1", kTwo));
  CHECK(read_file(samples) == one);
}

TEST_CASE("Raw samples that are missing or belong to another CSV are an error, never overwritten") {
  const TemporaryFolder folder;
  const std::filesystem::path csv = folder / "a.csv", samples = folder / "a.samples.csv.gz";
  { MeasurementAppender(csv, {}, IfExists::kRefuse).append(with_samples("pipelined:a=1", kTwo)); }
  const std::string one = read_file(samples);
  write_file(samples, one.substr(0, one.size() - 1));
  CHECK_THROWS_AS(MeasurementAppender(csv, {}, IfExists::kResume), ConfigError);
  CHECK(read_file(samples) == one.substr(0, one.size() - 1));
  CHECK_THROWS_AS(read_raw_samples(samples, 0), ConfigError);
  CHECK_THROWS_AS(read_raw_samples(samples, 3), ConfigError);
  std::filesystem::remove(samples);
  CHECK_THROWS_AS(MeasurementAppender(csv, {}, IfExists::kResume), FileError);
  CHECK_FALSE(std::filesystem::exists(samples));
  write_file(samples, one);
  std::filesystem::remove(csv);
  CHECK_THROWS_AS(MeasurementAppender(csv, {}, IfExists::kRefuse), ConfigError);
}

}  // namespace
}  // namespace tilecast
