// tilecast: forecasts how fast a GPU kernel runs. Needs no CUDA; what does is in gpu_main.cpp.

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/forward.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  CLI::App app{"Forecasts how fast a GPU kernel runs for every schedule and tiling of a problem",
               "tilecast"};
  app.set_version_flag("--version", "tilecast " TILECAST_VERSION);

  tilecast::add_predict(app);
  tilecast::add_explain(app);
  tilecast::add_validate(app);
  tilecast::add_calibrate(app);
  tilecast::add_suite(app);
  tilecast::add_plan(app);
  tilecast::add_merge(app);
  tilecast::add_status(app);
  tilecast::add_slurm(app);
  tilecast::add_readme_table(app);
  tilecast::add_dataset(app);
  tilecast::add_decompositions(app);
  tilecast::add_ladder(app);
  tilecast::add_repeatability(app);
  tilecast::add_regime_report(app);
  tilecast::add_report(app);
  tilecast::add_doctor(app);
  tilecast::add_forwarded(app, argv);

  return tilecast::run_program(app, argc, argv);
}
