// The commands. Each function adds one subcommand whose callback does the work, writes its answer
// to standard output and throws tilecast::Error where it fails; cli/program.h does the rest. What
// it reads and writes is tried first (cli/file_plan.h), and files are written before the answer is
// printed, which may be cut short (`... | head`). To add a command, write cli/NAME.cpp, declare it
// here and add one line to main.cpp, or to data_main.cpp or gpu_main.cpp and to forward.cpp.
#pragma once

#include <CLI/CLI.hpp>

namespace tilecast {

// tilecast (main.cpp): the model alone.
void add_doctor(CLI::App& app);
void add_predict(CLI::App& app);
void add_explain(CLI::App& app);
void add_suite(CLI::App& app);

// tilecast-data (data_main.cpp): measurements, no CUDA.
void add_validate(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_readme_table(CLI::App& app);
void add_dataset(CLI::App& app);
void add_decompositions(CLI::App& app);
void add_ladder(CLI::App& app);
void add_repeatability(CLI::App& app);
void add_regime_report(CLI::App& app);
void add_report(CLI::App& app);

// tilecast-gpu (gpu_main.cpp): needs the CUDA toolkit.
void add_measure(CLI::App& app);
void add_compile(CLI::App& app);
void add_probe(CLI::App& app);
void add_micro(CLI::App& app);
void add_regime_experiment(CLI::App& app);
void add_timeline(CLI::App& app);

}  // namespace tilecast
