#include "model/gemm/rules/compiler_rejections.h"

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/base/file.h"
#include "model/base/text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/gemm_config.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

const std::string kHeader =
    "architecture,schedule,block_m,block_n,block_k,stages,warpgroups_m,warpgroups_n,cluster_m,"
    "cluster_n,ctas,inflight,c_slots,producer,instruction_n,a,order,store,operands,dtype,dtype_c,"
    "accumulate,layout,epilogue,products,compiler,reason\n";

/// Returns a CSV line with these fields; the others are empty.
std::string row_of(const std::map<std::string, std::string>& words) {
  std::string row = "hopper";
  const std::vector<std::string_view> columns = split(kHeader, ',');
  for (const std::string_view name : std::span(columns).subspan(1, kVariantParts)) {
    const auto word = words.find(std::string(name));
    row += "," + (word == words.end() ? "" : word->second);
  }
  return row + ",nvrtc 13.0,spills";
}

const GemmProblem kProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};

bool rejected(const std::string& row, const std::string& config,
              const GemmProblem& problem = kProblem) {
  return any_rejects(parse_compiler_rejections(kHeader + row + "\n", "t"), problem,
                     gemm_config(config));
}

std::string complaint(const std::string& text) {
  return ERROR_MESSAGE(parse_compiler_rejections(text, "t"));
}

const std::string kPipelined = "pi 128x192x64 s4 w1x1 c1x1 o1 i1 e2 m8";

TEST_CASE("Rows in any order match once they are sorted by schedule") {
  std::vector<CompilerRejection> rows;
  for (const std::string schedule : {"warp_specialized", "pipelined", "persistent"}) {
    rows.push_back(
        parse_compiler_rejections(kHeader + row_of({{"schedule", schedule}}) + "\n", "t").front());
  }
  sort_by_schedule(rows);
  for (const std::string config : {"ws 128x192x64 s4 w1x1 c1x1 o1 i1 e2 m8", kPipelined.c_str(),
                                   "pe 128x192x64 s4 w1x1 c1x1 o1 i1 e2 m8"}) {
    CAPTURE(config);
    CHECK(any_rejects(rows, kProblem, gemm_config(config)));
  }
}

TEST_CASE("A row matches every kernel with the values it names") {
  const std::string row = row_of({{"schedule", "pipelined"},
                                  {"block_m", "128"},
                                  {"block_n", "192"},
                                  {"warpgroups_m", "1"},
                                  {"warpgroups_n", "1"}});
  CHECK(rejected(row, kPipelined));
  CHECK(rejected(row, "pi 128x192x128 s2 w1x1 c1x1 o1 i0 e0 h"));
  CHECK_FALSE(rejected(row, "pi 128x176x64 s4 w1x1 c1x1 o1 i1 e2 m8"));
  CHECK_FALSE(rejected(row, "pi 128x192x64 s4 w2x1 c1x1 o1 i1 e2 m8"));
  CHECK_FALSE(rejected(row, "pe 128x192x64 s4 w1x1 c1x1 o1 i1 e2 m8"));
}

TEST_CASE("A row for one schedule that splits K matches all of them") {
  const auto row_about = [](const char* schedule) {
    return row_of({{"schedule", schedule}, {"block_m", "64"}, {"block_n", "64"}});
  };
  const std::string row = row_about("stream_k");
  const std::string tile =
      "tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,";
  const std::string order = ",raster=grouped_m,group=8";
  CHECK(rejected(row, "stream_k:" + tile + "min_k_blocks=8,reduction=atomic" + order));
  CHECK(rejected(row, "split_k_hybrid:" + tile + "splits=2,reduction=spread" + order));
  CHECK_FALSE(
      rejected(row, "warp_specialized:" + tile + "grid=resident" + order + ",walk=strided"));
  CHECK(rejected(row_about("split_k_hybrid"),
                 "stream_k:" + tile + "min_k_blocks=8,reduction=atomic" + order));
  CHECK_FALSE(rejected(row_about("warp_specialized"),
                       "split_k:" + tile + "splits=2,reduction=spread" + order));
}

TEST_CASE("Every number compiled into a kernel can be named") {
  const std::string config = "ws 128x256x64 s4 w2x1 c1x2 o1 i0 e3 m8 r24";
  const std::map<std::string, std::string> right{
      {"block_m", "128"},      {"block_n", "256"},    {"block_k", "64"},  {"stages", "4"},
      {"warpgroups_m", "2"},   {"warpgroups_n", "1"}, {"cluster_m", "1"}, {"cluster_n", "2"},
      {"ctas", "1"},           {"inflight", "0"},     {"c_slots", "3"},   {"producer", "24"},
      {"instruction_n", "256"}};
  for (const auto& [column, number] : right) {
    CHECK(rejected(row_of({{column, number}}), config));
    CHECK_FALSE(rejected(row_of({{column, number + "7"}}), config));
  }
}

TEST_CASE("Compile-time options of a configuration are written as words") {
  const std::string registers = "sm 64x128x128 s1 w1x1 c1x1 o1 i0 e0 m1 rs in32";
  const std::string shared = "sm 64x128x128 s1 w1x1 c1x1 o1 i0 e0 m1 ss in32";
  CHECK(rejected(row_of({{"a", "registers"}}), registers));
  CHECK_FALSE(rejected(row_of({{"a", "registers"}}), shared));
  const std::string usual =
      "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
      "c_slots=2,producer=40,grid=resident,";
  const std::string bands = usual + "raster=grouped_n,group=4,walk=chunked";
  const std::string curve = usual + "raster=hilbert,group=1,walk=chunked";
  CHECK(rejected(row_of({{"order", "hilbert"}}), curve));
  CHECK_FALSE(rejected(row_of({{"order", "hilbert"}}), bands));
  CHECK(rejected(row_of({{"order", "bands"}}), bands));
  CHECK(rejected(row_of({{"store", "deferred"}}), bands + ",store=deferred"));
  CHECK_FALSE(rejected(row_of({{"store", "deferred"}}), bands));
  CHECK(rejected(row_of({{"store", "tile_end"}}), bands));
  CHECK(rejected(row_of({{"operands", "swapped"}}), bands + ",operands=swapped"));
  CHECK_FALSE(rejected(row_of({{"operands", "in_order"}}), bands + ",operands=swapped"));
}

TEST_CASE("Compile-time properties of a problem are written as words") {
  const auto both = [](const std::string& column, const std::string& word,
                       const GemmProblem& with) {
    CHECK(rejected(row_of({{column, word}}), kPipelined, with));
    CHECK_FALSE(rejected(row_of({{column, word}}), kPipelined));
  };
  GemmProblem other = kProblem;
  other.dtype = ElementType::kBf16;
  both("dtype", "bf16", other);
  other.layout = Layout::kNn;
  both("layout", "nn", other);
  other.c = ElementType::kFp32;
  both("dtype_c", "fp32", other);
  other.epilogue = parse_epilogue("bias_m+geglu");
  both("epilogue", "bias_m+geglu", other);
  other.batch.products = 2;
  both("products", "batch", other);
  both("products", "groups", in_groups(kProblem, {5, 6}));
  both("products", "k_groups", in_groups_of_k(kProblem, {5, 6}));
  CHECK(rejected(row_of({{"epilogue", "none"}, {"products", "one"}}), kPipelined));
  GemmProblem fp8{kProblem.shape, ElementType::kE4m3, Layout::kTn};
  fp8.accumulate = Accumulate::kExact;
  both("dtype", "e4m3", fp8);
  both("accumulate", "exact", fp8);
}

TEST_CASE("block_k counts elements, of 16 bits if the row has any type") {
  const GemmProblem fp8{kProblem.shape, ElementType::kE4m3, Layout::kTn};
  const std::string row = row_of({{"block_k", "128"}, {"dtype", "e4m3"}});
  const auto pipelined = [](const char* block_k) {
    return std::string("pipelined:tile=128x192x") + block_k +
           ",stages=4,warpgroups=1x1,ctas=1,inflight=1,c_slots=2,raster=grouped_m,group=8";
  };
  CHECK(rejected(row, pipelined("128"), fp8));
  CHECK_FALSE(rejected(row, pipelined("64"), fp8));
  const std::string of_any_type = row_of({{"block_k", "128"}});
  CHECK(rejected(of_any_type, pipelined("128"), kProblem));
  CHECK(rejected(of_any_type, pipelined("256"), fp8));
  CHECK_FALSE(rejected(of_any_type, pipelined("128"), fp8));
}

TEST_CASE("Every epilogue is read back as it was written") {
  for (const char* text :
       {"none", "scale_tensor", "scale_row+bias_m+relu", "scale_block", "bias_n+gelu_tanh+residual",
        "swiglu", "geglu", "residual+amax", "scale_row+bias_n+silu+residual+amax+scale_c"}) {
    const std::string row = row_of({{"epilogue", text}});
    CHECK(compiler_rejections_text(parse_compiler_rejections(kHeader + row + "\n", "t")) ==
          kHeader + row + "\n");
  }
}

TEST_CASE("A malformed row is an error with its place and the expected value") {
  const std::string good = row_of({{"schedule", "pipelined"}, {"block_n", "192"}});
  CHECK(complaint(kHeader).empty());
  CHECK(complaint(kHeader + good).empty());  // without a trailing line end
  CHECK(complaint("schedule\n" + good).starts_with("2 t:1: expected the columns architecture,"));
  CHECK(complaint("").starts_with("2 t:1: expected the columns "));
  CHECK(complaint(kHeader + good + "\n\n" + good) == "2 t:3: expected 27 fields, got 1");
  CHECK(complaint(kHeader + good + ",") == "2 t:2: expected 27 fields, got 28");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string row = good;
    return complaint(kHeader + row.replace(row.find(from), from.size(), to) + "\n");
  };
  CHECK(with("hopper", "hoper") ==
        "2 t:2: architecture: expected one of ampere, ada, hopper, blackwell, blackwell_rtx, "
        "fictional, got 'hoper'");
  CHECK(with("pipelined", "piplined").starts_with("2 t:2: schedule: unknown schedule 'piplined'"));
  CHECK(with("192", "-192") ==
        "2 t:2: block_n: expected an empty field or an integer from 0 to 1048576, got '-192'");
  CHECK(with("nvrtc 13.0", "") == "2 t:2: compiler: expected a non-empty string");
  CHECK(with("spills", "spilled") ==
        "2 t:2: reason: expected one of spills, wgmma_serialized, setmaxnreg_ignored, error, got "
        "'spilled'");
}

TEST_CASE("A GPU gets the rows of its architecture, or none if the file is missing") {
  const TemporaryFolder folder;
  const std::string yaml = read_file(load_gpu("h200_sxm", false).path);
  write_file(folder / "gpus/h200_sxm.yaml", yaml);
  CHECK(load_gpu("h200_sxm", false, folder / ".").spec.compiler_rejections->empty());
  write_file(folder / "compiler_rejections.csv",
             kHeader + row_of({{"schedule", "pipelined"}}) + "\nampere" +
                 row_of({}).substr(std::string("hopper").size()) + "\n");
  const GpuSpec gpu = load_gpu("h200_sxm", false, folder / ".").spec;
  REQUIRE(gpu.compiler_rejections->size() == 1);
  CHECK(gpu.compiler_rejections->front().reason == "spills");
}

TEST_CASE("The committed table is valid and uses the architectures' words") {
  CHECK(ERROR_MESSAGE(load_compiler_rejections(config_folder(), "hopper")).empty());
  for (const Architecture a : {Architecture::kAmpere, Architecture::kHopper,
                               Architecture::kBlackwell, Architecture::kFictional}) {
    const std::string row =
        std::string(to_text(a)) + row_of({}).substr(std::string("hopper").size());
    CHECK(parse_compiler_rejections(kHeader + row, "t").size() == 1);
  }
}

}  // namespace
}  // namespace tilecast
