#include "model/rank/why_impossible.h"

#include <cmath>

#include <fmt/format.h>

#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr double kRounding = 1e-6;  // relative tolerance

class Violations {
 public:
  void at_least(std::string_view what, double value, std::string_view bound, double least) {
    require(value >= least - kRounding * std::abs(least), what, value, "below", bound, least);
  }
  void at_most(std::string_view what, double value, std::string_view bound, double most) {
    require(value <= most + kRounding * std::abs(most), what, value, "above", bound, most);
  }
  void equal(std::string_view what, double value, std::string_view bound, double expected) {
    at_least(what, value, bound, expected);
    at_most(what, value, bound, expected);
  }
  void part(std::string_view what, double value) {
    at_least(what, value, "zero,", 0);
    at_most(what, value, "one,", 1);
  }
  void positive(std::string_view what, double value) {
    if (!(value > 0) || !std::isfinite(value)) {
      add(fmt::format("{} {:.9g} is not positive", what, value));
    }
  }

  std::string text() const { return text_; }

 private:
  /// `holds` is false if a number is NaN.
  void require(bool holds, std::string_view what, double value, std::string_view side,
               std::string_view bound, double limit) {
    if (!holds) {
      add(fmt::format("{} {:.9g} is {} {} {:.9g}", what, value, side, bound, limit));
    }
  }
  void add(const std::string& violation) { text_ += (text_.empty() ? "" : "; ") + violation; }

  std::string text_;
};

void check_time(const Prediction& p, Violations& violations) {
  violations.positive("time", p.time.value);
  violations.positive("interval_low", p.interval_low.value);
  violations.positive("interval_high", p.interval_high.value);
  violations.positive("closed_form_time", p.closed_form_time.value);
  violations.positive("cycles", p.cycles.value);
  violations.positive("sm_clock", p.sm_clock.value);
  violations.positive("power", p.power.value);
  violations.at_most("interval_low", p.interval_low.value, "time", p.time.value);
  violations.at_least("interval_high", p.interval_high.value, "time", p.time.value);
  violations.at_least("the kernel's time", (p.time - p.copies).value, "its hard bound",
                      p.bounds.least_time(p.sm_clock).value);
  violations.at_least("interval_low", (p.interval_low - p.copies).value, "the hard bound",
                      p.bounds.least_on_any_card(p.sm_clock).value);
}

void check_shares(const Prediction& p, Violations& violations) {
  violations.part("share of tensor", p.shares.tensor);
  violations.part("share of shared_memory", p.shares.shared_memory);
  violations.part("share of sm_intake", p.shares.sm_intake);
  violations.part("share of l2", p.shares.l2);
  violations.part("share of dram", p.shares.dram);
  violations.part("l2_hit_rate", p.l2_hit_rate);
}

void check_bytes(const GpuSpec& gpu, const LeastWork& least, const Prediction& p,
                 Violations& violations) {
  violations.at_least("dram_read", p.dram_read.value, "the bytes that must be read,",
                      least.read.value);
  violations.at_least("dram_write", p.dram_write.value, "the bytes that must be written,",
                      least.written.value);
  const double rate = (p.dram_read + p.dram_write).value / (p.time - p.copies).value;
  violations.at_most("DRAM rate", rate, "the highest measured rate,", highest_dram_rate(gpu).value);
}

void check_work(const LeastWork::Tensor& tensor, const Prediction& p, Violations& violations) {
  violations.equal("tflops", p.tflops, "the problem's FLOPs over the time,",
                   tensor.flops.value / p.time.value * si::kPico);
  violations.at_most("tflops", p.tflops, "the peak at its clock,",
                     tensor.peak.value * p.sm_clock.value * si::kPico);
}

}  // namespace

std::string why_impossible(const GpuSpec& gpu, const LeastWork& least, const Prediction& p) {
  Violations violations;
  check_time(p, violations);
  check_shares(p, violations);
  check_bytes(gpu, least, p, violations);
  if (least.tensor) {
    check_work(*least.tensor, p, violations);
  }
  return violations.text();
}

void require_possible(const GpuSpec& gpu, const AnyProblem& problem, const LeastWork& least,
                      const Prediction& p) {
  if (const std::string why = why_impossible(gpu, least, p); !why.empty()) {
    throw Error(ExitCode::kWrong,
                fmt::format("internal error: an impossible prediction of {} by {} on {}: {}; "
                            "please report it",
                            to_text(problem), to_text(p.config), gpu.name, why));
  }
}

}  // namespace tilecast
