// tilecast-data: what works on measurements, without CUDA. `tilecast` starts it with the same
// arguments, and is the program that its messages name.

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  CLI::App app{"Lays predictions beside measurements", "tilecast"};
  app.set_version_flag("--version", "tilecast " TILECAST_VERSION);
  tilecast::add_validate(app);
  tilecast::add_calibrate(app);
  tilecast::add_report(app);
  tilecast::add_readme_table(app);
  tilecast::add_dataset(app);
  tilecast::add_decompositions(app);
  tilecast::add_ladder(app);
  tilecast::add_repeatability(app);
  tilecast::add_regime_report(app);
  tilecast::add_plan(app);
  tilecast::add_merge(app);
  tilecast::add_status(app);
  tilecast::add_slurm(app);
  return tilecast::run_program(app, argc, argv);
}
