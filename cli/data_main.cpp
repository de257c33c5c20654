// tilecast-data: what works on measurements, and kernels as text, without CUDA. `tilecast`
// starts it with the same arguments, and is the program that its messages name.

#include "cli/commands.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  tilecast::Program program("tilecast", "Compares predictions with measurements");
  program.set_version("tilecast " TILECAST_VERSION);
  tilecast::add_validate(program);
  tilecast::add_calibrate(program);
  tilecast::add_report(program);
  tilecast::add_emit(program);
  tilecast::add_completion(program);
  tilecast::add_campaign(program);
  program.tell_options();
  return program.run(argc, argv);
}
