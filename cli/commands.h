// The commands. Each function adds one, which writes its answer to standard output and throws
// tilecast::Error where it fails; cli/program.h does the rest. What it reads and writes is tried
// first (cli/file_plan.h), and files are written before the answer is printed, which may be cut
// short (`... | head`). To add a command, write cli/NAME.cpp, declare it here and add one line to
// main.cpp, or to data_main.cpp or gpu_main.cpp and to forward.cpp.
#pragma once

#include "cli/program.h"

namespace tilecast {

inline constexpr const char* kDtypeHelp =
    "Of A and B: fp16, bf16, e4m3, e5m2; of memcpy and elementwise_add fp16, bf16, fp32";
class MeasuringDevice;

// tilecast (main.cpp): the model alone.
void add_doctor(Program& program);
void add_predict(Program& program);
void add_explain(Program& program);
void add_compare(Program& program);
void add_list(Program& program);
void add_gpus(Program& program);

// tilecast-data (data_main.cpp): measurements, no CUDA.
void add_validate(Program& program);
void add_calibrate(Program& program);
void add_emit(Program& program);
void add_completion(Program& program);
void add_campaign(Program& program);
void add_report(Program& program);

// tilecast-gpu (gpu_main.cpp): needs the CUDA toolkit.
void add_measure(Program& program, MeasuringDevice& device);
void add_compile(Program& program);
void add_probe(Program& program);
void add_micro(Program& program);

}  // namespace tilecast
