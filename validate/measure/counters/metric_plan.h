// Hardware metrics of one chip, chosen by name and laid out into passes by CUPTI's Profiler Host
// API. Needs neither a GPU nor a driver, so that names and passes are checked anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object;

namespace tilecast {

/// A binary block whose inside is CUPTI's own.
using CuptiImage = std::vector<std::uint8_t>;

struct MetricFacts {
  std::string unit;      // nanosecond, byte, l2_sector, ...
  std::string hardware;  // sm, lts, dram, ...
  std::string description;
  bool ratio;
};

class MetricPlan {
 public:
  /// Throws CountersUnavailable where CUPTI does not know `chip` or cannot be used, ConfigError
  /// that names the metric where the chip has none of that name.
  MetricPlan(std::string chip, std::vector<std::string> metrics);

  const std::string& chip() const { return chip_; }
  const std::vector<std::string>& metrics() const { return metrics_; }
  std::size_t passes() const { return passes_; }
  MetricFacts facts(const std::string& metric) const;

  /// The metrics as CUPTI's calls want them; valid as long as the plan.
  std::vector<const char*> names() const;
  const CuptiImage& config() const { return config_; }
  /// In the order of metrics(): of the range or sample at `index` of CUPTI's counter data.
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
