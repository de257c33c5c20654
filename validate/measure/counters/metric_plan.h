// Hardware metrics of one chip, chosen by name and divided into passes by CUPTI's Profiler Host
// API. Needs neither a GPU nor a driver, so that names and passes can be checked anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object;

namespace tilecast {

/// A binary block whose content is private to CUPTI.
using CuptiImage = std::vector<std::uint8_t>;

struct MetricFacts {
  std::string unit;      // nanosecond, byte, l2_sector, ...
  std::string hardware;  // sm, lts, dram, ...
  std::string description;
  bool ratio;
};

class MetricPlan {
 public:
  /// Throws CountersUnavailable if CUPTI does not know `chip` or cannot be used, and a ConfigError
  /// with the metric's name if the chip lacks a metric.
  MetricPlan(std::string chip, std::vector<std::string> metrics);

  const std::string& chip() const { return chip_; }
  const std::vector<std::string>& metrics() const { return metrics_; }
  std::size_t passes() const { return passes_; }
  MetricFacts facts(const std::string& metric) const;

  /// Returns the metrics in the form of CUPTI's calls; valid as long as the plan.
  std::vector<const char*> names() const;
  const CuptiImage& config() const { return config_; }
  /// Returns values in the order of metrics() for the range or sample at `index` of CUPTI's counter
  /// data.
  std::vector<double> evaluate(const CuptiImage& counter_data, std::size_t index) const;

 private:
  void lay_out();

  std::string chip_;
  std::vector<std::string> metrics_;
  struct CloseHost {
    void operator()(CUpti_Profiler_Host_Object* host) const;
  };
  std::unique_ptr<CUpti_Profiler_Host_Object, CloseHost> host_;
  CuptiImage config_;
  std::size_t passes_ = 0;
};

}  // namespace tilecast
