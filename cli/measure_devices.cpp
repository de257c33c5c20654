#include "cli/measure_devices.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <set>
#include <thread>

#include "cli/merge_files.h"
#include "cli/say.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/system_reason.h"
#include "model/base/text.h"
#include "validate/compare/statistics.h"
#include "validate/plan/make_plan.h"
#include "validate/run/child_process.h"
#include "validate/run/measure_progress.h"
#include "validate/run/stop_request.h"

namespace tilecast {
namespace {

/// One measuring process and its output files.
struct DeviceProcess {
  int device;
  std::string uuid;
  std::filesystem::path out, log;
  std::size_t points;
  ChildProcess process;
};

/// Starts this program on one GPU, with its messages in `log`.
ChildProcess start(const std::string& uuid, const std::filesystem::path& log,
                   const std::vector<std::string>& arguments) {
  const int descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw FileError(fmt::format("{}: cannot write: {}", log.string(), system_reason(errno)));
  }
  ChildProcess process(SIGTERM, [&] {
    ::dup2(descriptor, STDOUT_FILENO);
    ::dup2(descriptor, STDERR_FILENO);
    become("/proc/self/exe", arguments, {"CUDA_VISIBLE_DEVICES=" + uuid});
  });
  ::close(descriptor);
  return process;
}

/// Waits until all processes have ended, and passes on signals that stop this process.
void wait_for(std::vector<DeviceProcess>& devices, const std::function<void()>& show) {
  constexpr auto kEvery = std::chrono::milliseconds(50);
  constexpr int kShowEvery = 20;
  bool asked = false;
  const auto all_ended = [&] {
    return std::ranges::count_if(devices, [](auto& d) { return !d.process.ended(); }) == 0;
  };
  for (int turn = 0; !all_ended(); ++turn) {
    if (!asked && !stop_requested().empty()) {
      std::ranges::for_each(devices, [](auto& d) { d.process.signal(SIGTERM); });
      asked = true;
    }
    if (turn % kShowEvery == 0) {
      show();
    }
    std::this_thread::sleep_for(kEvery);
  }
}

std::string last_line(const std::filesystem::path& log) {
  const std::string text = read_file(log);
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t start = text.find_last_of("\n\r", end);
  return end == std::string::npos ? "" : text.substr(start + 1, end - start);
}

std::string median_text(const Values& values, double unit, int digits) {
  return values.empty() ? "-" : fmt::format("{:.{}f}", median(values) * unit, digits);
}

/// Prints a line for each GPU: its rows, clock, power and temperature, and the reasons that limited
/// its clock.
void print_devices(const std::vector<DeviceProcess>& devices) {
  constexpr double kMega = 1e-6;
  fmt::print("{:>6} {:>6} {:>6} {:>9} {:>7} {:>8}  {:<40} {}\n", "device", "points", "rows",
             "clock MHz", "power W", "hottest", "gpu_uuid", "clock limited by");
  for (const DeviceProcess& device : devices) {
    const MeasurementFile file =
        std::filesystem::exists(device.out) ? read_shard(device.out) : MeasurementFile{};
    Values clocks, powers;
    double hottest = 0;
    std::set<std::string> reasons;
    for (const MeasurementRow& row : file.rows) {
      const Measurement& m = row.measurement;
      if (m.sm_clock) {
        clocks.push_back(m.sm_clock->value);
      }
      if (m.power) {
        powers.push_back(m.power->value);
      }
      hottest = std::max(hottest, m.temperature.value_or(Celsius{0}).value);
      for (const std::string_view reason : split(m.clock_event_reasons, '+')) {
        reasons.emplace(reason);
      }
    }
    reasons.erase("");
    fmt::print("{:>6} {:>6} {:>6} {:>9} {:>7} {:>8}  {:<40} {}\n", device.device, device.points,
               file.rows.size(), median_text(clocks, kMega, 0), median_text(powers, 1, 0),
               hottest > 0 ? fmt::format("{:.0f} C", hottest) : "-", device.uuid,
               fmt::format("{}", fmt::join(reasons, ", ")));
  }
}

struct SharedOut {
  WorkPlan plan;
  std::filesystem::path path;
  Shard shard;
};

/// Returns the plan to distribute. A plan made here is not changed when rows are added to it.
SharedOut plan_for(const MeasureOptions& options, const std::vector<SuitePoint>& points,
                   const GpuSpec& gpu, CounterChoice counters) {
  if (!options.plan.empty()) {
    return {read_plan(options.plan), options.plan,
            options.shard.empty() ? Shard{} : parse_shard(options.shard)};
  }
  refuse_if(options.out.empty() || options.rounds > 1,
            "--devices requires --out and cannot be combined with --rounds");
  SharedOut shared{make_plan(points, gpu, counters), options.out, {}};
  shared.path.replace_extension(".plan.csv");
  if (!std::filesystem::exists(shared.path)) {
    write_file(shared.path, plan_text(shared.plan));
  } else if (!options.resume || content_hash(read_plan(shared.path)) != content_hash(shared.plan)) {
    throw ConfigError(
        fmt::format("{}: already exists{}; choose another --out", shared.path.string(),
                    options.resume ? " and lists other points" : "; pass --resume to continue it"));
  }
  return shared;
}

std::vector<std::string> arguments_of(const MeasureOptions& options, const SharedOut& shared,
                                      const Shard& part, const std::filesystem::path& out) {
  std::vector<std::string> words{
      "tilecast-gpu",       "measure", "--gpu",       options.gpu, "--plan",
      shared.path.string(), "--shard", to_text(part), "--out",     out.string()};
  words.insert(words.end(), {"--window", fmt::format("{}", options.window_ms)});
  if (!options.budget.empty()) {
    words.insert(words.end(), {"--budget", options.budget});
  }
  if (options.seed) {
    words.insert(words.end(), {"--seed", std::to_string(*options.seed)});
  }
  if (options.resume) {
    words.emplace_back("--resume");
  }
  return words;
}

}  // namespace

std::vector<int> parse_devices(const std::string& text, int visible) {
  const auto bad = [&] {
    throw ConfigError(
        fmt::format("--devices '{}': expected all, or device numbers below {}, such as 0-3 or 0,2",
                    text, visible));
  };
  const std::string named = text == "all" ? fmt::format("0-{}", visible - 1) : text;
  std::set<int> devices;
  for (const std::string_view part : split(named, ',')) {
    const std::vector<std::string_view> ends = split(part, '-');
    const std::optional<i64> first = parse_integer(ends.front()), last = parse_integer(ends.back());
    if (ends.size() > 2 || !first || !last || *first < 0 || *last < *first || *last >= visible) {
      bad();
    }
    for (i64 device = *first; device <= *last; ++device) {
      devices.insert(static_cast<int>(device));
    }
  }
  return {devices.begin(), devices.end()};
}

void measure_on_devices(const MeasureOptions& options, const std::vector<SuitePoint>& points,
                        const GpuSpec& gpu, CounterChoice counters,
                        const std::vector<std::string>& gpus) {
  const std::vector<int> wanted = parse_devices(options.devices, static_cast<int>(gpus.size()));
  if (!options.resume && std::filesystem::exists(options.out)) {
    throw ConfigError(options.out +
                      ": already exists; pass --resume to add to it, or choose another file");
  }
  const SharedOut shared = plan_for(options, points, gpu, counters);
  const i64 parts = static_cast<i64>(wanted.size());
  std::vector<DeviceProcess> devices;
  std::size_t all = 0;
  for (i64 i = 0; i < parts; ++i) {
    const Shard part{(shared.shard.index - 1) * parts + i + 1, shared.shard.count * parts};
    const int number = wanted[static_cast<std::size_t>(i)];
    const std::string& uuid = gpus[static_cast<std::size_t>(number)];
    const std::filesystem::path out = shard_file(shared.path, part);
    std::filesystem::path log = out;
    log.replace_extension(".log");
    devices.push_back({number, uuid, out, log, range_of(shared.plan, part).size(),
                       start(uuid, log, arguments_of(options, shared, part, out))});
    all += devices.back().points;
  }
  MeasureProgress progress(fmt::format("measuring on {} GPUs", parts),
                           ::isatty(STDERR_FILENO) == 0);
  wait_for(devices, [&] {
    std::size_t rows = 0;
    for (const DeviceProcess& device : devices) {
      rows += std::filesystem::exists(device.out) ? read_shard(device.out).rows.size() : 0;
    }
    progress.show(rows, all, "");
  });
  progress.finish();
  std::vector<std::filesystem::path> written;
  for (DeviceProcess& device : devices) {
    const int code = device.process.exit_code();
    if (code != 0) {
      say("device {}: exit code {}: {}", device.device, code, last_line(device.log));
    }
    if (std::filesystem::exists(device.out)) {
      written.push_back(device.out);
    }
  }
  WorkPlan part = shared.plan;  // the part that was distributed here
  const PlanRange range = range_of(shared.plan, shared.shard);
  part.points.assign(shared.plan.points.begin() + static_cast<std::ptrdiff_t>(range.first),
                     shared.plan.points.begin() + static_cast<std::ptrdiff_t>(range.end));
  const Merge merge = merge_into(options.out, part, written);
  print_devices(devices);
  for (DeviceProcess& device : devices) {
    const int code =
        device.process.exit_code();  // if the process was killed, the missing rows show it
    if (code != 0 && code != static_cast<int>(ExitCode::kPartial) &&
        code <= static_cast<int>(ExitCode::kFile)) {
      throw Error(static_cast<ExitCode>(code),
                  fmt::format("device {}: {}", device.device, last_line(device.log)));
    }
  }
  report_merge(options.out, part, merge);
}

}  // namespace tilecast
