// tilecast-gpu: what needs the CUDA toolkit. `tilecast` starts it with the same arguments.

#include "cli/commands.h"
#include "cli/gpu_device.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  tilecast::Program program("tilecast-gpu", "Times kernels on this machine's GPU");
  program.set_version("tilecast " TILECAST_VERSION);
  tilecast::GpuDevice device;
  tilecast::add_measure(program, device);
  tilecast::add_compile(program);
  tilecast::add_probe(program);
  tilecast::add_micro(program);
  program.tell_options();
  return program.run(argc, argv);
}
