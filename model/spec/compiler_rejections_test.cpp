#include "model/spec/compiler_rejections.h"

#include <string>

#include "model/base/file.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

const std::string kHeader =
    "architecture,schedule,block_m,block_n,block_k,stages,warpgroups_m,warpgroups_n,cluster_m,"
    "cluster_n,ctas,inflight,c_slots,producer,instruction_n,a,dtype,layout,compiler,reason\n";

const GemmProblem kProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};

bool rejected(const std::string& row, const std::string& config,
              const GemmProblem& problem = kProblem) {
  return any_rejects(parse_compiler_rejections(kHeader + row + "\n", "t"), problem,
                     parse_kernel_config(config));
}

std::string complaint(const std::string& text) {
  return error_message([&] { parse_compiler_rejections(text, "t"); });
}

const std::string kPipelined =
    "pipelined:tile=128x192x64,stages=4,warpgroups=1x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=8";

TEST_CASE("A row is about every kernel that has the values it names, whatever else") {
  const std::string row = "hopper,pipelined,128,192,,,1,1,,,,,,,,,,,nvrtc 13.0,spills";
  CHECK(rejected(row, kPipelined));
  CHECK(rejected(row,
                 "pipelined:tile=128x192x128,stages=2,warpgroups=1x1,ctas=1,inflight=0,c_slots=0,"
                 "raster=hilbert,group=1"));
  CHECK_FALSE(rejected(row,
                       "pipelined:tile=128x176x64,stages=4,warpgroups=1x1,ctas=1,inflight=1,"
                       "c_slots=2,raster=grouped_m,group=8"));
  CHECK_FALSE(rejected(row,
                       "pipelined:tile=128x192x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,"
                       "c_slots=2,raster=grouped_m,group=8"));
  CHECK_FALSE(rejected(row,
                       "persistent:tile=128x192x64,stages=4,warpgroups=1x1,ctas=1,inflight=1,"
                       "c_slots=2,raster=grouped_m,group=8,walk=strided"));
}

TEST_CASE("A row about one of the schedules that split K is about all, which are one kernel") {
  const std::string row = "hopper,stream_k,64,64,,,,,,,,,,,,,,,nvrtc 13.0,spills";
  const std::string tile =
      "tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,";
  const std::string order = ",raster=grouped_m,group=8";
  CHECK(rejected(row, "stream_k:" + tile + "min_k_blocks=8,reduction=atomic" + order));
  CHECK(rejected(row, "split_k_hybrid:" + tile + "splits=2,reduction=spread" + order));
  CHECK_FALSE(
      rejected(row, "warp_specialized:" + tile + "grid=resident" + order + ",walk=strided"));
  CHECK_FALSE(rejected("hopper,warp_specialized,64,64,,,,,,,,,,,,,,,nvrtc 13.0,spills",
                       "split_k:" + tile + "splits=2,reduction=spread" + order));
}

TEST_CASE("Every number of a kernel that is compiled in can be named") {
  const std::string config =
      "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=0,"
      "c_slots=3,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided";
  const std::string right[] = {"128", "256", "64", "4", "2",  "1",  "1",
                               "2",   "1",   "0",  "3", "24", "256"};
  const auto row_with = [&](std::size_t named, const std::string& value) {
    std::string row = "hopper,";
    for (std::size_t i = 0; i < kCompileTimeNumbers; ++i) {
      row += "," + (i == named ? value : "");
    }
    return row + ",,,,nvrtc 13.0,spills";
  };
  for (std::size_t i = 0; i < kCompileTimeNumbers; ++i) {
    CHECK(rejected(row_with(i, right[i]), config));
    CHECK_FALSE(rejected(row_with(i, right[i] + "7"), config));
  }
}

TEST_CASE("Source of A, type and layout are named by their words") {
  const std::string registers =
      "small_mma:tile=64x128x128,warpgroups=1x1,a=registers,instruction_n=32";
  const std::string shared = "small_mma:tile=64x128x128,warpgroups=1x1,a=shared,instruction_n=32";
  const std::string row = "hopper,small_mma,,,,,,,,,,,,,,registers,,,nvcc 13.0.88,error";
  CHECK(rejected(row, registers));
  CHECK_FALSE(rejected(row, shared));
  const GemmProblem bf16{kProblem.shape, ElementType::kBf16, Layout::kNn};
  CHECK(rejected("hopper,,,,,,,,,,,,,,,,bf16,nn,nvcc 13.0.88,error", kPipelined, bf16));
  CHECK_FALSE(rejected("hopper,,,,,,,,,,,,,,,,bf16,nn,nvcc 13.0.88,error", kPipelined));
  CHECK_FALSE(rejected("hopper,,,,,,,,,,,,,,,,fp16,nn,nvcc 13.0.88,error", kPipelined));
}

TEST_CASE("A row that is not of the form is refused with its place and what was expected") {
  const std::string good = "hopper,pipelined,128,192,,,1,1,,,,,,,,,,,nvrtc 13.0,spills";
  CHECK(complaint(kHeader).empty());
  CHECK(complaint(kHeader + good).empty());  // without a line end
  CHECK(complaint("schedule\n" + good).starts_with("2 t:1: expected the columns architecture,"));
  CHECK(complaint("").starts_with("2 t:1: expected the columns "));
  CHECK(complaint(kHeader + good + "\n\n" + good) == "2 t:3: expected 20 fields, not 1");
  CHECK(complaint(kHeader + good + ",") == "2 t:2: expected 20 fields, not 21");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string row = good;
    return complaint(kHeader + row.replace(row.find(from), from.size(), to) + "\n");
  };
  CHECK(with("hopper", "hoper") ==
        "2 t:2: architecture: expected one of ampere, ada, hopper, blackwell, blackwell_rtx, "
        "fictional, not 'hoper'");
  CHECK(with("pipelined", "piplined").starts_with("2 t:2: schedule: unknown schedule 'piplined'"));
  CHECK(with("192", "-192") ==
        "2 t:2: block_n: expected nothing or a whole number from 0 to 1048576, not '-192'");
  CHECK(with("nvrtc 13.0", "") == "2 t:2: compiler: expected some text");
  CHECK(with("spills", "spilled") ==
        "2 t:2: reason: expected one of spills, wgmma_serialized, setmaxnreg_ignored, error, not "
        "'spilled'");
}

TEST_CASE("A GPU takes the rows of its architecture from beside gpus, or none without the file") {
  const TemporaryFolder folder;
  const std::string yaml = read_file(load_gpu("h200_sxm", false).path);
  write_file(folder / "gpus/h200_sxm.yaml", yaml);
  CHECK(load_gpu("h200_sxm", false, folder / ".").spec.compiler_rejections.empty());
  write_file(folder / "compiler_rejections.csv",
             kHeader + "hopper,pipelined,128,192,,,1,1,,,,,,,,,,,nvrtc 13.0,spills\n" +
                 "ampere,,,,,,,,,,,,,,,,,,nvrtc 13.0,error\n");
  const GpuSpec gpu = load_gpu("h200_sxm", false, folder / ".").spec;
  REQUIRE(gpu.compiler_rejections.size() == 1);
  CHECK(gpu.compiler_rejections.front().reason == "spills");
}

TEST_CASE("The committed table can be read, and every architecture has its word in it") {
  CHECK(error_message([] { load_compiler_rejections(config_folder(), "hopper"); }).empty());
  for (const Architecture a : {Architecture::kAmpere, Architecture::kHopper,
                               Architecture::kBlackwell, Architecture::kFictional}) {
    const std::string row = std::string(to_text(a)) + ",,,,,,,,,,,,,,,,,,nvrtc 13.0,error\n";
    CHECK(parse_compiler_rejections(kHeader + row, "t").size() == 1);
  }
}

}  // namespace
}  // namespace tilecast
