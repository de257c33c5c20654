#include "validate/measure/laboratory.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "validate/run/context_lost.h"

namespace tilecast {
namespace {

std::string what_happened(const CudaError& error) {
  return fmt::format("{} ({})", cudaGetErrorString(error.error()), cudaGetErrorName(error.error()));
}

}  // namespace

Laboratory::Laboratory(const CounterClock& counter)
    : device_(require_ampere()),
      facts_(device_facts(device_)),
      nvml_(facts_.pci_bus_id),
      kernels_(cache_.compile_for(only_architecture(device_)), device_.sm_count, stream_.get()),
      timer_(activity_, kernels_, nvml_, stream_),
      clocks_(read_clocks(activity_, kernels_, stream_, counter)),
      ops_(lab_ops().size()) {
  check_clocks_agree(clocks_);
}

LabOp& Laboratory::op_of(const AnyProblem& problem) {
  std::unique_ptr<LabOp>& op = ops_[problem.index()];
  if (!op) {
    op = lab_op(problem).open({device_, facts_.l2, cache_, kernels_, activity_, timer_, stream_});
  }
  return *op;
}

std::string Laboratory::driver_version() const {
  return nvml_.driver_version().value_or(kernel_driver_version());
}

void Laboratory::remember(const Measurement& row) { op_of(row.point.problem).remember(row); }

void Laboratory::prepare(const AnyProblem& problem, Inputs inputs) {
  if (std::pair next(problem, inputs); prepared_ != next) {
    prepared_.reset();
    op_of(problem).prepare(problem, inputs);
    prepared_ = std::move(next);
  }
}

void Laboratory::time(Measurement& row, Workload& workload) {
  timer_.look_at(workload);
  TimedWorkload timed = timer_.time(workload, row.point.regime, row.point.l2_state);
  row.time = timed.time;
  row.sm_clock = timed.sm_clock;
  row.cycles = cycles_of(timed.time.median, timed.sm_clock);
  row.power = timed.power;
  row.temperature = timed.temperature;
  row.clock_event_reasons = timed.clock_event_reasons;
  row.blocks = std::count_if(timed.blocks.begin(), timed.blocks.end(),
                             [](const SampleBlock& block) { return !block.drifted; });
  row.blocks_discarded = static_cast<i64>(timed.blocks.size()) - *row.blocks;
  if (after_timing_) {
    Workload counted = workload;
    counted.sets = row.point.l2_state == L2State::kWarm ? 1 : workload.sets;
    after_timing_(row, counted);
  }
}

void Laboratory::measure_prepared(Measurement& row) {
  LabOp& op = op_of(row.point.problem);
  require_sets(op.sets(), row.point.l2_state);
  const std::unique_ptr<Contender> contender = op.contender(row.point.config, row);
  const Verdict verdict = contender->check();
  row.verified = verdict.right();
  row.max_error = verdict.max_error;
  if (!verdict.right()) {
    row.status = Status::kWrong;
    row.reason = verdict.fault;
    return;
  }
  contender->identify(row);
  if (row.status != Status::kOk) {
    return;
  }
  contender->time(row, [this](Measurement& r, Workload& workload) { time(r, workload); });
  stream_.synchronize();  // the kernel is already unloaded
}

Measurement Laboratory::measure(const Point& point) {
  Measurement row;
  row.point = point;
  const auto not_measured = [&](Status status, const std::string& reason) {
    row.status = status;
    row.reason = reason;
    row.time.reset();
  };
  try {
    prepare(point.problem, point.inputs);
    measure_prepared(row);
  } catch (const ContextLost&) {
    throw;
  } catch (const CudaError& error) {
    if (!context_is_alive()) {
      throw ContextLost(what_happened(error));
    }
    not_measured(Status::kFailed, what_happened(error));
  } catch (const DeviceError&) {
    throw;
  } catch (const ConfigError& error) {
    not_measured(Status::kSkipped, error.what());
  } catch (const Error& error) {
    if (!context_is_alive()) {
      throw ContextLost(error.what());
    }
    not_measured(Status::kFailed, error.what());
  }
  std::replace(row.reason.begin(), row.reason.end(), '\n', ' ');
  return row;
}

}  // namespace tilecast
