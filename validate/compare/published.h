// Figures printed in public documents, and the kernels of ours that correspond to them: CSV with
// the columns source, table, gpu, op, shape, dtype, layout, kernel, config_there, config_here,
// value, unit, regime; lines that begin with # are remarks. `gpu` is a name in configs/gpus;
// `config_there` is the kernel there in our words, empty where it is none of ours; `config_here`
// the one that is laid beside it on Hopper, or a baseline's name.
// Checked by: published_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tile/any_op.h"
#include "model/tile/regime.h"

namespace tilecast {

enum class FigureUnit { kTflops, kTebibytesPerSecond, kMicroseconds, kHitPercent };

struct PublishedFigure {
  std::string source, table, gpu;
  AnyProblem problem;
  std::string kernel;                     // as the document calls it
  std::string config_there, config_here;  // canonical texts; may be empty
  double value;
  FigureUnit unit;
  Regime regime = Regime::kSustained;  // in which the document's program times its kernels
};

/// Throws ConfigError `name:line: column: what was expected`.
std::vector<PublishedFigure> parse_published(std::string_view text, std::string_view name);

std::string_view to_text(FigureUnit unit);

/// The problem as our kernel there takes it: Blackwell's take B as [N,K] alone, whatever the
/// document did.
AnyProblem problem_there(const PublishedFigure& figure);

}  // namespace tilecast
