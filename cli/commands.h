// Implementations of the commands in the table (cli/option_table.h): each writes its output to
// standard output and throws tilecast::Error on failure. Input and output files are checked first
// (cli/file_plan.h), and files are written before the output is printed, because a reader may close
// the pipe early (`... | head`).
#pragma once

#include "cli/arguments.h"

namespace tilecast {

class MeasuringDevice;

// tilecast (main.cpp): needs only the model.
void run_doctor(const Arguments& args);
void run_predict(const Arguments& args);
void run_explain(const Arguments& args);
void run_compare(const Arguments& args);
void run_list(const Arguments& args);
void run_gpus(const Arguments& args);
void run_completion(const Arguments& args);

// tilecast-data (data_main.cpp): measurements, no CUDA.
void run_validate(const Arguments& args);
void run_calibrate(const Arguments& args);
void run_emit(const Arguments& args);
void run_report(const Arguments& args);
void run_expand(const Arguments& args);
void run_plan(const Arguments& args);
void run_status(const Arguments& args);
void run_merge(const Arguments& args);
void run_slurm(const Arguments& args);

// tilecast-gpu (gpu_main.cpp): needs the CUDA toolkit.
void run_measure(const Arguments& args, MeasuringDevice& device);
void run_compile(const Arguments& args);
void run_probe(const Arguments& args);
void run_micro(const Arguments& args);

}  // namespace tilecast
