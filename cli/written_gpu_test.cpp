#include "cli/written_gpu.h"

#include "model/base/file.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

/// Output of a probe: an H200's attributes, except for these.
ChildResult probe(const std::string& name, int sms, double memory_clock_hz, double bus_bytes,
                  const std::string& capability = "9.0") {
  return {.started = true,
          .exit_code = 0,
          .output = R"({"schema":1,"toolkit":"13.0","device":{"name":")" + name +
                    R"(","uuid":"GPU-1","sms":)" + std::to_string(sms) +
                    R"(,"compute_capability":")" + capability +
                    R"(","l2_bytes":62914560.0,"most_sm_clock_hz":1980000000.0,)" +
                    R"("most_memory_clock_hz":)" + std::to_string(memory_clock_hz) +
                    R"(,"memory_bus_bytes":)" + std::to_string(bus_bytes) +
                    R"(,"memory_bytes":103079215104.0}})"};
}

std::string based_on(const ChildResult& answer) {
  return nearest_gpu(attributes_from_probe(answer), config_folder());
}

TEST_CASE("A device's file is based on the known GPU nearest in SMs and bandwidth") {
  // 2 x 3201 MHz x 768 B are 4.917 TB/s.
  const DeviceAttributes h200 = attributes_from_probe(probe("NVIDIA H200", 132, 3201e6, 768));
  CHECK(h200.bandwidth.value == Approx(4.916736e12));
  CHECK(based_on(probe("NVIDIA H200", 132, 3201e6, 768)) == "h200_sxm");
  CHECK(based_on(probe("NVIDIA H100 PCIe", 114, 1593e6, 640)) == "h100_pcie");  // 2.039 TB/s
  CHECK(based_on(probe("NVIDIA B200", 148, 3996e6, 1024, "10.0")) == "b200");   // 8.18 TB/s
  CHECK(based_on(probe("NVIDIA A100", 108, 1593e6, 640, "8.0")) == "a100_sxm80");
  CHECK(based_on(probe("NVIDIA RTX A6000", 84, 8001e6, 48, "8.6")) == "rtx_3090");   // 768 GB/s
  CHECK(based_on(probe("NVIDIA RTX 6000 Ada", 142, 10001e6, 48, "8.9")) == "l40s");  // 960 GB/s
  CHECK(based_on(probe("NVIDIA RTX PRO 6000", 188, 14001e6, 64, "12.0")) == "rtx_pro_6000_server");
  CHECK(ERROR_MESSAGE(based_on(probe("Tesla V100", 80, 877e6, 512, "7.0"))) ==
        "2 Tesla V100 has compute capability 7.0: a GPU file is based on one of 8.0 to 9.0, 10.0 "
        "or 12.0");
}

TEST_CASE("A written file has the driver's values, and is never overwritten") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "my.yaml";
  const DeviceAttributes device =
      attributes_from_probe(probe("NVIDIA \\\"H\\\" 96: GB", 78, 3200e6, 640));
  write_gpu_file(device, path);
  const GpuSpec gpu = load_gpu(path.string(), true).spec;
  CHECK(gpu.name == "my");
  CHECK(gpu.product == "NVIDIA \"H\" 96: GB");
  CHECK(gpu.sm.count == 78);
  CHECK(gpu.l2->capacity.value == 62914560);
  CHECK(gpu.dram->bandwidth.value == Approx(4.096e12));       // 2 x 3200 MHz x 640 B
  CHECK(gpu.dram->capacity.value == Approx(103079215104.0));  // 96 GiB
  CHECK(gpu.clock->max.value == Approx(1.98e9));
  const GemmProblem problem{{1024, 1024, 1024}, ElementType::kFp16, Layout::kTn};
  CHECK(rank_candidates(gpu, problem, {}, Regime::kBurst, Inputs::kNormal, 1,
                        {.method = Method::kAnalytic})
            .predictions.size() == 1);
  const std::string text = read_file(path);
  CHECK(ERROR_MESSAGE(write_gpu_file(device, path)) == "2 " + path.string() + " already exists");
  CHECK(read_file(path) == text);
  CHECK(ERROR_MESSAGE(write_gpu_file(device, folder / "my")).ends_with("expected NAME.yaml"));
}

TEST_CASE("Without a device there is no file, and one line says why") {
  const auto why = [](const ChildResult& answer) {
    return ERROR_MESSAGE(attributes_from_probe(answer));
  };
  CHECK(why({.started = false, .exit_code = 0, .output = ""}) ==
        "3 cannot write a GPU file: tilecast-gpu, which queries the driver, was not built");
  CHECK(why({.started = true, .exit_code = 0, .output = R"({"device_error":"no driver"})"}) ==
        "3 cannot write a GPU file: no driver");
  CHECK(why({.started = true, .exit_code = 1, .output = "boom"})
            .starts_with("3 cannot write a GPU file: "));
  CHECK(why({.started = true, .exit_code = 0, .output = R"({"device":{"name":"H200"}})"})
            .ends_with("does not report the device's attributes"));
}

}  // namespace
}  // namespace tilecast
