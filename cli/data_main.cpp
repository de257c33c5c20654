// tilecast-data: commands on measurements, and emit, without CUDA. `tilecast` starts it with the
// same arguments; messages name `tilecast`.

#include "cli/commands.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace tilecast;
  return run_program(Host::kData, "tilecast " TILECAST_VERSION,
                     {{"validate", run_validate},
                      {"calibrate", run_calibrate},
                      {"report", run_report},
                      {"emit", run_emit},
                      {"campaign expand", run_expand},
                      {"campaign plan", run_plan},
                      {"campaign status", run_status},
                      {"campaign merge", run_merge},
                      {"campaign slurm", run_slurm}},
                     argc, argv);
}
