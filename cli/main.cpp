// tilecast: forecasts how fast a GPU kernel runs. What works on measurements is in data_main.cpp,
// what needs CUDA in gpu_main.cpp.

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
  tilecast::add_suite(app);
  tilecast::add_doctor(app);
  tilecast::add_forwarded(app, argv);

  return tilecast::run_program(app, argc, argv);
}
