// tilecast predict: ranked schedules and tilings for a problem.

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/predict_output.h"
#include "model/base/error.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

struct PredictOptions {
  std::string shape, op = "gemm", gpu = "h200_sxm", dtype = "fp16", layout = "tn", regime = "burst",
                     inputs = "normal", format = "table";
  std::optional<std::string> config, method;
  std::vector<std::string> schedules, data;
  i64 top = 10;
  unsigned threads = 0;
  bool no_calibration = false, layout_given = false;
};

/// Verified rows of this GPU, problem, regime and inputs.
MeasuredByConfig read_measured(const PredictOptions& options, const GpuSpec& gpu,
                               const AnyProblem& problem, Regime regime, Inputs inputs) {
  std::vector<MeasurementFile> files;
  for (const std::string& file : options.data) {
    files.push_back(read_measurements(file));
    if (files.back().rows.empty()) {
      throw ConfigError(file + ": expected measured rows, found only a header");
    }
  }
  MeasuredByConfig by_config;
  for (const VerifiedRow& row : verified_rows(files)) {
    const Measurement& m = row.measurement();
    const bool of_gpu = m.context.gpu == gpu.name || m.context.gpu == gpu.product;
    if (of_gpu && problem_of(m.point) == problem && m.point.regime == regime &&
        m.point.inputs == inputs && m.point.l2_state == L2State::kRotating) {
      by_config.insert_or_assign(m.point.config, m);
    }
  }
  return by_config;
}

Ranking rank_one(const GpuSpec& gpu, const AnyProblem& problem, const std::string& text,
                 Regime regime, Inputs inputs, Method method) {
  const AnyConfig config = parse_config(text);
  const Prediction p = predict_config(gpu, problem, config, regime, inputs, method);
  return {problem, regime, inputs, 1, {}, {p}, p.method == Method::kSimulated ? 1 : 0};
}

void run_predict(const PredictOptions& options) {
  const Op op = parse_op(options.op);
  if (options.config && !options.schedules.empty()) {
    throw ConfigError("--config names its schedule itself: leave --schedule out");
  }
  const AnyProblem problem = parse_problem(op, options.shape, parse_element_type(options.dtype),
                                           parse_layout(options.layout));
  if (op != Op::kGemm && options.layout_given) {
    throw ConfigError(fmt::format("--layout applies only to gemm, not to {}", options.op));
  }
  const Regime regime = parse_regime(options.regime);
  const Inputs inputs = parse_inputs(options.inputs);
  const Method method = options.method ? parse_method(*options.method) : default_method(op);
  std::vector<AnySchedule> schedules;
  for (const std::string& name : options.schedules) {
    schedules.push_back(parse_schedule(op, name));
  }
  const LoadedGpu gpu = load_gpu(options.gpu, !options.no_calibration);

  const MeasuredByConfig measured = read_measured(options, gpu.spec, problem, regime, inputs);
  const auto start = std::chrono::steady_clock::now();
  const Ranking ranking = options.config
                              ? rank_one(gpu.spec, problem, *options.config, regime, inputs, method)
                              : rank_candidates(gpu.spec, problem, schedules, regime, inputs,
                                                static_cast<std::size_t>(options.top),
                                                {.method = method, .threads = options.threads});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  const RankingReport report{gpu, ranking, static_cast<std::size_t>(options.top),
                             Seconds{elapsed.count()}, measured};
  fmt::print("{}", options.format == "json"  ? ranking_json(report)
                   : options.format == "csv" ? ranking_csv(report)
                                             : ranking_table(report));
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("predict", "Ranked schedules and tilings for a problem, CPU only");
  const auto options = std::make_shared<PredictOptions>();
  command
      ->add_option(
          "SHAPE", options->shape,
          "MxNxK, such as 4096x4096x4096; ROWSxCOLUMNS for elementwise_add; elements for memcpy")
      ->required();
  command->add_option("--op", options->op, "gemm, memcpy or elementwise_add")
      ->capture_default_str();
  command->add_option("--gpu", options->gpu, "A name in configs/gpus, or a path")
      ->capture_default_str();
  command
      ->add_option("--dtype", options->dtype, "fp16, bf16; fp32 too for memcpy and elementwise_add")
      ->capture_default_str();
  CLI::Option* layout =
      command->add_option("--layout", options->layout, "Of GEMMs. tn: B is [N,K]; nn: B is [K,N]")
          ->capture_default_str();
  command->add_option("--regime", options->regime, "burst or sustained")->capture_default_str();
  command->add_option("--inputs", options->inputs, "normal, uniform, ternary or zeros")
      ->capture_default_str();
  command
      ->add_option("--method", options->method,
                   "simulated: the best by closed form are simulated, as GEMMs are by default; "
                   "analytic: closed forms alone, as memory-bound kernels are by default")
      ->check(CLI::IsMember({"analytic", "simulated"}));
  command->add_option("--threads", options->threads, "For simulations; 0: one for each processor")
      ->check(CLI::Range(0u, 1024u))
      ->capture_default_str();
  command->add_option("--schedule", options->schedules, "Only these schedules");
  command->add_option("--top", options->top, "Rows to show")
      ->check(CLI::Range(i64{1}, i64{1} << 20))
      ->capture_default_str();
  command->add_option("--config", options->config, "Predict this configuration alone");
  command->add_option("--data", options->data, "Measurements to show beside the predictions");
  command->add_option("--format", options->format, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  command->add_flag("--no-calibration", options->no_calibration, "Ignore the GPU's calibration");
  command->callback([options, layout] {
    options->layout_given = layout->count() > 0;
    run_predict(*options);
  });
}

}  // namespace tilecast
