#include <fmt/format.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/copy_to_device.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/math.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;
constexpr std::size_t kMemory = std::size_t{8} << 30;

void latency(MicroLab& lab, u32 bytes, bool from_dram) {
  constexpr u32 kLoads = 200;
  // Odd multiples of 16 KiB: every load finds lines that no load before it touched, on pages that
  // the TLBs still know.
  constexpr u64 kFarApart = 3 * 16384;
  constexpr u64 kInL2 = u64{1} << 20, kApart = 4096 + 128;
  LoadedKernel& kernel = lab.kernel("tma_latency");
  const char* memory = lab.memory(kMemory);
  static u64 start = 0;
  const auto run = [&] {
    start = (start + kFarApart * (kLoads + 8)) % (kMemory / 2);
    return lab.run(kernel,
                   {.ctas = 1, .threads = 32, .shared_memory_bytes = static_cast<i32>(bytes)}, 1,
                   memory, from_dram ? static_cast<u64>(kMemory) : kInL2,
                   from_dram ? start : u64{0}, from_dram ? kFarApart : kApart, bytes, kLoads)[0];
  };
  run();
  lab.report(latency_point(repeated(kRepeats, run)), "tma",
             from_dram ? "tma.dram_latency" : "tma.l2_latency", fmt::format("bytes={}", bytes),
             "tma_latency");
}

void issue(MicroLab& lab, u32 bytes, u32 count) {
  constexpr u32 kRounds = 50;
  LoadedKernel& kernel = lab.kernel("tma_issue");
  const char* memory = lab.memory(bytes * count);
  std::vector<TimedSample> issuing, landing;
  for (int i = 0; i < kRepeats; ++i) {
    const std::vector<TimedSample> all = lab.run(
        kernel, {.ctas = 1, .threads = 32, .shared_memory_bytes = static_cast<i32>(bytes * count)},
        3, memory, bytes, count, kRounds);
    issuing.push_back(all[0]);
    issuing.back().cycles -= min_of(all[2].cycles, all[0].cycles);
    landing.push_back(all[1]);
  }
  const std::string variant = fmt::format("bytes={} count={}", bytes, count);
  lab.report(latency_point(issuing), "tma", "tma.issue_per_copy", variant, "tma_issue");
  lab.report(latency_point(landing), "tma", "tma.landed_per_copy", variant, "tma_issue");
}

/// By one SM, or by all at the same time, each to a place of its own.
void store(MicroLab& lab, u32 bytes, bool reduce, u32 sms) {
  constexpr u32 kRounds = 100;
  LoadedKernel& kernel = lab.kernel("tma_store");
  char* memory = lab.memory(std::size_t{sms} * bytes);
  std::vector<TimedSample> read;
  for (int i = 0; i < kRepeats; ++i) {
    const std::vector<TimedSample> of_ctas =
        lab.run(kernel, {.ctas = sms, .threads = 32, .shared_memory_bytes = kWholeSm}, sms, memory,
                bytes, kRounds, reduce ? 1u : 0u);
    read.insert(read.end(), of_ctas.begin(), of_ctas.end());
  }
  const std::string variant = fmt::format("bytes={} {}{}", bytes, reduce ? "add_fp32" : "store",
                                          sms == 1 ? "" : fmt::format(" sms={}", sms));
  lab.report(latency_point(read), "tma", "tma.store_source_free", variant, "tma_store");
}

/// One SM stores, another answers by a flag once it sees the last bytes.
void store_seen(MicroLab& lab) {
  constexpr u32 kRounds = 300;
  constexpr std::size_t kFlagBytes = 1024;
  LoadedKernel& kernel = lab.kernel("tma_store_seen");
  const DeviceMemory flags(kFlagBytes);
  std::vector<TimedSample> flag_round_trips;
  for (const u32 bytes : {0u, 128u, 2048u, 8192u, 32768u}) {
    u32* target = reinterpret_cast<u32*>(lab.memory(max_of<u32>(bytes, 1024)));
    const auto run = [&] {
      TILECAST_CUDA(cudaMemsetAsync(flags.as<void>(), 0, kFlagBytes, lab.stream().get()));
      TILECAST_CUDA(cudaMemsetAsync(target, 0, bytes, lab.stream().get()));
      TimedSample both =
          lab.run(kernel, {.ctas = 2, .threads = 32, .shared_memory_bytes = kWholeSm}, 2,
                  flags.as<u32>(), target, bytes, kRounds)[0];
      both.amount = kRounds;
      return both;
    };
    run();
    std::vector<TimedSample> round_trips = repeated(kRepeats, run);
    if (bytes == 0) {
      lab.report(latency_point(round_trips), "tma", "tma.flag_round_trip", "two SMs",
                 "tma_store_seen");
      flag_round_trips = std::move(round_trips);
      continue;
    }
    for (std::size_t i = 0; i < round_trips.size(); ++i) {  // less the answer's half
      round_trips[i].cycles -= flag_round_trips[i].cycles / 2;
      round_trips[i].nanoseconds -= flag_round_trips[i].nanoseconds / 2;
    }
    lab.report(latency_point(round_trips), "tma", "tma.store_seen", fmt::format("bytes={}", bytes),
               "tma_store_seen");
  }
}

/// Loads whose tensor map this SM uses for the first time.
class FirstUse {
 public:
  explicit FirstUse(MicroLab& lab)
      : lab_(lab),
        data_(kBytes),
        maps_(kMaps * sizeof(TensorMap)),
        flush_(std::size_t{256} << 20),
        kernel_(lab.kernel("tma_descriptor")) {
    const TensorMap map =
        make_tensor_map({.pointer = data_.as<void>(),
                         .rows = kRows,
                         .columns = kColumns,
                         .dtype = ElementType::kFp16},
                        {.columns = kColumns, .rows = kRows, .swizzle_bytes = kColumns * 2});
    const std::vector<TensorMap> copies(kMaps, map);
    copy_to_device(maps_.as<void>(), std::span(copies));
  }

  void measure(const char* variant, u32 before, bool again) {
    std::vector<TimedSample> samples;
    for (int i = 0; i < kRepeats; ++i) {
      TILECAST_CUDA(cudaMemsetAsync(flush_.as<void>(), 0, flush_.bytes(), lab_.stream().get()));
      const TensorMap* maps = maps_.as<TensorMap>() + next_;
      next_ = (next_ + kCount + 1) % (kMaps - kCount);
      samples.push_back(lab_.run(
          kernel_, {.ctas = 1, .threads = 32, .shared_memory_bytes = static_cast<i32>(kBytes)}, 1,
          maps, kCount, kBytes, before, again ? 1u : 0u)[0]);
    }
    lab_.report(latency_point(samples), "tma", "tma.first_use_of_map", variant, "tma_descriptor");
  }

 private:
  static constexpr i32 kRows = 64, kColumns = 64;
  static constexpr u32 kBytes = kRows * kColumns * 2;
  static constexpr u32 kCount = 16;
  static constexpr u32 kMaps = 4096;  // every run takes others

  MicroLab& lab_;
  DeviceMemory data_, maps_, flush_;
  LoadedKernel& kernel_;
  std::size_t next_ = 0;
};

}  // namespace

void measure_tma(MicroLab& lab) {
  for (const bool from_dram : {false, true}) {
    for (const u32 bytes : {16u, 128u, 1024u, 4096u, 8192u, 16384u, 32768u}) {
      latency(lab, bytes, from_dram);
    }
  }
  for (const u32 bytes : {16u, 128u, 1024u, 8192u}) {
    for (const u32 count : {1u, 4u, 16u}) {
      issue(lab, bytes, count);
    }
  }
  for (const bool reduce : {false, true}) {
    for (const u32 bytes : {128u, 2048u, 8192u, 16384u, 32768u}) {
      store(lab, bytes, reduce, 1);
    }
    store(lab, 65536, reduce, 1);
    store(lab, 65536, reduce, lab.sm_count());
  }
  store_seen(lab);
  FirstUse first_use(lab);
  first_use.measure("map in DRAM", 0, false);
  first_use.measure("map in L2", 1, false);
  first_use.measure("map prefetched", 2, false);
  first_use.measure("map used before", 0, true);
}

}  // namespace tilecast
