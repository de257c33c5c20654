// predict --problems: many problems, one after the other, as they are read.
//
// A line of the file (or of standard input, `-`) is one of
//   4096x4096x512:8192:512            a shape, with ranges as suites have them (cli/suite.h)
//   {"m":4096,"n":4096,"k":4096}      or {"shape":"..."}; op, dtype, layout, regime, inputs where
//                                     they differ from the options
//   the lines of a CSV that has the columns m, n, k or shape, and any of the others
// The answers come in the order of the problems, each as soon as those before it are there: a line
// of JSON, or rows of a CSV. A problem that cannot be predicted has an `error` in its place. With
// --shard I/N every N-th problem from the I-th on, so that shards are alike; `index` counts the
// problems of the whole file. Checked by: predict_many_test.cpp.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/spec/cards.h"
#include "model/spec/load_gpu.h"
#include "model/tile/any_op.h"
#include "model/tile/regime.h"
#include "validate/plan/shard.h"

namespace tilecast {

struct ProblemDefaults {
  std::string op = "gemm", dtype = "fp16", layout = "tn", regime = "burst", inputs = "normal";
};

struct ListedProblem {
  std::size_t index = 0;  // in the file, from 1
  std::size_t line = 0;
  AnyProblem problem;
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  std::string error;  // why there is no problem; empty where there is one
};

/// Calls `take` with each problem of the shard as it is read. Throws what `take` throws; a line
/// that is no problem is one with an error.
void read_problems(std::istream& input, const ProblemDefaults& defaults, const Shard& shard,
                   const std::function<void(ListedProblem)>& take);

/// Calls `work` for items on `threads` threads as they are given and `write` with the answers in
/// the order of the items, each as soon as it can be. No more items wait or are in work than a
/// small multiple of the threads. What `work` throws, give or finish throws.
class InOrder {
 public:
  using Work = std::function<std::string()>;

  InOrder(unsigned threads, std::function<void(const std::string&)> write);
  ~InOrder();
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

  void give(Work work);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct ManyOptions {
  std::string problems, shard, format = "jsonl", gpu = "h200_sxm";
  ProblemDefaults defaults;
  std::optional<std::string> method, card;
  std::vector<std::string> schedules;
  std::size_t top = 1;
  unsigned threads = 0;
  bool use_calibration = true;
};

/// The cards of a GPU's kind; nothing where none were compared. Throws ConfigError where `card` is
/// named and is not known.
std::optional<Cards> cards_of(const LoadedGpu& gpu, const std::optional<std::string>& card);

/// Throws Error(kPartial) at the end where problems could not be predicted.
void predict_many(const ManyOptions& options);

}  // namespace tilecast
