// tilecast-gpu: what needs the CUDA toolkit. `tilecast` starts it with the same arguments.

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/gpu_device.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  CLI::App app{"Times kernels on this machine's GPU", "tilecast-gpu"};
  app.set_version_flag("--version", "tilecast " TILECAST_VERSION);
  tilecast::GpuDevice device;
  tilecast::add_measure(app, device);
  tilecast::add_compile(app);
  tilecast::add_probe(app);
  tilecast::add_micro(app);
  tilecast::add_regime_experiment(app);
  tilecast::add_timeline(app);
  return tilecast::run_program(app, argc, argv);
}
