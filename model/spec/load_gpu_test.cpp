#include "model/spec/load_gpu.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "model/base/file.h"
#include "model/spec/gpu_fields.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

/// Holds a folder with a copy of the H200 file, for tests that corrupt it.
class H200Copy {
 public:
  H200Copy() : text_(read_file(load_gpu("h200_sxm", false).path)) { write(text_); }

  std::string path() const { return (folder_ / "gpus/h200_sxm.yaml").string(); }
  std::string overlay_path() const { return (folder_ / "gpus/h200_sxm.calibrated.yaml").string(); }
  void write(const std::string& text) const { write_file(path(), text); }
  void overlay(const std::string& text) const { write_file(overlay_path(), text); }

  LoadedGpu load(bool use_calibration = true) const {
    return load_gpu("h200_sxm", use_calibration, folder_ / ".");
  }

  /// Returns the error after the first `from` was replaced by `to`, without the folder.
  std::string with(const std::string& from, const std::string& to) const {
    const std::size_t at = text_.find(from);
    REQUIRE(at != std::string::npos);
    write(std::string(text_).replace(at, from.size(), to));
    return complaint();
  }

  std::string complaint() const {
    std::string message = error_message([this] { load(); });
    const std::string folder = (folder_ / "./gpus/").string();
    for (std::size_t at; (at = message.find(folder)) != std::string::npos;) {
      message.erase(at, folder.size());
    }
    return message;
  }

  const std::string& text() const { return text_; }

 private:
  TemporaryFolder folder_;
  std::string text_;
};

const std::string kQuantityEnd = ", source: measured, ref: \"a test\", confidence: high}\n";

TEST_CASE("Every GPU file loads under its own name, each number with its source") {
  const std::vector<std::string> known = known_gpus(config_folder());
  CHECK(known == std::vector<std::string>{"a10", "a100_sxm80", "b200", "gb200", "h100_pcie",
                                          "h100_sxm", "h200_sxm", "h800_sxm", "hipparchus_h10",
                                          "l40s", "rtx_3090", "rtx_4090", "rtx_5090",
                                          "rtx_pro_6000_server"});
  for (const std::string& name : known) {
    const LoadedGpu gpu = load_gpu(name, true);
    CHECK(gpu.spec.name == name);
    CHECK(std::filesystem::equivalent(gpu.path, config_folder() / "gpus" / (name + ".yaml")));
    CHECK(gpu.constants.size() >= 9);  // at least default_interval and the eight numbers of `sm`
    for (const Constant& constant : gpu.constants) {
      CHECK_FALSE(constant.ref.empty());
      CHECK((constant.source == Source::kFictional) == (name == "hipparchus_h10"));
    }
  }
}

TEST_CASE("The H200's numbers arrive in basic units") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  CHECK(gpu.architecture == Architecture::kHopper);
  CHECK(gpu.sm.shared_memory.value == 228 * 1024);
  CHECK(gpu.sm.shared_memory_per_cta.value == 227 * 1024);
  CHECK(gpu.l2->capacity.value == 60.0 * 1024 * 1024);
  CHECK(gpu.dram->bandwidth.value == 4.8e12);
  CHECK(gpu.clock->max.value == 1.98e9);
  CHECK(gpu.power->sustained_limit.value == 700);
  // The datasheet lists 989 dense TFLOPS, which is 1.83 GHz.
  CHECK(gpu.sm.count * gpu.wgmma->flops_per_sm.value * 1.83e9 == Approx(989.4e12).epsilon(1e-4));
}

TEST_CASE("An unknown GPU lists the known ones; a path is used as given") {
  CHECK(ERROR_MESSAGE(load_gpu("h200_smx", true)) ==
        "2 unknown GPU 'h200_smx': expected one of a10, a100_sxm80, b200, gb200, h100_pcie, "
        "h100_sxm, h200_sxm, h800_sxm, l40s, rtx_3090, rtx_4090, rtx_5090, "
        "rtx_pro_6000_server (hipparchus_h10: no kernel runs on it), or the path of a .yaml; did "
        "you mean h200_sxm?");
  CHECK(ERROR_MESSAGE(load_gpu("", true)).starts_with("2 unknown GPU ''"));
  CHECK(ERROR_MESSAGE(load_gpu("./none.yaml", true)) ==
        "6 ./none.yaml: cannot read: No such file or directory");
  const H200Copy copy;
  CHECK(load_gpu(copy.path(), true).spec.sm.count == 132);
}

TEST_CASE("Unique words of a name select the GPU, in any case; the start of a word does not") {
  CHECK(load_gpu("h200", false).spec.name == "h200_sxm");
  CHECK(load_gpu("H100 PCIe", false).spec.name == "h100_pcie");
  CHECK(load_gpu("B200", false).spec.name == "b200");  // not gb200, which has it as a suffix
  CHECK(load_gpu("h100", false).spec.name == "h100_sxm");
  for (const char* name : {"4090", "RTX 4090", "RTX-4090", "rtx4090", "NVIDIA GeForce RTX 4090"}) {
    CHECK(load_gpu(name, false).spec.name == "rtx_4090");
  }
  CHECK(load_gpu("H200SXM", false).spec.name == "h200_sxm");
  CHECK(load_gpu("NVIDIA A100-SXM4-80GB", false).spec.name == "a100_sxm80");  // by nvidia-smi
  CHECK(load_gpu("NVIDIA H100 80GB HBM3", false).spec.name == "h100_sxm");
  CHECK(load_gpu("NVIDIA H100 PCIe", false).spec.name == "h100_pcie");
  CHECK(load_gpu("NVIDIA H200", false).spec.name == "h200_sxm");
  CHECK_THROWS_AS(load_gpu("NVIDIA H20", false), ConfigError);
  for (const char* other : {"h20", "l4", "l40", "h1", "409", "rtx", "_", " "}) {
    CAPTURE(other);
    CHECK_THROWS_AS(load_gpu(other, false), ConfigError);
  }
  CHECK(ERROR_MESSAGE(load_gpu("RTX", false)) ==
        "2 GPU 'RTX' is ambiguous: matches rtx_3090, rtx_4090, rtx_5090, rtx_pro_6000_server");
}

TEST_CASE("An overlay is not a GPU file, even if its GPU file is missing") {
  const H200Copy copy;
  const std::string stem = copy.path().substr(0, copy.path().size() - 5);
  CHECK(ERROR_MESSAGE(load_gpu(copy.overlay_path(), true)) ==
        "2 " + copy.overlay_path() + ": expected a GPU file; this one is only an addition to " +
            copy.path());
  CHECK(ERROR_MESSAGE(load_gpu(stem + ".learned.yaml", true)) ==
        "2 " + stem + ".learned.yaml: expected a GPU file; this one is only an addition to " +
            copy.path());
  copy.overlay("name: h200_sxm\n");
  std::filesystem::remove(copy.path());
  CHECK(ERROR_MESSAGE(load_gpu(copy.path(), true)) == "2 " + copy.path() +
                                                          ": not found, although its overlay " +
                                                          copy.overlay_path() + " exists");
}

TEST_CASE("A folder without GPU files is a file error that tells how to choose another") {
  const TemporaryFolder folder;
  CHECK(ERROR_MESSAGE(load_gpu("h200_sxm", true, folder / "none")) ==
        "6 " + (folder / "none/gpus").string() +
            ": cannot list the GPU files: No such file or directory; TILECAST_CONFIG_DIR can "
            "name the folder that holds gpus/");
}

TEST_CASE("TILECAST_CONFIG_DIR selects another folder") {
  const H200Copy copy;
  const std::filesystem::path before = config_folder();
  const std::string other = std::filesystem::path(copy.path()).parent_path().parent_path();
  const char* set = std::getenv("TILECAST_CONFIG_DIR");
  const std::string restore = set == nullptr ? "" : set;
  ::setenv("TILECAST_CONFIG_DIR", other.c_str(), 1);
  CHECK(config_folder() == other);
  CHECK(known_gpus(config_folder()) == std::vector<std::string>{"h200_sxm"});
  restore.empty() ? ::unsetenv("TILECAST_CONFIG_DIR")
                  : ::setenv("TILECAST_CONFIG_DIR", restore.c_str(), 1);
  CHECK(config_folder() == before);
}

TEST_CASE("An overlay may add a whole section that the file lacks, not part of one") {
  const H200Copy copy;
  std::string text = copy.text();
  const std::size_t begin = text.find("\nstream:"), end = text.find("\n\n", begin);
  const std::string section = text.substr(begin, end - begin);
  text.erase(begin, end - begin);
  copy.write(text);
  CHECK_FALSE(copy.load().spec.stream);
  copy.overlay("name: h200_sxm" + section + "\n");
  CHECK(copy.load().spec.stream->load_latency.value ==
        load_gpu("h200_sxm", false).spec.stream->load_latency.value);
  CHECK_FALSE(copy.load(false).spec.stream);
  copy.overlay("name: h200_sxm\nstream:\n  turn: {value: 300, unit: ns" + kQuantityEnd);
  CHECK(copy.complaint() == "2 h200_sxm.calibrated.yaml:2: stream.disorder_loss: missing key");
  copy.overlay("name: h200_sxm\nstraem:\n  turn: {value: 300, unit: ns" + kQuantityEnd);
  CHECK(copy.complaint() ==
        "2 h200_sxm.calibrated.yaml:2: straem: unknown key; did you mean stream?");
}

TEST_CASE("A wrong key in a GPU file is named with its line and the expected keys") {
  const H200Copy copy;
  CHECK(copy.complaint().empty());
  CHECK(copy.with("  count:", "  cuont:") ==
        "2 h200_sxm.yaml:8: sm.cuont: unknown key; did you mean count?");
  CHECK(copy.with("\nwgmma:", "\nwgmna:") ==
        "2 h200_sxm.yaml:24: wgmna: unknown key; did you mean wgmma?");
  CHECK(copy.with("count: {value: 132", "count: {value: 0") ==
        "2 h200_sxm.yaml:8: sm.count.value: expected an integer from 1 to 1024, got '0'");
  CHECK(copy.with("count: {value: 132", "count: {value: 1025") ==
        "2 h200_sxm.yaml:8: sm.count.value: expected an integer from 1 to 1024, got '1025'");
  CHECK(copy.with("architecture: hopper", "architecture: hoper") ==
        "2 h200_sxm.yaml:3: architecture: expected one of ampere, ada, hopper, blackwell, "
        "blackwell_rtx, fictional, "
        "got 'hoper'; did you mean hopper?");
  CHECK(copy.with("name: h200_sxm", "name:") ==
        "2 h200_sxm.yaml:1: name: expected text, got nothing");
}

TEST_CASE("A GPU's name is safe in file names, plans and reports") {
  const H200Copy copy;
  const std::string expected =
      "2 h200_sxm.yaml:1: name: expected up to 64 letters, digits, '_', '.' and '-', got '";
  for (const std::string name : {"../up", "a, counters full", "<b>", ".hidden"}) {
    CHECK(copy.with("name: h200_sxm", "name: \"" + name + "\"") == expected + name + "'");
  }
  CHECK(copy.with("name: h200_sxm", "name: h200-NVL.2") == "");
}

TEST_CASE("Only regular files in the folder of GPU files are GPUs") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "gpus/folder.yaml");
  REQUIRE(::mkfifo((folder / "gpus/fifo.yaml").c_str(), 0600) == 0);
  write_file(folder / "gpus/file.yaml", "");
  CHECK(known_gpus(folder / ".") == std::vector<std::string>{"file"});
}

TEST_CASE("A pipe is refused as a GPU file, without waiting for a writer") {
  const TemporaryFolder folder;
  const std::string pipe = (folder / "gpu.yaml").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(load_gpu(pipe, true), pipe + ": expected a GPU file, not a pipe or a device");
}

TEST_CASE("Numbers that contradict each other are refused") {
  const H200Copy copy;
  CHECK(copy.with("value: 232448", "value: 232449") ==
        "2 h200_sxm.yaml:14: sm.shared_memory_per_cta: expected at most sm.shared_memory less "
        "sm.shared_memory_reserved_per_cta");
  CHECK(copy.with("tensor_plateau: {value: 1801.7", "tensor_plateau: {value: 1980").empty());
  CHECK(
      copy.with("tensor_plateau: {value: 1801.7", "tensor_plateau: {value: 1981") ==
      "2 h200_sxm.yaml:147: clock.tensor_plateau: expected at most clock.max (1980 MHz), got 1981 "
      "MHz");
  // The measured rate is 4.584 TB/s; the datasheet lists 4.8.
  CHECK(copy.with("bandwidth: {value: 4.8,", "bandwidth: {value: 4.584,").empty());
  CHECK(copy.with("bandwidth: {value: 4.8,", "bandwidth: {value: 4.583,") ==
        "2 h200_sxm.yaml:43: dram.read_rate: expected at most dram.bandwidth (4.583 TB/s), got "
        "4.584 TB/s");
  // Bursts draw up to 1019 W.
  CHECK(copy.with("sustained_limit: {value: 700", "sustained_limit: {value: 510").empty());
  CHECK(copy.with("sustained_limit: {value: 700", "sustained_limit: {value: 509") ==
        "2 h200_sxm.yaml:153: power.burst_limit: expected at most 2 times power.sustained_limit "
        "(509 W), got 1019 W");
  CHECK(copy.with("sustained_limit: {value: 700", "sustained_limit: {value: 1020")
            .ends_with("power.sustained_limit: expected at most power.burst_limit (1019 W), got "
                       "1020 W"));
  CHECK(copy.with("static_power: {value: 130.6", "static_power: {value: 351")
            .ends_with("power.static_power: expected at most 0.5 times power.sustained_limit (700 "
                       "W), got 351 W"));
  CHECK(copy.with("per_flop_zeros: {value: 0.08624", "per_flop_zeros: {value: 0.0951")
            .ends_with("expected at most power.per_flop_ternary (0.09502 pJ/FLOP), got 0.0951 "
                       "pJ/FLOP"));
  CHECK(copy.with("max_active_of_8: {value: 15", "max_active_of_8: {value: 17")
            .ends_with("clusters.max_active_of_8: expected at most 0.125 times sm.count (132), got "
                       "17"));
}

TEST_CASE("A Hopper file needs every section, another file only whole ones") {
  const H200Copy copy;
  std::string text = copy.text();
  const std::size_t begin = text.find("\nreduction:");
  text.erase(begin, text.find("\nstream:") - begin);
  copy.write(text);
  CHECK(copy.complaint() == "2 h200_sxm.yaml:1: reduction: missing key");
  text.replace(text.find("hopper"), 6, "fictional");
  copy.write(text);
  CHECK(copy.complaint().empty());
  CHECK_FALSE(copy.load().spec.reduction);
  CHECK(copy.load().spec.clock);
  text.erase(text.find("  tensor_plateau"),
             text.find("  energy_exponent") - text.find("  tensor_plateau"));
  copy.write(text);
  CHECK(copy.complaint().ends_with(": clock.tensor_plateau: missing key"));
}

TEST_CASE("A Blackwell file needs tcgen05 and cannot have wgmma") {
  const H200Copy copy;
  std::string text = copy.text();
  text.replace(text.find("hopper"), 6, "blackwell");
  copy.write(text);
  CHECK(copy.complaint() ==
        "2 h200_sxm.yaml:24: wgmma: allowed only for GPUs of architecture hopper");
  const std::size_t begin = text.find("\nwgmma:");
  text.erase(begin, text.find("\ntma:") - begin);
  copy.write(text);
  CHECK(copy.complaint() == "2 h200_sxm.yaml:1: tcgen05: missing key");
  const GpuSpec gpu = load_gpu("gb200", false).spec;
  CHECK_FALSE(gpu.wgmma);
  // The published peak, 2.5 PFLOPS dense, is 152 SMs at 2.0 GHz.
  CHECK(gpu.sm.count * tensor_rate(gpu).value * 2.0e9 == Approx(2.5e15).epsilon(0.01));
  CHECK(operand_rate(gpu).value == 128);
}

TEST_CASE("A Blackwell file has no wgmma costs in its machine section") {
  const auto has = [&](std::string_view key, Architecture architecture) {
    GpuSpec spec{.architecture = architecture, .machine = MachineSpec{}};
    return std::ranges::count(fields_of(spec), key, &Field::key) == 1;
  };
  for (const std::string_view key : {"wgmma_least", "turn", "mma_issue", "own_copy"}) {
    CHECK(has(key, Architecture::kHopper));
    CHECK(!has(key, Architecture::kBlackwell));
  }
  CHECK(has("request", Architecture::kBlackwell));
  const GpuSpec gpu = load_gpu("b200", false).spec;
  CHECK(gpu.machine->turn.value == 0);
  // A single active SM receives more than its share of the L2 output.
  const double share = gpu.machine->l2_output.value / (gpu.sm.count * 1.965e9);
  CHECK(128 / gpu.machine->request.value == Approx(62.4).epsilon(0.002));
  CHECK(share < 62.4);
}

TEST_CASE("An overlay replaces numbers, sources included, unless it is omitted") {
  const H200Copy copy;
  const double by_hand = copy.load(true).spec.machine->intake.value;
  REQUIRE(by_hand != 65);
  copy.overlay("name: h200_sxm\nmachine:\n  intake: {value: 65, unit: B/cycle" + kQuantityEnd +
               "default_interval: {value: 0.1, unit: \"1\"" + kQuantityEnd);
  const LoadedGpu with = copy.load(true);
  CHECK(with.calibrated);
  CHECK(with.spec.machine->intake.value == 65);
  CHECK(with.spec.default_interval == 0.1);
  CHECK(with.spec.sm.count == 132);
  CHECK(with.constants[0].ref == "a test");
  const LoadedGpu without = copy.load(false);
  CHECK_FALSE(without.calibrated);
  CHECK(without.spec.machine->intake.value == by_hand);
  CHECK(with.constants.size() == without.constants.size());
}

TEST_CASE("An overlay may not add, rename or half-replace anything") {
  const H200Copy copy;
  const auto overlay = [&](const std::string& text) {
    copy.overlay(text);
    return copy.complaint();
  };
  const std::string name = "name: h200_sxm\n";
  CHECK(overlay(name + "machine:\n  intak: {value: 1, unit: B/cycle" + kQuantityEnd) ==
        "2 h200_sxm.calibrated.yaml:3: machine.intak: unknown key; did you mean intake?");
  CHECK(overlay(name + "tcgen05: {}\n") ==
        "2 h200_sxm.calibrated.yaml:2: tcgen05: allowed only for GPUs of architecture blackwell");
  CHECK(overlay(name + "based_on: b200\n") ==
        "2 h200_sxm.calibrated.yaml:2: based_on: an overlay can replace only numbers");
  CHECK(overlay(name + "architecture: ampere\n") ==
        "2 h200_sxm.calibrated.yaml:2: architecture: an overlay can replace only numbers");
  CHECK(overlay(name + "machine:\n  intake: {unit: B/cycle}\n") ==
        "2 h200_sxm.calibrated.yaml:3: machine.intake: expected a complete quantity: value, unit, "
        "source, ref and confidence");
  CHECK(overlay(name + "machine:\n  intake: {value: 65}\n") ==
        "2 h200_sxm.calibrated.yaml:3: machine.intake.unit: missing key");
  CHECK(
      overlay(name + "machine:\n  intake: {value: 65000, unit: B/cycle" + kQuantityEnd) ==
      "2 h200_sxm.calibrated.yaml:3: machine.intake.value: expected 1 to 1024 B/cycle, got 65000");
  CHECK(overlay(name + "sm: 3\n") ==
        "2 h200_sxm.calibrated.yaml:2: sm: expected a map with keys of h200_sxm.yaml to replace");
  CHECK(overlay("name: h100_sxm\n") ==
        "2 h200_sxm.calibrated.yaml:1: name: expected `name: h200_sxm`, as in h200_sxm.yaml");
  CHECK(overlay("sm: {}\n") ==
        "2 h200_sxm.calibrated.yaml:1: expected `name: h200_sxm`, as in h200_sxm.yaml");
  CHECK(overlay(name + "sm: {intake\n").starts_with("2 h200_sxm.calibrated.yaml:"));
  CHECK(overlay(name).empty());
}

TEST_CASE("A contradiction with an overlay's number is reported in the overlay") {
  const H200Copy copy;
  const auto overlay = [&](const std::string& text) {
    copy.overlay("name: h200_sxm\n" + text + kQuantityEnd);
    return copy.complaint();
  };
  CHECK(overlay("power:\n  burst_limit: {value: 699, unit: W") ==
        "2 h200_sxm.calibrated.yaml:3: power.burst_limit: expected at least power.sustained_limit "
        "(700 W), got 699 W");
  CHECK(overlay("power:\n  burst_limit: {value: 700, unit: W").empty());
  CHECK(overlay("power:\n  burst_limit: {value: 1401, unit: W") ==
        "2 h200_sxm.calibrated.yaml:3: power.burst_limit: expected at most 2 times "
        "power.sustained_limit (700 W), got 1401 W");
}

TEST_CASE("An unreadable overlay is an error") {
  const H200Copy copy;
  std::filesystem::create_directory(copy.overlay_path());
  CHECK(copy.complaint() == "6 h200_sxm.calibrated.yaml: cannot read: Is a directory");
}

TEST_CASE("why_not_schedulable gives a reason on a fictional GPU and where sections are missing") {
  const auto why = [](const char* name) { return why_not_schedulable(load_gpu(name, true).spec); };
  CHECK(why("h200_sxm").empty());
  CHECK(why("h100_sxm").empty());
  CHECK(why("h100_pcie").empty());
  for (const char* name : {"a100_sxm80", "l40s", "rtx_3090", "rtx_4090", "rtx_5090"}) {
    CHECK(why(name).empty());
  }
  GpuSpec bare = load_gpu("a100_sxm80", true).spec;
  bare.mma_sync.reset();
  CHECK(why_not_schedulable(bare) ==
        "none of tilecast's GEMM schedules runs on a100_sxm80 (NVIDIA A100 SXM4 80 GB): its file "
        "has no section mma_sync; only --op memcpy and elementwise_add can be predicted");
  CHECK(why("b200").empty());
  CHECK(why("gb200").empty());
  CHECK(contains(why("hipparchus_h10"), "this GPU is fictional"));
}

}  // namespace
}  // namespace tilecast
