// Compares predictions with figures that others have measured or published. A list
// (validate/public_cases.yaml) names the sources. Nothing was fitted to these figures. A kernel
// that tilecast does not have, such as a library's choice, is compared with the top-1 pick of the
// whole search space.
//
// Not modelled: launch gaps other than the one that a source states, and differences in inputs and
// clocks. Checked by: public_cases_test.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/ops/any_op.h"
#include "validate/compare/statistics.h"

namespace tilecast {

struct PublicSource {
  std::string name, gpu;
  /// Format of the file. library: gpu,m,n,k,median_us,... and optionally min_us, bf16 GEMMs of
  /// several collections; xla: gpu,b,m,n,k,flops, b bf16 GEMMs with B as [K,N] and their operations
  /// per second; published:
  /// source,table,gpu,op,shape,dtype,layout,kernel,config_there,config_here,value,unit,regime,
  /// config_there is the document's configuration, and # begins a comment; fused_moe:
  /// gpu,...,M,E,topk,H,N,...,avg_duration, the first bf16 GEMM of an MoE layer;
  /// flash_attention_prefill, _decode, cudnn_prefill, _decode: gpu,library,phase,batch,heads,
  /// kv_heads,queries,keys,head_dim,mask,layout,half,time_us, the rows of the held-out half.
  std::string format, file;
  std::string rows_of;  // value of column gpu in the source's rows
  std::string claim;    // claim of the source
  Seconds gap;          // launch gap included in the source's figures
  double factor;        // time of their kernel / time of tilecast's, if they differ
  // Largest mean error that a test allows; it has a margin, because the test uses a sample of the
  // rows.
  double limit;
  // Number of copies of B that a sequence of equal GEMMs reads in turn (rotated_weights.h); 0 if
  // all operands are read from DRAM.
  i32 copies_of_b = 0;
};

struct PublicCase {
  AnyProblem problem;
  std::string kernel;  // name used by the source
  Seconds claimed;
  std::optional<Seconds> fastest;   // time of the fastest of several collections
  Seconds predicted, low, high;     // predicted time with its 90 % interval
  std::optional<Seconds> roofline;  // roofline_time of the problem
  double error() const { return predicted / claimed - 1; }
};

struct PublicJudgement {
  PublicSource source;
  std::size_t rows = 0;           // number of rows in the file for this GPU
  std::vector<PublicCase> cases;  // cases in file order
  std::optional<ErrorFigures> error;
  std::optional<double> kendall;  // rank correlation of predicted and stated times
};

/// Returns the values of column gpu in a source's file, sorted.
std::vector<std::string> gpus_of_rows(const std::string& file);

/// Throws FileError, or ConfigError `file:line: key: expectation`.
std::vector<PublicSource> load_public_sources(const std::filesystem::path& list);

/// Predicts the source's rows for which `due`, called in order, returns true; if `due` is empty,
/// all rows. Throws the exceptions of load_gpu, and ConfigError `file:line: ...`.
PublicJudgement judge_public(const PublicSource& source, const std::function<bool()>& due = {});

/// Predicts all rows of all sources in a list.
std::vector<PublicJudgement> judge_public_list(const std::filesystem::path& list);

/// Formats Markdown: one row per source, then the cases with the largest errors.
std::string public_table(const std::vector<PublicJudgement>& judgements);
/// {"schema": 1, "sources": [{..., "cases": [...]}]}
nlohmann::ordered_json public_json(const std::vector<PublicJudgement>& judgements);

}  // namespace tilecast
