// tilecast-gpu: the commands that need CUDA. `tilecast` starts it with the same arguments.

#include "cli/commands.h"
#include "cli/gpu_device.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace tilecast;
  GpuDevice device;
  return run_program(Host::kGpu, "tilecast " TILECAST_VERSION,
                     {{"measure", [&device](const Arguments& args) { run_measure(args, device); }},
                      {"compile", run_compile},
                      {"probe", run_probe},
                      {"micro", run_micro}},
                     argc, argv);
}
