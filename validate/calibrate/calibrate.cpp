#include "validate/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "model/base/shown_text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "validate/calibrate/seen_rows.h"

namespace tilecast {
namespace {

// With fewer than about ten rows per constant, a fit only repeats the priors.
constexpr std::size_t kLeastRows = 300;
constexpr std::size_t kLeastBesidePrior = 60;  // with a prior; measurements of a few problems

std::vector<ScheduleResidual> by_schedule(const FitRows& rows, const std::vector<double>& logs) {
  std::map<Schedule, ScheduleResidual> found;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const Schedule schedule = rows.rows[i].config.schedule;
    ScheduleResidual& one =
        found.try_emplace(schedule, std::string(to_text(schedule)), 0, 0.0, 0.0).first->second;
    ++one.rows;
    one.mean_error += std::abs(std::exp(-logs[i]) - 1);
    one.bias += logs[i];
  }
  std::vector<ScheduleResidual> list;
  for (auto& [schedule, one] : found) {
    one.mean_error /= static_cast<double>(one.rows);
    one.bias /= static_cast<double>(one.rows);
    list.push_back(one);
  }
  return list;
}

std::string prior_lines(const Calibration& calibration) {
  const PriorGain& prior = *calibration.learned.prior;
  const auto percent = [](double log) { return 100 * (std::exp(log) - 1); };
  const auto line = [](std::string_view name, const LeftOutError& error) {
    return fmt::format("  {:<24} cycles {:5.1f} %, {:5.1f} % near the best; clock {:.2f} %\n", name,
                       100 * error.cycles, 100 * error.cycles_near_best, 100 * error.clock);
  };
  return fmt::format(
             "\nPrior: the correction of {}, shifted by {:+.2f} % in cycles and {:+.2f} % in "
             "clock.\n"
             "Mean error of the {} on held-out problems:\n",
             prior.gpu, percent(prior.cycles), percent(prior.clock),
             calibration.simulated ? "simulation" : "analytic model") +
         line("this GPU's rows only", prior.own) + line(prior.gpu + " only", prior.prior) +
         line("both",
              calibration.simulated ? calibration.learned.simulated : calibration.learned.analytic);
}

/// Rows have normal inputs. Energies for other inputs keep their ratio to the normal ones.
std::string other_energies(const LoadedGpu& gpu, const FittedConstant& normal) {
  std::string text;
  for (const Constant& c : gpu.constants) {
    if (c.key_path.starts_with("power.per_flop_") && c.key_path != normal.key) {
      text += fmt::format(
          "  {}: {{value: {:.6g}, unit: \"{}\", source: derived, confidence: {}, "
          "ref: \"moved with per_flop_normal; prior {:.6g}\"}}\n",
          c.key_path.substr(c.key_path.find('.') + 1), c.value * (normal.value / normal.prior),
          c.unit, to_text(c.confidence), c.value);
    }
  }
  return text;
}

}  // namespace

Calibration calibrate(LoadedGpu& gpu, const std::vector<MeasurementFile>& files,
                      const CalibrationOptions& options) {
  const FitRows rows =
      fit_rows(gpu.spec, files, options.prior.empty() ? kLeastRows : kLeastBesidePrior);
  Calibration done{};
  done.rows = rows.rows.size();
  done.left_out = rows.left_out;
  done.problems = rows.problems;
  if (options.fit_constants) {
    options.progress("constants of cycles");
    done.constants = fit_cycles(gpu, rows, options.threads);
  }
  const std::vector<double> left = cycle_residuals(gpu.spec, rows, options.threads);
  done.cycles_error = mean_error(left);
  done.by_schedule = by_schedule(rows, left);
  std::vector<SimulatedRow> simulated;
  done.simulated = options.simulate;
  if (options.simulate) {
    simulated = simulate_rows(gpu.spec, rows, options.threads, [&](std::size_t count) {
      if (count % 50 == 0 || count == rows.rows.size()) {
        options.progress(fmt::format("simulated {} of {}", count, rows.rows.size()));
      }
    });
  }
  if (options.fit_constants) {
    options.progress("constants of the clock");
    std::vector<KernelActivity> activities;
    std::ranges::transform(simulated, std::back_inserter(activities), &SimulatedRow::activity);
    const ConstantFit clock = fit_clock(gpu, rows, activities, options.threads);
    done.constants.evaluations += clock.evaluations;
    done.constants.constants.insert(done.constants.constants.end(), clock.constants.begin(),
                                    clock.constants.end());
  }
  done.learned = fit_learned(gpu.spec, rows, simulated, {options.before.get(), options.prior},
                             options.threads, options.progress);
  gpu.spec.learned = std::make_shared<const LearnedModel>(done.learned.model);
  return done;
}

std::string overlay_text(const LoadedGpu& gpu, const LoadedGpu& file,
                         const Calibration& calibration, const std::string& command) {
  std::map<std::string, std::string> sections;
  for (const Constant& c : gpu.constants) {
    const auto own = std::ranges::find(file.constants, c.key_path, &Constant::key_path);
    if (own == file.constants.end() || c.value != own->value) {
      const std::size_t dot = c.key_path.find('.');
      sections[c.key_path.substr(0, dot)] += fmt::format(
          "  {}: {{value: {:.6g}, unit: \"{}\", source: {}, confidence: {}, ref: \"{}\"}}\n",
          c.key_path.substr(dot + 1), c.value, c.unit, to_text(c.source), to_text(c.confidence),
          c.ref);
    }
  }
  for (const FittedConstant& c : calibration.constants.constants) {
    if (!c.determined) {
      continue;
    }
    const std::size_t dot = c.key.find('.');
    sections[c.key.substr(0, dot)] += fmt::format(
        "  {}: {{value: {:.6g}, unit: \"{}\", standard_error: {:.2g}, source: fitted, "
        "confidence: medium, ref: \"tilecast calibrate, {} rows; prior {:.6g}\"}}\n",
        c.key.substr(dot + 1), c.value, c.unit, c.standard_error, calibration.rows, c.prior);
    if (c.key == "power.per_flop_normal") {
      sections["power"] += other_energies(gpu, c);
    }
  }
  std::string text = fmt::format(
      "# Made by `{}`:\n# {} rows of {} problems; constants that these do "
      "not determine keep the number of {}.yaml.\nname: {}\n",
      command, calibration.rows, calibration.problems, gpu.spec.name, gpu.spec.name);
  for (const auto& [section, lines] : sections) {
    text += fmt::format("\n{}:\n{}", section, lines);
  }
  return text;
}

std::string to_table(const Calibration& calibration) {
  std::string text = fmt::format(
      "{} of {}, {} excluded.\n\n"
      "  {:<28} {:>10} {:>10} {:>8}\n",
      counted(calibration.rows, "row"),
      counted(static_cast<std::size_t>(calibration.problems), "problem"), calibration.left_out,
      "constant", "prior", "fitted", "error");
  text += constant_lines(calibration.constants.constants) +
          bound_lines(calibration.constants.constants);
  text += fmt::format("\nAnalytic cycles at measured clocks, mean error: {:.1f} %\n",
                      100 * calibration.cycles_error);
  for (const ScheduleResidual& s : calibration.by_schedule) {
    text += fmt::format("  {:<20} {:>5} rows {:5.1f} %, {:.1f} % {} than predicted\n", s.schedule,
                        s.rows, 100 * s.mean_error, 100 * std::abs(s.bias),
                        s.bias >= 0 ? "slower" : "faster");
  }
  text += "\nLearned correction, on held-out problems:\n";
  text += error_line("analytic", calibration.learned.analytic) +
          (calibration.simulated
               ? error_line("simulated", calibration.learned.simulated)
               : "  not simulated: simulations use the analytic model's correction\n");
  return calibration.learned.prior ? text + prior_lines(calibration) : text;
}

}  // namespace tilecast
