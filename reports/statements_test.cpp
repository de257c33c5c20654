#include "reports/statements.h"

#include "model/spec/chip_counters.h"
#include "model/tile/kernel_config_text.h"
#include "reports/example_report.h"
#include "reports/sections/sections.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

/// The finding of the statement that begins so; rows' times are in microseconds.
Finding found(const ReportInput& input, const std::string& statement) {
  for (const Statement& own : statements()) {
    if (std::string(own.text).starts_with(statement)) {
      return own.finding(input);
    }
  }
  FAIL("no such statement");
  return {};
}

std::string verdict(const std::vector<Measurement>& rows, const std::string& statement) {
  return verdict_of(found(example_input(rows), statement));
}

Measurement tutorial_row(const std::string& config, double micros, i64 k = 16384,
                         Layout layout = Layout::kNn) {
  Measurement row = example_measurement(config, Seconds{micros * 1e-6}, {8192, 8192, k});
  row.point.problem.layout = layout;
  return row;
}

Measurement sustained(Measurement row) {
  row.point.regime = Regime::kSustained;
  return row;
}

std::string persistent(int stages, int group) {
  return "persistent:tile=128x256x64,stages=" + std::to_string(stages) +
         ",warpgroups=2x1,ctas=1,inflight=1,c_slots=2,raster=grouped_m,group=" +
         std::to_string(group) + ",walk=strided";
}

std::string two_buffers(const std::string& tile, int ctas) {
  return "blocked_pipelined:tile=" + tile + ",warpgroups=1x1,ctas=" + std::to_string(ctas) +
         ",c_slots=0,raster=grouped_n,group=1";
}

constexpr const char* kOverlap =
    "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=4,raster=grouped_n,group=1,walk=chunked";
constexpr const char* kPipelined =
    "pipelined:tile=128x256x64,stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=4,"
    "raster=grouped_n,group=1";

}  // namespace

TEST_CASE("Grouping does not help unless a group gains two per cent in either regime") {
  const Measurement plain = tutorial_row(persistent(3, 1), 1030);
  const Measurement slightly = tutorial_row(persistent(3, 8), 1020);
  CHECK(verdict({plain, slightly}, "Grouping") == "confirmed");
  CHECK(verdict({plain, tutorial_row(persistent(3, 8), 1000)}, "Grouping") == "not confirmed");
  CHECK(
      verdict({plain, slightly, sustained(plain), sustained(tutorial_row(persistent(3, 2), 1000))},
              "Grouping") == "not confirmed");
  CHECK(verdict({plain}, "Grouping") == "not testable here");
  // Another kernel than the document's decides nothing.
  CHECK(verdict({tutorial_row(persistent(4, 1), 1030), tutorial_row(persistent(4, 8), 900)},
                "Grouping") == "not testable here");
}

TEST_CASE("What grouping gains is told beside what the document prints") {
  ReportInput input =
      example_input({tutorial_row(persistent(3, 1), 1100), tutorial_row(persistent(3, 8), 1000)});
  input.published.push_back({.table = "Persistent: group of tiles", .value = 648.4});
  input.published.push_back({.table = "Persistent: group of tiles", .value = 655.5});
  const std::string figure = found(input, "Grouping").figure;
  CHECK(figure.starts_with("burst: group 8 gains 1.1 over group 1"));
  CHECK(figure.find("the document prints 648.4 to 655.5 TFLOPS") != std::string::npos);
}

TEST_CASE("Three buffers suffice where a fourth gains less than two per cent") {
  const Measurement three = tutorial_row(persistent(3, 8), 1000);
  CHECK(verdict({three, tutorial_row(persistent(4, 8), 990)}, "Three") == "confirmed");
  CHECK(verdict({three, tutorial_row(persistent(4, 8), 970)}, "Three") == "not confirmed");
  CHECK(verdict({three}, "Three") == "not testable here");
}

TEST_CASE("Overlap gains most at small K where its gain there is two per cent more") {
  const auto rows = [](double at_small) {
    return std::vector<Measurement>{tutorial_row(kPipelined, 1020), tutorial_row(kOverlap, 1000),
                                    tutorial_row(kPipelined, at_small, 512),
                                    tutorial_row(kOverlap, 100, 512)};
  };
  CHECK(verdict(rows(110), "Overlapping") == "confirmed");      // 1.10 beside 1.02
  CHECK(verdict(rows(103), "Overlapping") == "not confirmed");  // 1.03
  CHECK(verdict({tutorial_row(kPipelined, 1020), tutorial_row(kOverlap, 1000)}, "Overlapping") ==
        "not testable here");
}

TEST_CASE("cuBLAS is ahead at small K where it is two per cent faster") {
  const auto rows = [](double library) {
    return std::vector<Measurement>{
        tutorial_row(kOverlap, 100, 512),
        tutorial_row(std::string(kCublasltTop1), library, 512, Layout::kTn)};
  };
  CHECK(verdict(rows(97), "cuBLAS") == "confirmed");
  CHECK(verdict(rows(99), "cuBLAS") == "not confirmed");
  CHECK(verdict({tutorial_row(kOverlap, 100, 512)}, "cuBLAS") == "not testable here");
}

TEST_CASE("128x128x64 with two CTAs is preferred where nothing tried is faster in either regime") {
  const std::vector<Measurement> others{tutorial_row(two_buffers("64x256x64", 2), 1200),
                                        tutorial_row(two_buffers("64x128x128", 2), 1300),
                                        tutorial_row(two_buffers("64x256x128", 1), 1400)};
  std::vector<Measurement> rows = others;
  CHECK(verdict(rows, "Pipelined WGMMA") == "not testable here");  // three tiles
  rows.push_back(tutorial_row(two_buffers("128x128x64", 2), 1000));
  CHECK(verdict(rows, "Pipelined WGMMA") == "confirmed");
  for (const Measurement& row : std::vector<Measurement>(rows)) {
    rows.push_back(sustained(row));
  }
  rows.back().time = TimeDistribution{Seconds{2e-3}, Seconds{2e-3}, Seconds{2e-3}, 20};
  CHECK(verdict(rows, "Pipelined WGMMA") == "not confirmed");
}

TEST_CASE("A in registers is slower where shared memory instead gains two per cent") {
  const auto rows = [](double registers) {
    const auto row = [](const char* source, double micros) {
      return example_measurement("small_mma:tile=64x128x128,warpgroups=1x1,a=" +
                                     std::string(source) + ",instruction_n=128",
                                 Seconds{micros * 1e-6}, {64, 128, 128});
    };
    return std::vector<Measurement>{row("registers", registers), row("shared", 3)};
  };
  CHECK(verdict(rows(3.1), "A in registers") == "confirmed");
  CHECK(verdict(rows(3.03), "A in registers") == "not confirmed");
  CHECK(verdict({rows(3.1)[0]}, "A in registers") == "not testable here");
}

TEST_CASE("A third buffer gives nothing to an addition where it gains less than two per cent") {
  const auto rows = [](double third) {
    const auto row = [](int stages, double micros) {
      Measurement m = example_measurement(
          "elementwise_add_pipelined:block=32x64,stages=" + std::to_string(stages) +
              ",warps=4,vector=4,ctas=3,layout=plain,view=matrix,order=bands,hint=none",
          Seconds{micros * 1e-6});
      m.point.op = Op::kElementwiseAdd;
      m.point.problem = {{32768, 32768, 0}, ElementType::kFp32, Layout::kTn};
      return m;
    };
    return std::vector<Measurement>{row(2, 1000), row(3, third)};
  };
  CHECK(verdict(rows(990), "A third buffer") == "confirmed");
  CHECK(verdict(rows(970), "A third buffer") == "not confirmed");
  CHECK(verdict({rows(990)[0]}, "A third buffer") == "not testable here");
}

TEST_CASE("The hybrid restores locality where it reads two per cent less from DRAM") {
  const auto input = [](double hybrid_bytes) {
    const auto row = [](const char* schedule, double bytes) {
      Measurement m = example_measurement(
          schedule + std::string(":tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,"
                                 "inflight=1,c_slots=2,producer=40,min_k_blocks=4,reduction=atomic,"
                                 "raster=grouped_m,group=8"),
          Seconds{1e-4});
      if (bytes > 0) {
        m.counters["dram__bytes_read.sum"] = bytes;
      }
      return m;
    };
    ReportInput made = example_input({row("stream_k", 1e9), row("stream_k_hybrid", hybrid_bytes)});
    made.chip = load_chip_counters(config_folder(), "GH100");
    return made;
  };
  CHECK(verdict_of(found(input(9.7e8), "Hybrid")) == "confirmed");
  CHECK(verdict_of(found(input(9.9e8), "Hybrid")) == "not confirmed");
  CHECK(verdict_of(found(input(0), "Hybrid")) == "not testable here");
}

TEST_CASE("Every statement is on the page with its criterion, even without a row for it") {
  ReportInput input = example_input(example_rows());
  input.published.push_back({.problem = input.judged.groups.front().problem});
  const DataTable table = statements_section(input)->tables.front();
  REQUIRE(table.rows.size() == statements().size());
  for (const std::vector<Cell>& row : table.rows) {
    CHECK(std::get<std::string>(row[table.column("verdict")]) == "not testable here");
    CHECK(!std::get<std::string>(row[table.column("criterion")]).empty());
  }
}
