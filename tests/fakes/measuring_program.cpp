// Replaces tilecast-gpu in tests that need `measure` without a GPU. It is the same code with the
// same arguments, plans, files, signals and exit codes, except for the bench, which takes a little
// time per point and returns figures that depend only on the point and the GPU.
//
//   FAKE_POINT_MS    milliseconds per point; default 20
//   FAKE_COMPILE_MS  milliseconds for compilation; default 0
//   FAKE_GPUS        GPUs of the machine, which CUDA_VISIBLE_DEVICES may restrict; default 1

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "cli/commands.h"
#include "cli/measure_device.h"
#include "cli/program.h"
#include "model/base/error.h"
#include "model/base/hash.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

i64 number_of(const char* variable, i64 otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : parse_integer(text).value_or(otherwise);
}

/// Returns the GPUs that CUDA would show, by index on the machine.
std::vector<i64> visible_cards() {
  std::vector<i64> cards;
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  for (i64 card = 0; visible == nullptr && card < number_of("FAKE_GPUS", 1); ++card) {
    cards.push_back(card);
  }
  if (visible != nullptr) {
    for (const std::string_view name : split(visible, ',')) {
      // an index, or a UUID made by uuid_of
      if (const auto card = parse_integer(name.substr(name.rfind('-') + 1))) {
        cards.push_back(*card);
      }
    }
  }
  if (cards.empty()) {
    throw DeviceError("no GPU is visible");
  }
  return cards;
}

std::string uuid_of(i64 card) {
  const char* const host = std::getenv("FAKE_HOST");
  return fmt::format("GPU-fake-{}-{}", host == nullptr ? "host" : host, card);
}

class FakeBench final : public Bench {
 public:
  std::string gpu_uuid() const override { return uuid_of(visible_cards().front()); }
  std::string driver() const override { return "999.1"; }

  Measurement measure(const Point& point) override {
    constexpr i64 kPoint = 20, kKinds = 1000;
    constexpr double kShortest = 1e-4, kStep = 1e-7, kCard = 0.004, kClock = 1.5e9;
    std::this_thread::sleep_for(std::chrono::milliseconds(number_of("FAKE_POINT_MS", kPoint)));
    const auto kind = static_cast<i64>(hash_of(key_of(point), kHashSeed) % kKinds);
    Measurement row;
    row.point = point;
    row.verified = true;
    row.cycles = cycles_of(Seconds{kShortest + kStep * static_cast<double>(kind)}, Hertz{kClock});
    row.sm_clock = Hertz{kClock * (1 - kCard * static_cast<double>(visible_cards().front()))};
    const Seconds time = time_of(*row.cycles, *row.sm_clock);
    row.time = TimeDistribution{time, time, time, 3};
    row.clock_event_reasons = "none";
    row.tile_checksum = hash_text(point.config);
    return row;
  }
};

class FakeDevice final : public MeasuringDevice {
 public:
  std::vector<std::string> look() override {
    std::vector<std::string> gpus;
    for (const i64 card : visible_cards()) {
      gpus.push_back(uuid_of(card));
    }
    return gpus;
  }
  RunContext context(const GpuSpec& gpu) override {
    return {.gpu = gpu.name, .toolkit = "none", .git = "fake"};
  }
  void compile_all(const std::vector<SuitePoint>&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(number_of("FAKE_COMPILE_MS", 0)));
  }
  CounterRequest request_counters(CounterChoice) override { return {}; }
  std::unique_ptr<Bench> make_bench(const GpuSpec&, const CounterRequest&, Seconds) override {
    return std::make_unique<FakeBench>();
  }
};

}  // namespace
}  // namespace tilecast

int main(int argc, char** argv) {
  using namespace tilecast;
  FakeDevice device;
  return run_program(Host::kGpu, "",
                     {{"measure", [&](const Arguments& args) { run_measure(args, device); }}}, argc,
                     argv);
}
