// The commands. Each function adds one, which writes its answer to standard output and throws
// tilecast::Error where it fails; cli/program.h does the rest. What it reads and writes is tried
// first (cli/file_plan.h), and files are written before the answer is printed, which may be cut
// short (`... | head`). To add a command, write cli/NAME.cpp, declare it here and add one line to
// main.cpp, or to data_main.cpp or gpu_main.cpp and to forward.cpp.
#pragma once

#include "cli/program.h"

namespace tilecast {

/// Of --epilogue, wherever it is.
inline constexpr const char* kEpilogueHelp =
    "GEMMs only. What is done to A B before it is rounded to C: none, or scales of fp8 "
    "(scale_tensor, scale_row, scale_block), a bias (bias_m, bias_n), an activation (relu, gelu, "
    "gelu_tanh, silu) or gate (swiglu, geglu), a residual, amax and scale_c, joined by + in this "
    "order, such as bias_n+gelu";

inline constexpr const char* kDtypeHelp =
    "Of A and B: fp16, bf16, e4m3, e5m2; of memcpy and elementwise_add fp16, bf16, fp32";
inline constexpr const char* kDtypeCHelp =
    "GEMMs only. C's type: that of A and B, or fp32 or e4m3; of fp8 bf16, the default, fp16, fp32 "
    "or e4m3";

inline constexpr const char* kAccumulateHelp =
    "Sums of fp8 products: fast, in the tensor cores, which keep fewer bits than fp32; exact, "
    "those of every 128 K promoted to fp32, as with block scales";

inline constexpr const char* kBatchHelp =
    "GEMMs only. Products of one launch, such as 32; 32:a, 32:b or 32:ab where they share A, B or "
    "both. The same as 32* before SHAPE";

class MeasuringDevice;

// tilecast (main.cpp): the model alone.
void add_doctor(Program& program);
void add_predict(Program& program);
void add_explain(Program& program);
void add_suite(Program& program);
void add_list(Program& program);
void add_gpus(Program& program);

// tilecast-data (data_main.cpp): measurements, no CUDA.
void add_validate(Program& program);
void add_calibrate(Program& program);
void add_emit(Program& program);
void add_completion(Program& program);
void add_plan(Program& program);
void add_merge(Program& program);
void add_status(Program& program);
void add_slurm(Program& program);
void add_report(Program& program);

// tilecast-gpu (gpu_main.cpp): needs the CUDA toolkit.
void add_measure(Program& program, MeasuringDevice& device);
void add_compile(Program& program);
void add_probe(Program& program);
void add_micro(Program& program);
void add_timeline(Program& program);

}  // namespace tilecast
