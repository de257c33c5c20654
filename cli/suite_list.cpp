// tilecast suite: the points that suites stand for, as a CSV that `measure --points` takes, so that
// a draw can be kept whatever the model later thinks best.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "validate/plan/suite.h"
#include "validate/record/point_list.h"

namespace tilecast {
namespace {

struct SuiteListOptions {
  std::vector<std::string> files;
  std::string gpu = "h200_sxm", out;
};

void list_suites(const SuiteListOptions& options) {
  FilePlan plan;
  plan.reads("--gpu", files_of_gpu(options.gpu));
  plan.reads("FILE", options.files);
  plan.writes("--out", options.out);
  plan.check();
  const LoadedGpu gpu = load_gpu(options.gpu, true);
  std::vector<ListedPoint> points;
  std::size_t refused = 0;
  std::string why;  // the first of these
  for (const std::string& file : options.files) {
    const SuitePoints expanded = [&] {
      const Waiting waiting(file);
      return expand_suite(load_suite(file), gpu.spec);
    }();
    for (const std::string& note : expanded.notes) {
      fmt::print(stderr, "{}: {}\n", file, note);
      why = why.empty() ? note : why;
    }
    for (const auto& [point, refusal, drawn] : expanded.points) {
      if (refusal.empty()) {
        points.push_back({point, drawn});
      } else {
        ++refused;
        why = why.empty()
                  ? fmt::format("{} {}: {}", to_text(problem_of(point)), point.config, refusal)
                  : why;
      }
    }
  }
  if (points.empty()) {
    throw ConfigError(fmt::format("{}: no point can be measured on {}{}", join(options.files, ", "),
                                  gpu.spec.name, why.empty() ? "" : ", the first one: " + why));
  }
  const std::string csv = point_list_csv(points);
  if (options.out.empty()) {
    fmt::print("{}", csv);
  } else {
    write_file(options.out, csv);
  }
  fmt::print(stderr, "{}, {} that cannot be measured left out\n", counted(points.size(), "point"),
             refused);
}

}  // namespace

void add_suite(Program& program) {
  const Command command = program.command("suite", "Expand suites into a list of points, as CSV");
  const auto options = std::make_shared<SuiteListOptions>();
  command.option("FILE", options->files, "Suite YAML; several are listed one after the other")
      .required();
  command.option("--gpu", options->gpu, "GPU name (`tilecast gpus`), or a path to a GPU file");
  command.option("--out", options->out, "CSV to write instead of standard output");
  command.runs([options] { list_suites(*options); });
}

}  // namespace tilecast
