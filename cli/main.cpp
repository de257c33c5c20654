// tilecast: forecasts how fast a GPU kernel runs. What works on measurements is in data_main.cpp,
// what needs CUDA in gpu_main.cpp.

#include "cli/commands.h"
#include "cli/forward.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  tilecast::Program program(
      "tilecast", "Predicts how fast a GPU kernel runs for every schedule and tiling of a problem");
  program.set_version("tilecast " TILECAST_VERSION);

  tilecast::add_predict(program);
  tilecast::add_explain(program);
  tilecast::add_compare(program);
  tilecast::add_doctor(program);
  tilecast::add_list(program);
  tilecast::add_gpus(program);
  tilecast::add_forwarded(program, argv);

  program.tell_options();
  return program.run(argc, argv);
}
