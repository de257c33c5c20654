#include "validate/record/measurement_csv.h"

#include <algorithm>
#include <random>

#include "model/base/error.h"
#include "model/ops/problem_fields.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"
#include "validate/record/example_measurement.h"
#include "validate/record/measurement_columns.h"

namespace tilecast {
namespace {

constexpr const char* kConfig = "pipelined:tile=128x128x64,stages=4";

std::string message_of(const std::string& text, TruncatedLine truncated = TruncatedLine::kError) {
  return ERROR_TEXT(parse_measurements(text, "x.csv", truncated));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string example_csv() {
  return measurement_csv({example_measurement(kConfig, Seconds{100e-6})});
}

Measurement random_measurement(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::uniform_real_distribution<double> real(1e-6, 1e-2);
  Measurement m = example_measurement(kConfig, Seconds{real(random)}, {1 + upto(9999), 8, 1});
  m.point.regime = upto(2) == 0 ? Regime::kBurst : Regime::kSustained;
  m.point.inputs = static_cast<Inputs>(upto(4));
  m.point.l2_state = static_cast<L2State>(upto(3));
  std::get<GemmProblem>(m.point.problem).dtype = static_cast<ElementType>(upto(5));
  if (is_fp8(std::get<GemmProblem>(m.point.problem).dtype)) {
    std::get<GemmProblem>(m.point.problem).c =
        upto(2) == 0 ? ElementType::kFp16 : ElementType::kBf16;
    std::get<GemmProblem>(m.point.problem).accumulate =
        upto(2) == 0 ? Accumulate::kFast : Accumulate::kExact;
  }
  std::get<GemmProblem>(m.point.problem).layout = static_cast<Layout>(upto(2));
  m.context.driver = upto(2) == 0 ? "550, \"open\"" : "";
  m.verified = upto(2) == 0;
  if (upto(4) == 0) {
    m.status = static_cast<Status>(1 + upto(3));
    m.reason = "line one\nline two";
    m.time.reset();
    m.cycles.reset();
    m.sm_clock.reset();
  }
  if (upto(2) == 0) {
    m.power = Watts{real(random) * 1e5};
    m.registers = upto(256);
    m.shared_memory = Bytes{1024.0 * (1 + upto(220))};
    m.ctas_per_sm = upto(8);
    m.ctas = 1 + upto(9999);
    m.temperature = Celsius{20.0 + upto(70)};
    m.clock_event_reasons = upto(2) == 0 ? "none" : "sw_power_cap+hw_slowdown";
    m.blocks = 1 + upto(7);
    m.blocks_discarded = upto(7);
    m.round = 1 + upto(10);
    m.order_seed = upto(1 << 30);
    m.revision = 1 + upto(3);
    m.tile_checksum = "77";
    m.max_error = upto(2) == 0 ? 0 : real(random);
    m.counters["lts__t_bytes.sum"] = real(random) * 1e15;
  }
  if (upto(3) == 0) {
    m.counters_state = static_cast<CountersState>(upto(10));
    m.counters["dram__bytes_read.sum"] = 0;  // a count of zero, which is not absent
  }
  return m;
}

TEST_CASE("Random measurements round-trip through their text") {
  std::mt19937 random(11);
  std::vector<Measurement> all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(random_measurement(random));
  }
  const std::string text = measurement_csv(all);
  const MeasurementFile file = parse_measurements(text, "x.csv");
  REQUIRE(file.rows.size() == all.size());
  std::vector<Measurement> again;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Measurement& a = all[i];
    const Measurement& b = file.rows[i].measurement;
    CHECK(a.point == b.point);
    CHECK(a.verified == b.verified);
    CHECK(a.status == b.status);
    CHECK(a.reason == b.reason);
    CHECK(a.context.driver == b.context.driver);
    CHECK(a.time.has_value() == b.time.has_value());
    CHECK(a.power.has_value() == b.power.has_value());
    CHECK(a.max_error.has_value() == b.max_error.has_value());
    CHECK(a.registers == b.registers);
    CHECK(a.ctas_per_sm == b.ctas_per_sm);
    CHECK(a.ctas == b.ctas);
    CHECK(a.temperature.has_value() == b.temperature.has_value());
    CHECK(a.clock_event_reasons == b.clock_event_reasons);
    CHECK(a.blocks == b.blocks);
    CHECK(a.blocks_discarded == b.blocks_discarded);
    CHECK(a.round == b.round);
    CHECK(a.order_seed == b.order_seed);
    CHECK(a.counters_state == b.counters_state);
    CHECK(a.counters == b.counters);
    if (a.time) {
      CHECK(b.time->median.value == Approx(a.time->median.value).epsilon(1e-9));
      CHECK(b.time->samples == a.time->samples);
      CHECK(b.cycles->value == Approx(a.cycles->value).epsilon(1e-9));
      CHECK(b.sm_clock->value == Approx(a.sm_clock->value).epsilon(1e-9));
    }
    again.push_back(b);
  }
  CHECK(measurement_csv(again) == text);
}

TEST_CASE("The header has every column of the contract, in order") {
  CHECK(example_csv().starts_with(
      "gpu,gpu_uuid,date,driver,toolkit,git,op,m,n,k,dtype,layout,config,regime,inputs,l2_state,"
      "verified,time_us_median,time_us_q1,time_us_q3,samples,cycles,sm_clock_mhz,power_w,status,"
      "reason"));
}

TEST_CASE("A row uses the units named by its columns, and leaves absent values empty") {
  // 100 us at 1.5 GHz are 150,000 cycles. There is no power, so the last field is empty.
  const std::string text = example_csv();
  CHECK(contains(text, ",rotating,1,100,99,101,20,150000,1500,,ok,,"));
  CHECK(contains(text, "\"pipelined:tile=128x128x64,stages=4\""));
}

TEST_CASE("Columns are found by name, in any order and with unknown ones between") {
  const std::string text =
      "mood,status,reason,gpu,gpu_uuid,date,driver,toolkit,git,op,m,n,k,dtype,layout,config,regime,"
      "inputs,l2_state,verified,time_us_median,time_us_q1,time_us_q3,samples,cycles,sm_clock_mhz,"
      "power_w,sm__cycles_active.avg\n"
      "fine,ok,,g,u,2025-01-31T12:00:00Z,v,t,r,gemm,64,32,16,bf16,nn,cublaslt:top1,sustained,zeros,"
      "warm,1,7,6,8,3,,,"
      "300,12.5\n";
  const MeasurementFile file = parse_measurements(text, "x.csv");
  REQUIRE(file.rows.size() == 1);
  const Measurement& m = file.rows[0].measurement;
  CHECK(file.rows[0].line == 2);
  CHECK(m.point.problem == AnyProblem{GemmProblem{{64, 32, 16}, ElementType::kBf16, Layout::kNn}});
  CHECK(m.point.regime == Regime::kSustained);
  CHECK(m.time->median.value == Approx(7e-6));
  CHECK_FALSE(m.cycles.has_value());
  CHECK(m.power->value == 300);
  CHECK(m.counters == std::map<std::string, double>{{"sm__cycles_active.avg", 12.5}});
}

TEST_CASE("Each field of an op's problem is a column") {
  for (const std::string_view field : problem_field_names()) {
    INFO(field);
    CHECK(std::ranges::count(measurement_column_table(), field, &MeasurementColumn::name) == 1);
  }
}

TEST_CASE("A memcpy row has its elements in m and no layout") {
  Measurement m = example_measurement("memcpy_cpasync:buffers=2", Seconds{1e-6});
  m.point.problem = StreamProblem{1, 1024, ElementType::kFp16, Op::kMemcpy};
  const std::string text = measurement_csv({m});
  CHECK(contains(text, "memcpy,1024,,,fp16,,memcpy_cpasync:buffers=2,"));
  CHECK(parse_measurements(text, "x.csv").rows[0].measurement.point == m.point);
  CHECK(message_of(replaced(text, "1024,,", "1024,7,")) ==
        "x.csv:2: n: must be empty for op memcpy");
}

TEST_CASE("An epilogue is a column, empty for none, and part of the point") {
  Measurement m = example_measurement(kConfig, Seconds{1e-6}, {1024, 512, 64});
  const std::string plain = measurement_csv({m});
  CHECK(contains(plain, ",epilogue,accumulate\n"));
  CHECK(plain.ends_with(",,\n"));
  std::get<GemmProblem>(m.point.problem).epilogue = {step<BiasN>(), step<Gelu>()};
  const std::string fused = measurement_csv({m});
  CHECK(fused.ends_with(",bias_n+gelu,\n"));
  CHECK(parse_measurements(fused, "x.csv").rows[0].measurement.point == m.point);
  Point none = m.point;
  std::get<GemmProblem>(none.problem).epilogue = {};
  CHECK(key_of(none) != key_of(m.point));
  Point fp8 = none;
  std::get<GemmProblem>(fp8.problem).dtype = ElementType::kE4m3;
  Point fp16_c = fp8;
  std::get<GemmProblem>(fp16_c.problem).c = ElementType::kFp16;
  CHECK(key_of(fp8) != key_of(fp16_c));
  CHECK(message_of(replaced(fused, "bias_n+gelu", "gelu+bias_n"))
            .starts_with("x.csv:2: epilogue: epilogue 'gelu+bias_n': expected one step of a kind, "
                         "in the order "));
}

TEST_CASE("The accumulation of fp8 is a column that older files lack") {
  Measurement m = example_measurement(kConfig, Seconds{1e-6}, {1024, 512, 64});
  std::get<GemmProblem>(m.point.problem).dtype = ElementType::kE4m3;
  const auto row_of = [&] { return measurement_csv({m}); };
  const auto read = [](const std::string& text) {
    return parse_measurements(text, "x.csv").rows[0].measurement.point;
  };
  const Point fast = m.point;
  CHECK(row_of().ends_with(",,fast\n"));
  CHECK(read(row_of()) == fast);
  CHECK(read(replaced(replaced(row_of(), ",accumulate\n", "\n"), ",fast\n", "\n")) == fast);
  std::get<GemmProblem>(m.point.problem).accumulate = Accumulate::kExact;
  CHECK(row_of().ends_with(",,exact\n"));
  CHECK(read(row_of()) == m.point);
  CHECK(key_of(fast) != key_of(m.point));
  m.point.problem = fast.problem;
  std::get<GemmProblem>(m.point.problem).epilogue.add(step<ScaleBlock>());
  CHECK(row_of().ends_with(",scale_block,exact\n"));
  CHECK(read(row_of()) == m.point);
  CHECK(message_of(replaced(row_of(), ",exact\n", ",fast\n"))
            .ends_with("accumulate 'fast': not available with block scales, which always "
                       "accumulate in fp32"));
}

TEST_CASE("Leading dimensions are columns, empty for packed rows, and part of the point") {
  Measurement m = example_measurement(kConfig, Seconds{1e-6}, {1024, 512, 64});
  const Point tight = m.point;
  std::get<GemmProblem>(m.point.problem).leading = {72, 0, 520};
  const std::string text = measurement_csv({m});
  CHECK(contains(text, ",72,,520,"));
  CHECK(parse_measurements(text, "x.csv").rows[0].measurement.point == m.point);
  CHECK(key_of(tight) != key_of(m.point));
  CHECK(message_of(replaced(text, ",72,,520,", ",63,,520,"))
            .ends_with("lda is 63: expected 64 to 274877906944, or 0"));
  CHECK(message_of(replaced(text, ",72,,520,", ",64,,520,"))
            .ends_with("lda, ldb, ldc: must be empty if rows are contiguous"));
}

TEST_CASE("A malformed file is an error that names file, line, column and the expected value") {
  const std::string good = example_csv();
  CHECK(message_of(good) == "");
  CHECK(message_of("").starts_with("x.csv:1: expected a header"));
  CHECK(message_of(replaced(good, "layout", "layuot")) ==
        "x.csv:1: layout: column missing from the header; did you mean layuot?");
  CHECK(message_of(replaced(good, "gpu_uuid", "gpu")) == "x.csv:1: gpu: duplicate column");
  CHECK(contains(message_of(replaced(good, ",rotating,", ",")), " fields as in the header, got "));
  CHECK(message_of(replaced(good, ",4096,", ",-4,")) ==
        "x.csv:2: m: expected an integer of at least 1, got '-4'");
  CHECK(message_of(replaced(good, ",4096,", ",,")) ==
        "x.csv:2: m: expected an integer of at least 1 for op gemm");
  CHECK(message_of(replaced(good, ",100,", ",1e999,")) ==
        "x.csv:2: time_us_median: expected a number above 0, got '1e999'");
  CHECK(message_of(replaced(good, ",100,", ",102,"))
            .starts_with("x.csv:2: time_us_median: expected all three times"));
  CHECK(message_of(replaced(good, ",burst,", ",brust,"))
            .ends_with("expected one of burst, sustained; did you mean burst?"));
  CHECK(message_of(replaced(good, ",ok,", ",failed,")) ==
        "x.csv:2: reason: expected a reason if status is failed");
  CHECK(message_of(replaced(good, ",100,99,101,20,", ",,,,,")) ==
        "x.csv:2: time_us_median: expected a time if status is ok");
  CHECK(message_of(replaced(good, ",rotating,1,", ",rotating,yes,")) ==
        "x.csv:2: verified: expected 0 or 1, got 'yes'");
  CHECK(message_of(replaced(good, "pipelined:", "pipelined ")).starts_with("x.csv:2: config: "));
  CHECK(message_of(replaced(good, "pipelined:", "pi:stages=")).starts_with("x.csv:2: config: "));
}

TEST_CASE("An abbreviated configuration is read as its canonical form") {
  const std::string text =
      replaced(example_csv(), kConfig, "pi 64x32x128 s4 w1x1 c1x1 o1 i1 e0 m8");
  CHECK(parse_measurements(text, "x.csv", TruncatedLine::kError)
            .rows.front()
            .measurement.point.config ==
        "pipelined:tile=64x32x128,stages=4,warpgroups=1x1,ctas=1,inflight=1,c_slots=0,"
        "raster=grouped_m,group=8");
}

TEST_CASE("An invalid date and an implausible power are errors") {
  const std::string good = example_csv();
  const std::string date = example_measurement(kConfig, Seconds{1e-4}).context.date;
  REQUIRE(!date.empty());
  for (const std::string other : {"2025-02-29T23:59:60Z", "2025-12-31T00:00:00Z"}) {
    CHECK(message_of(replaced(good, date, other)) == "");
  }
  for (const std::string other :
       {"yesterday", "2025-13-01T00:00:00Z", "2025-00-01T00:00:00Z", "2025-01-32T00:00:00Z",
        "2025-01-31T24:00:00Z", "2025-01-31T12:60:00Z", "2025-01-31 12:00:00Z",
        "2025-01-31T12:00:00"}) {
    CHECK(message_of(replaced(good, date, other)) ==
          "x.csv:2: date: expected a date as 2025-01-31T12:00:00Z, got '" + other + "'");
  }
  CHECK(message_of(replaced(good, ",150000,1500,,", ",150000,1500,1e300,")) ==
        "x.csv:2: power_w: expected at most 10000, got '1e300'");
  CHECK(message_of(replaced(good, ",150000,1500,,", ",150000,1500,10000,")) == "");
}

TEST_CASE("A truncated header is an error even if truncated lines are dropped") {
  const std::string header = measurement_csv({});
  const std::string cut = header.substr(0, header.size() - 1);
  CHECK(message_of(cut) == "");
  CHECK(message_of(cut, TruncatedLine::kDrop) ==
        "x.csv:1: expected a header line with the names of the columns");
}

TEST_CASE("A truncated last line is an error, or is dropped if allowed") {
  const std::string good = measurement_csv(
      {example_measurement(kConfig, Seconds{1e-4}), example_measurement(kConfig, Seconds{2e-4})});
  const std::size_t last = good.rfind('\n', good.size() - 2) + 1;
  for (std::size_t cut = last + 1; cut < good.size(); ++cut) {
    const std::string truncated = good.substr(0, cut);
    // If only the line end is missing, the row is complete.
    CHECK(message_of(truncated) ==
          (cut + 1 < good.size() ? "x.csv:3: the file ends inside this line: it was cut off" : ""));
    const MeasurementFile file = parse_measurements(truncated, "x.csv", TruncatedLine::kDrop);
    CHECK(file.rows.size() == 1);
    CHECK(file.whole_bytes == last);
  }
}

}  // namespace
}  // namespace tilecast
