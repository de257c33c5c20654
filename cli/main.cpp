// tilecast: forecasts how fast a GPU kernel runs. Commands on measurements are in data_main.cpp,
// those that need CUDA in gpu_main.cpp.

#include "cli/commands.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace tilecast;
  return run_program(Host::kModel, "tilecast " TILECAST_VERSION,
                     {{"predict", run_predict},
                      {"explain", run_explain},
                      {"compare", run_compare},
                      {"doctor", run_doctor},
                      {"list", run_list},
                      {"gpus", run_gpus},
                      {"completion", run_completion}},
                     argc, argv);
}
