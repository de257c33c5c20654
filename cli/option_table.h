// The commands of tilecast, tilecast-data and tilecast-gpu, and their options: the one table that
// parsing, --help, shell completion and the test of the pages read.
//
// To add an option, add a row, and read it by name (cli/arguments.h). To add a command, add a row
// to kCommands, write cli/NAME.cpp, declare its function in commands.h and name both in main.cpp,
// data_main.cpp or gpu_main.cpp.
#pragma once

#include <span>
#include <string_view>

#include "model/base/integers.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/routing.h"
#include "validate/plan/work_plan.h"

namespace tilecast {

/// The program that executes a command. `tilecast` starts the others (cli/forward.h).
enum class Host { kModel, kData, kGpu };

struct CommandRow {
  std::string_view name;  // name; a verb follows its command: "campaign plan"
  Host host;
  std::string_view
      heading;  // heading in --help; only in --help-all if kMaintain, in neither if empty
  std::string_view help;
  std::string_view examples = "";  // examples for its --help, one per line
};

inline constexpr std::string_view kMaintain = "Maintain";

inline constexpr CommandRow kCommands[] = {
    {"predict", Host::kModel, "Forecast",
     "Rank schedules and tilings of a problem by predicted time",
     "predict 4096x4096x4096 --dtype bf16\n"
     "predict 4096x7168 --experts 8 --tokens 512 --dtype fp8 --scales block\n"
     "predict 16x4096x4096 --gpu h100 --config 'pingpong 64x128'"},
    {"explain", Host::kModel, "Forecast",
     "Explain what limits a configuration and why the best one is faster",
     "explain 4096x4096x4096 --dtype bf16\n"
     "explain 4096x4096x4096 --config 'cooperative 128x256' pingpong"},
    {"compare", Host::kModel, "Forecast", "Compare the top pick with cuBLASLt or cuDNN",
     "compare 4096x28672x4096 --dtype bf16\n"
     "compare --problems layers.csv --dtype bf16 --format json"},
    {"list", Host::kModel, "Forecast", "List the values that options accept, with their meaning"},
    {"gpus", Host::kModel, "Forecast",
     "List the GPUs: what runs on each, and where its numbers come from"},
    {"emit", Host::kData, "Forecast",
     "Write the fastest configuration's kernel as one .cu file that nvcc builds and runs"},
    {"doctor", Host::kModel, "Run on a GPU",
     "Report what this machine can run and what is missing"},
    {"measure", Host::kGpu, "Run on a GPU", "Time kernels on this machine's GPU"},
    {"validate", Host::kData, "Calibrate",
     "Compare the model with measurements: error, order, picks"},
    {"calibrate", Host::kData, "Calibrate", "Fit the model's constants to measurements of a GPU"},
    {"report", Host::kData, "Calibrate", "Write a page of predicted and measured kernels",
     "report --data measurements.csv.gz --out report\n"
     "report --manifest reports/h200.yaml --out report"},
    {"micro", Host::kGpu, "Calibrate", "Measure the constants of this machine's GPU"},
    {"completion", Host::kModel, kMaintain, "Print a completion script for bash or zsh"},
    {"campaign", Host::kData, kMaintain,
     "Split a measurement campaign into shards: expand, plan, status, merge, slurm"},
    {"campaign expand", Host::kData, "", "Expand suites into a list of points, as CSV"},
    {"campaign plan", Host::kData, "",
     "Write a numbered list of points, for `measure --plan --shard I/N`"},
    {"campaign status", Host::kData, "",
     "Show the progress of a plan's shards: done, failed, time left"},
    {"campaign merge", Host::kData, "",
     "Merge the rows of a plan's shards; exits with 5 if points are missing"},
    {"campaign slurm", Host::kData, "", "Write Slurm job scripts that measure a plan"},
    {"probe", Host::kGpu, "", "Report what tilecast-gpu finds on this machine, for doctor"},
    {"compile", Host::kGpu, "",
     "Compile the best kernels of random problems, record which the compiler rejects; needs no "
     "GPU"}};

struct OptionRow {
  std::string_view commands;  // commands with this option; a verb by its last word
  std::string_view names;     // "--rows,--top": the first is the lookup name; SHAPE is positional
  std::string_view
      value;  // "N" is a number, "a|b" one of these, "FILE..." several; empty for a flag
  std::string_view usual;  // default; empty if there is none
  std::string_view help;
  i64 least = 0, most = i64{1} << 62;  // range of a number
  std::string_view needs = "";         // options that must also be given
  // Options that must not be given together with this one; a heading stands for all its options.
  std::string_view without = "";
  bool required = false;
};

struct OptionGroup {
  std::string_view heading;  // heading in --help
  std::span<const OptionRow> options;
};

inline constexpr i64 kLongestSide = i64{1} << 38, kMostThreads = 1024;
inline constexpr std::string_view kProblems = "predict explain compare emit measure",
                                  kRouted = "predict explain compare emit",
                                  kJudged = "validate report";

inline constexpr OptionRow kProblemOptions[] = {
    {kProblems, "SHAPE", "TEXT...", "",
     "MxNxK, such as 4096x4096x4096, or M N K; for an nn.Linear tokens x out_features x "
     "in_features; for attention "
     "BATCHxHEADS:KV_HEADSxQUERIESxKEYSxHEAD_DIM, such as 4x32:8x4096x4096x128; ROWSxCOLUMNS for "
     "elementwise_add, elements for memcpy"},
    {kProblems, "-m,--m", "N", "",
     "M: rows of A and C; replaces SHAPE together with -n and -k. Omitted with --experts", 1,
     kLongestSide, "-n -k", "SHAPE"},
    {kProblems, "-n,--n", "N", "", "N: columns of C", 1, kLongestSide, "-k", "SHAPE"},
    {kProblems, "-k,--k", "N", "", "K: columns of A, the dimension that is summed over", 1,
     kLongestSide, "-n", "SHAPE"},
    {kProblems, "--dtype", "TYPE", "fp16",
     "Element type of the inputs: fp16, bf16, e4m3 (or fp8), e5m2 for a GEMM; fp16, bf16 for "
     "attention; fp16, bf16, fp32 for memcpy and elementwise_add"},
    {kProblems, "--op", "gemm|attention|memcpy|elementwise_add", "gemm", ""},
    {kProblems, "--causal", "", "",
     "Attention only: each query attends to the keys up to its own position; the last query "
     "attends to all"},
    {kProblems, "--lse", "", "", "Attention only: also write the log-sum-exp of each row"},
    {kProblems, "--scales", "tensor|row|block", "",
     "Scales of fp8 operands, applied before the epilogue: one per tensor; one per row of A and "
     "column of B; one per 1x128 block of A and 128x128 block of B"},
    {kProblems, "--no-fast-accum", "", "",
     "Promote fp8 partial sums to fp32, as --accumulate exact", 0, 0, "", "--accumulate"},
    {kProblems, "--lda", "N", "0", "Elements from one row of A to the next; 0 for contiguous rows",
     0, kLongestSide},
    {kProblems, "--ldb", "N", "0", "Elements from one row of B to the next", 0, kLongestSide},
    {kProblems, "--ldc", "N", "0",
     "Elements from one row of C to the next; unless rows are contiguous, --ldc and N "
     "must be multiples of 16 bytes",
     0, kLongestSide},
    {kProblems, "--groups", "ROWS", "",
     "Rows of each group, such as 256,0,17 or 8*4096, with SHAPE NxK; in layout nt the K of each "
     "group, with SHAPE MxN. Short for [256,0,17]xNxK and MxNx[256,0,17]"},
    {kProblems, "--groups-file", "FILE", "",
     "File with the list of --groups: numbers separated by newlines or commas"}};

inline constexpr OptionRow kRoutingOptions[] = {
    {kRouted, "--experts", "N", "",
     "Number of experts. Each is a group of rows with its own B, and SHAPE is NxK: 4096x7168 "
     "--experts 64 --tokens 4096. In layout nt (backward pass) each is a range of K with its own "
     "C, and SHAPE is MxN",
     1, kMostGroups, "--tokens", "--data --configs"},
    {kRouted, "--tokens", "N", "", "Number of tokens routed to the experts", 1, kMostRoutedRows,
     "--experts"},
    {kRouted, "--top-k", "N", "1", "Number of experts that each token is routed to", 1, kMostGroups,
     "--experts"},
    {kRouted, "--routing", "NAME", "uniform",
     "Each expert's share of the tokens: uniform, or zipf:1.1 for Zipf's law with that exponent", 0,
     0, "--experts"},
    {kRouted, "--seed", "N", "1", "Seed of the random routings", 0, i64{1} << 62, "--experts"},
    {kRouted, "--draws", "N", "8",
     "Number of random routings; configurations are ranked by the mean time over them", 1, 1024,
     "--experts"}};

inline constexpr OptionRow kMachineOptions[] = {
    {"predict", "--gpu", "GPU...", "h200_sxm",
     "Name of a GPU or words of it (`tilecast list gpus`), or path of a GPU file; several are "
     "shown side by side"},
    {"explain compare emit measure validate calibrate report micro compile expand plan", "--gpu",
     "GPU", "h200_sxm",
     "Name of a GPU or words of it (`tilecast list gpus`), or path of a GPU file"},
    {"predict explain compare emit", "--regime", "NAME", "burst",
     "burst: a few milliseconds on an idle GPU; sustained: continuous load"},
    {"measure", "--regime", "NAME", "burst",
     "burst or sustained; without --out the default is sustained. Overrides the regime of "
     "--points"},
    {"plan", "--regime", "NAME", "burst", "burst or sustained, for points given as CSV"},
    {"predict explain compare measure", "--inputs", "NAME", "normal",
     "Distribution of the input values, which affects power: normal, uniform, ternary or zeros"},
    {"measure", "--l2", "NAME", "rotating", "State of L2 before a launch: rotating, flushed, warm"},
    {"measure", "--devices", "LIST", "",
     "GPUs to spread the points over, one process each: 0-3, 0,2 or all; all rows are written to "
     "--out"}};

inline constexpr OptionRow kKernelOptions[] = {
    {"predict", "--config,--tile", "CONFIG...", "",
     "Only this configuration, complete or partial: 128x256x64, 'cooperative 128x256', "
     "ws:tile=128x256x64,stages=4. Of several, the fastest match of each",
     0, 0, "", "--schedule --configs"},
    {"emit", "--config,--tile", "CONFIG", "",
     "Only this configuration, complete or partial: 128x256x64, 'cooperative 128x256', "
     "ws:tile=128x256x64,stages=4",
     0, 0, "", "--schedule"},
    {"explain", "--config,--tile", "CONFIG...", "",
     "One or more configurations, complete or partial (128x256x64). Default: the best with a "
     "different tile, and the best that CUTLASS offers"},
    {"measure", "--config,--tile", "CONFIG...", "",
     "Configurations, complete or partial (then the fastest match), or a library: cublaslt:top1, "
     "cublaslt:best, cudart:memcpy_async, cudnn:sdpa. Default: the three fastest tiles and the "
     "op's "
     "library"},
    {"predict", "--configs", "FILE", "",
     "Rank the configurations of this file, one per line, instead of the search space. Up to 50 "
     "(10 with --problems) are each ranked as --config ranks one; of more, only those that could "
     "be first are simulated"},
    {"predict explain compare emit", "--schedule", "NAME...", "",
     "Only these schedules, such as pingpong cooperative (`tilecast list schedules`)"},
    {"explain", "--no-best,--no-baseline", "", "",
     "Explain --config without comparison; without --config explain only the best"},
    {"compile", "--schedule", "NAME...", "", "Only these schedules"},
    {"compile", "--random", "N", "24", "Number of random problems of all kinds"},
    {"compile", "--first", "N", "16",
     "Number of kernels per problem, those predicted to be fastest"},
    {"compile", "--seed", "N", "1", "Seed of the random problems", 0, (i64{1} << 32) - 1},
    {"micro", "--group", "NAME...", "",
     "Only these groups: wgmma, l2, box, tma, dram, latency, sync, launch, sums, clock, energy; "
     "default: all but energy"},
    {"micro", "--energy", "", "", "Also measure the energy per operation"}};

inline constexpr OptionRow kPointOptions[] = {
    {"predict", "--problems", "FILE", "",
     "Many problems instead of SHAPE, one per line: shapes with ranges, JSON or CSV, or CUTLASS's "
     "JSON list; a file, or - for standard input. Prints a row for each, or why it has none",
     0, 0, "",
     "SHAPE -n --config --data --lda --ldb --ldc --experts --groups --groups-file --wide --all "
     "--verbose"},
    {"compare", "--problems", "FILE", "", "Many problems instead of SHAPE, as for predict", 0, 0,
     "", "SHAPE -n --lda --ldb --ldc --experts --groups --groups-file"},
    {"predict", "--shard", "I/N", "", "Every N-th problem of --problems, starting with the I-th", 0,
     0, "--problems"},
    {"measure", "--suite", "FILE...", "",
     "Suites: YAML files of shapes and configurations to measure", 0, 0, "",
     "Problem --config --regime --inputs --l2"},
    {"measure", "--points", "CSV...", "",
     "CSV of points, such as another run's rows or the output of `tilecast campaign expand`"},
    {"measure", "--plan", "FILE", "", "Plan written by `tilecast campaign plan`", 0, 0, "",
     "SHAPE --suite --points --config --regime --counters --rounds"},
    {"measure", "--shard", "I/N", "",
     "The I-th of N equally long parts of --plan, written to PLAN.I-of-N.csv or --out; default: "
     "the whole plan",
     0, 0, "--plan"},
    {"expand plan", "FILE", "FILE...", "",
     "Suites (YAML) or points (CSV); several files are joined", 0, 0, "", "", true},
    {"status slurm", "PLAN", "FILE", "",
     "Plan file; the files of its shards are in the same folder", 0, 0, "", "", true},
    {"merge", "CSV", "CSV...", "", "Files with the rows of shards; default: all PLAN.I-of-N.csv"},
    {"merge", "--plan", "FILE", "", "Plan file; the files of its shards are in the same folder", 0,
     0, "", "", true}};

inline constexpr OptionRow kRunOptions[] = {
    {"measure", "--counters", "SET", "",
     "Hardware counters to collect for each point, after its timing: none, core or full; default: "
     "none, or the suite's setting"},
    {"plan", "--counters", "SET", "",
     "Hardware counters to collect: none, core or full; default: none, or the suites' setting"},
    {"measure", "--window", "N", "1000",
     "Duration of a sustained measurement in milliseconds, after 250 ms of warm-up", 100, 5000},
    {"measure", "--budget", "TIME", "",
     "Time limit of the whole command: 90s, 10m, 1h. Kernels are compiled while others are "
     "measured; if the time is short, the most informative points come first"},
    {"measure", "--seed", "N", "",
     "Seed of the order of points within a problem; default: a new one each time"},
    {"measure", "--rounds", "N", "1",
     "Number of times to measure the whole list, every second time in reverse order; prints each "
     "configuration's ratio to the first",
     1, 1000},
    {"calibrate", "--run", "", "",
     "Measure this machine's GPU first; its rows are added to those of --data"},
    {"calibrate", "--budget", "TIME", "7m",
     "Total time limit of --run, covering micro-benchmarks, kernels and the fit", 0, 0, "--run"},
    {"calibrate", "--points", "CSV", "",
     "Points that --run measures; default: calibration_points.csv of the configuration folder", 0,
     0, "--run"},
    {"slurm", "--gpus-per-node", "N", "1", "Number of measuring processes per node", 1, 64},
    {"slurm", "--time", "TIME", "30m", "Time limit of a task, after which it is requeued: 30m, 4h"},
    {"slurm", "--shards", "N", "", "Number of shards; default: enough for each to fit --time", 1,
     kMostShards},
    {"slurm", "--max-array-size", "N", "",
     "Slurm's MaxArraySize; default: the value that `scontrol show config` reports, or 1001", 1,
     4'000'000},
    {"slurm", "--option", "TEXT...", "",
     "An extra sbatch option, such as --option=--partition=gpu; repeatable"},
    {"slurm", "--submit", "", "", "Submit the jobs and print their numbers"}};

inline constexpr OptionRow kDataOptions[] = {
    {"predict", "--data", "CSV...", "", "Measurements to show next to the predictions"},
    {kJudged, "--data", "CSV...", "", "Measurement files, .csv or .csv.gz"},
    {"calibrate", "--data", "CSV...", "",
     "Measurement files, .csv or .csv.gz. With only copies and additions, section stream is fitted "
     "and the rest of --out is kept"},
    {"validate", "--public", "LIST", "",
     "Compare with published measurements instead: a list of sources, such as "
     "validate/public_cases.yaml",
     0, 0, "", "--data"},
    {"validate", "--against-library", "FILE", "",
     "Compare with a library's times of bf16 GEMMs, A [M,K] and B [N,K], instead: CSV with "
     "gpu,m,n,k,median_us and optionally min_us, the fastest of several runs",
     0, 0, "", "--data --public"},
    {"validate", "--copies-of-b", "N", "6",
     "Copies of B that the library's kernels read in turn, with one A and one C, as in the public "
     "collections; L2 keeps what fits. 0: all operands are read from DRAM",
     0, 1000, "--against-library"},
    {"report", "--manifest", "FILE", "",
     "YAML file that lists the contents of the report, such as "
     "reports/h200.yaml; this or --data is required",
     0, 0, "", "--data --gpu"},
    {"validate", "--split", "FILE", "", "YAML file that names the rows a fit may use", 0, 0,
     "--part"},
    {"calibrate", "--split", "FILE...", "",
     "YAML files that name the rows a fit may use; others are omitted"},
    {"validate", "--part", "fit|judge|tiles", "",
     "Only rows of this part: fit, judge (other problems) or tiles (other tiles)", 0, 0, "--split"},
    {"validate", "--fixed", "CSV...", "",
     "Measurements that determine one fixed configuration for all problems, a baseline; they are "
     "not evaluated themselves"},
    {"calibrate", "--measured,--constants", "FILE", "",
     "Overlay written by `tilecast micro`: constants that are measured, not fitted"},
    {"calibrate", "--prior", "GPU", "",
     "Calibrated GPU whose learned correction serves as a prior, if it predicts these rows. "
     "Default "
     "with --run: h200_sxm; `none` for no prior"}};

inline constexpr OptionRow kOutputOptions[] = {
    {"list", "KIND",
     "gpus|schedules|dtypes|epilogues|scales|layouts|regimes|inputs|ops|bottlenecks", "",
     "Kind to list; default: all"},
    {"gpus", "NAME", "GPU", "",
     "A GPU, or the path of a GPU file: lists its constants with standard error, unit, source and "
     "reference"},
    {"completion", "SHELL", "bash|zsh", "",
     "Shell to write the script for; to load it: source <(tilecast completion bash)", 0, 0, "", "",
     true},
    {"completion", "LINE", "TEXT", "", "Print the completions of this line's last word instead"},
    {"predict", "--rows,--top", "N", "", "Rows to show", 1, i64{1} << 20},
    {"predict", "--all", "", "",
     "List every raster and number of stages, not only the best of each schedule and tile, in "
     "short form: s stages, w warpgroups, c cluster, o CTAs per SM, i K blocks in flight, e slots "
     "of C "
     "(d: deferred store), m, n or h raster"},
    {"predict", "--wide", "", "", "Print every column, and configurations in long form"},
    {"predict", "--verbose,--rejected", "", "",
     "Print to standard error how many candidates were searched and how many each rule rejected, "
     "with examples"},
    {"explain", "--details", "", "",
     "Print every figure of every kernel, phases, and the parts of the correction"},
    {"explain", "--trace", "FILE", "",
     "Write the simulated timeline of --config, or of the best kernel, to this Perfetto trace"},
    {"predict", "--format", "table|json|csv|jsonl|cutlass", "table",
     "json: a list for several problems or GPUs; jsonl: one line per problem; cutlass: a test list "
     "for CUTLASS's profiler"},
    {"compare", "--format", "table|json|csv|jsonl", "table",
     "json: a list for several problems; jsonl: one line per problem"},
    {"explain", "--format", "table|json|csv|jsonl", "table",
     "csv: a row per kernel, in the columns of predict; jsonl: JSON on one line"},
    {"gpus doctor validate status", "--format", "table|json", "table", ""},
    {"emit", "--out,-o", "FOLDER", "",
     "Folder for the file, created if missing; NAME.cu names the file, - prints it", 0, 0, "", "",
     true},
    {"measure", "--out,-o", "CSV", "",
     "CSV file to write. If it is not given, the result for SHAPE is printed as a table"},
    {"expand", "--out,-o", "CSV", "", "CSV to write instead of standard output"},
    {"plan", "--out,-o", "CSV", "", "Plan to write", 0, 0, "", "", true},
    {"merge", "--out,-o", "CSV", "", "CSV to write; the rows that it already has are kept", 0, 0,
     "", "", true},
    {"slurm", "--out,-o", "CSV", "", "CSV for the merged rows; default: PLAN.rows.csv"},
    {"calibrate", "--out,-o", "YAML", "",
     "Overlay NAME.calibrated.yaml, to be placed next to the GPU's file NAME.yaml; "
     "NAME.learned.yaml and .csv are written next to it"},
    {"report", "--out,-o", "FOLDER", "", "Folder for index.html and report.json; required", 0, 0,
     "", "", true},
    {"micro", "--out,-o", "CSV", "", "CSV to write", 0, 0, "", "", true},
    {"compile", "--out,-o", "CSV", "", "Table of rejections to update", 0, 0, "", "", true},
    {"micro", "--overlay", "YAML", "",
     "Overlay to write, with the measured constants; it takes effect as NAME.calibrated.yaml next "
     "to the GPU file"},
    {"doctor", "--write-gpu", "YAML", "",
     "Write a GPU file NAME.yaml from the driver's data of this machine's GPU, based on the most "
     "similar known GPU"},
    {"emit explain", "--replace,--force", "", "",
     "Overwrite an existing file; for explain that of --trace"},
    {"measure", "--resume", "", "", "Measure only the points that are missing in --out"},
    {"validate", "--worst", "N", "",
     "Number of points with the largest errors, and of worst picks, to list; default: 20 in JSON, "
     "none in the table",
     0, 100'000},
    {"validate", "--check", "FILE", "",
     "Exit with 1 if a figure is worse than recorded in this file"},
    {"validate", "--record", "FILE", "", "Record the headline figures in this file", 0, 0, "",
     "--check"}};

inline constexpr OptionRow kModelOptions[] = {
    {"predict explain validate", "--method", "analytic|simulated", "",
     "simulated, the default for operations with a simulator: simulate the best candidates of the "
     "analytic model; analytic: use only the analytic model"},
    {"predict explain emit", "--objective", "time|energy", "time",
     "time: the fastest first; energy: the least energy first, among the kernels that are too "
     "close to the fastest to call"},
    {"predict", "--simulate", "N", "",
     "Candidates to simulate per schedule; default: 1 to 8, depending on the schedule's chance to "
     "win",
     1, 4096},
    {"predict explain compare validate calibrate", "--threads", "N", "0",
     "Number of threads; 0 for one per processor", 0, kMostThreads},
    {"predict explain emit validate report", "--no-calibration", "", "",
     "Ignore the GPU's calibration"},
    {kJudged, "--no-correction", "", "",
     "Use the calibrated constants without the learned correction"},
    {"calibrate", "--no-simulation", "", "",
     "Fit the learned correction only for the analytic model, which takes a tenth of the time"},
    {"calibrate", "--keep-constants", "", "",
     "Fit only the learned correction again; keep the constants of the overlay --out", 0, 0, "",
     "--run"}};

inline constexpr OptionGroup kOptionGroups[] = {
    {"Problem", kProblemOptions}, {"Mixture of experts", kRoutingOptions},
    {"Points", kPointOptions},    {"Machine", kMachineOptions},
    {"Kernels", kKernelOptions},  {"Measurements", kDataOptions},
    {"Run", kRunOptions},         {"Output", kOutputOptions},
    {"Model", kModelOptions}};

/// Name of an option of the table; any other name does not compile.
class OptionName {
 public:
  consteval OptionName(const char* name) : name_(name) {  // NOLINT(google-explicit-constructor)
    for (const OptionGroup& group : kOptionGroups) {
      for (const OptionRow& row : group.options) {
        if (row.names.substr(0, row.names.find(',')) == name_) {
          return;
        }
      }
    }
    throw "no option of the table";
  }
  constexpr std::string_view text() const { return name_; }

 private:
  std::string_view name_;
};

}  // namespace tilecast
