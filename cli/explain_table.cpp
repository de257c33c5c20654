#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "cli/explain_output.h"
#include "cli/explain_stream.h"
#include "cli/output_parts.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/predict/why_extrapolated.h"

namespace tilecast {
namespace {

constexpr std::size_t kLabel = 24, kValue = 14, kSideBySide = (kColumns - kLabel) / kValue;

/// A kernel and the letter it goes by.
struct Named {
  std::string name;
  const Explanation* kernel;
};

using Value = std::function<std::string(const Explanation&)>;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string gigabytes(Bytes bytes) { return fmt::format("{:.3f} GB", bytes.value * 1e-9); }
std::string kilo(Cycles cycles) {
  constexpr double kManyDigits = 1e6;
  const double value = cycles.value * 1e-3;
  return fmt::format("{:.{}f}", value, value < kManyDigits ? 1 : 0);
}

/// The rows of one table of kernels side by side.
class Rows {
 public:
  explicit Rows(std::vector<Named> kernels) : kernels_(std::move(kernels)) {
    add_cells("", [](const Named& n) { return n.name; });
  }

  void heading(std::string_view text) { text_ += fmt::format("\n{}\n", text); }

  void row(std::string_view label, const Value& value) {
    add_cells("  " + std::string(label), [&](const Named& n) { return value(*n.kernel); });
  }
  /// Of simulated kernels; left out where none is.
  void watched(std::string_view label, const std::function<std::string(const Watched&)>& value) {
    if (std::ranges::any_of(kernels_,
                            [](const Named& n) { return n.kernel->watched.has_value(); })) {
      row(label, [&](const Explanation& e) { return e.watched ? value(*e.watched) : "-"; });
    }
  }
  const std::vector<Named>& kernels() const { return kernels_; }
  std::string text() const { return text_; }

 private:
  void add_cells(const std::string& label, const std::function<std::string(const Named&)>& cell) {
    text_ += fmt::format("{:<{}}", label, kLabel);
    for (const Named& n : kernels_) {
      text_ += fmt::format("{:>{}}", cell(n), kValue);
    }
    text_ += "\n";
  }

  std::vector<Named> kernels_;
  std::string text_;
};

void add_speed(Rows& rows, bool gemm) {
  rows.row("time, us", [](const auto& e) { return micro_text(e.predicted.time); });
  rows.row("  by closed form", [](const auto& e) { return micro_text(e.closed_form.time); });
  if (rows.kernels().front().kernel->copies) {
    rows.row("  copies of operands", [](const auto& e) { return micro_text(e.copies->time); });
  }
  rows.row("kcycles", [](const auto& e) { return kilo(e.predicted.cycles); });
  rows.row("  by closed form", [](const auto& e) { return kilo(e.closed_form.cycles); });
  rows.row("method", [](const auto& e) { return std::string(to_text(e.predicted.method)); });
  rows.row("SM clock, GHz",
           [](const auto& e) { return fmt::format("{:.3f}", e.predicted.sm_clock.value * 1e-9); });
  rows.row("  held by", [](const auto& e) {
    std::string text(to_text(e.clock_limiter));
    std::ranges::replace(text, '_', ' ');
    return text == "tensor plateau" ? "plateau" : text == "sustained power" ? "power cap" : text;
  });
  rows.row("power, W",
           [](const auto& e) { return fmt::format("{:.0f}", e.predicted.power.value); });
  if (gemm) {
    rows.row("TFLOPS", [](const auto& e) { return fmt::format("{:.1f}", e.predicted.tflops); });
  }
}

/// Of memory-bound kernels.
void add_memory(Rows& rows, const ExplainReport& report) {
  const auto row = [&](std::string_view label, const std::function<std::string(StreamStory)>& of) {
    rows.row(label, [&](const Explanation& e) { return of(*stream_story(report, e)); });
  };
  rows.heading("memory, by closed form");
  row("TB/s", [](const StreamStory& s) { return fmt::format("{:.3f}", s.tb_per_s); });
  row("of the datasheet rate", [](const StreamStory& s) { return percent(s.shares.of_datasheet); });
  row("of measured rates", [](const StreamStory& s) { return percent(s.shares.of_measured); });
  row("DRAM alone, us", [](const StreamStory& s) { return micro_text(s.parts.dram); });
  row("loads alone, us", [](const StreamStory& s) { return micro_text(s.parts.flight); });
  row("in flight per SM", [](const StreamStory& s) {
    return fmt::format("{:.0f} KiB", s.parts.in_flight.value / 1024);
  });
  const std::vector<NamedLoss> losses = named_losses({});
  for (std::size_t i = 0; i < losses.size(); ++i) {
    row(fmt::format("DRAM rate, by {}", losses[i].name), [i](const StreamStory& s) {
      const double lost = named_losses(s.parts.losses)[i].share;
      return lost == 0 ? percent(0) : fmt::format("{:+.1f} %", -100 * lost);
    });
  }
}

/// Of any of the kernels: the first one's in order of what they save, then the others'.
std::vector<Limiter> parts_that_save(const std::vector<Named>& kernels) {
  std::vector<Limiter> parts;
  for (const Named& n : kernels) {
    for (const Elimination& e : n.kernel->without) {
      if (std::ranges::find(parts, e.part) == parts.end()) {
        parts.push_back(e.part);
      }
    }
  }
  return parts;
}

void add_limits(Rows& rows) {
  const std::vector<Limiter> parts = parts_that_save(rows.kernels());
  rows.heading(parts.empty() ? "limiter"
                             : "limiter, and time saved if a part were infinitely fast");
  rows.row("limiter", [](const auto& e) { return shown_limiter(to_text(e.predicted.limiter)); });
  for (const Limiter part : parts) {
    rows.row("  " + shown_limiter(to_text(part)), [&](const Explanation& e) {
      const auto own = std::ranges::find(e.without, part, &Elimination::part);
      return own == e.without.end() ? "-" : percent(1 - own->cycles / e.predicted.cycles);
    });
  }
}

/// Of kernels that take as long without their limiter.
std::string no_single_limit(const std::vector<Named>& kernels) {
  constexpr double kNothing = 0.01;  // of the time
  std::string text;
  for (const Named& n : kernels) {
    const Prediction& p = n.kernel->predicted;
    const auto own = std::ranges::find(n.kernel->without, p.limiter, &Elimination::part);
    const double saved = own == n.kernel->without.end() ? 0 : 1 - own->cycles / p.cycles;
    if (saved < kNothing) {
      text += wrapped("",
                      fmt::format("{}: no single limit; with {} infinitely fast it takes as long, "
                                  "within 1 %.",
                                  n.name, shown_limiter(to_text(p.limiter))),
                      " ");
    }
  }
  return text.empty() ? "" : "\n" + text;
}

std::string why_more_sectors(const std::vector<Named>& kernels) {
  const bool more = std::ranges::any_of(kernels, [](const Named& n) {
    return n.kernel->watched && n.kernel->watched->l2_output > n.kernel->predicted.l2_to_sm;
  });
  return more ? "\n" + wrapped("",
                               "L2 puts out whole 32-byte sectors: rows that begin inside one take "
                               "more of them than they fill.",
                               " ")
              : "";
}

void add_shares(Rows& rows) {
  rows.heading("busy, share of the kernel's time");
  rows.row("tensor", [](const auto& e) { return percent(e.predicted.shares.tensor); });
  rows.row("shared memory",
           [](const auto& e) { return percent(e.predicted.shares.shared_memory); });
  rows.row("SM intake", [](const auto& e) { return percent(e.predicted.shares.sm_intake); });
  rows.row("L2", [](const auto& e) { return percent(e.predicted.shares.l2); });
  rows.row("DRAM", [](const auto& e) { return percent(e.predicted.shares.dram); });
}

void add_time(Rows& rows) {
  if (std::ranges::none_of(rows.kernels(),
                           [](const Named& n) { return n.kernel->watched.has_value(); })) {
    return;
  }
  rows.heading("SMs' time, mean over the chip");
  const auto part = [&](std::string_view label, double TimeSplit::*share) {
    rows.watched(label, [share](const Watched& w) { return percent(w.time.*share); });
  };
  part("start", &TimeSplit::start);
  part("multiply", &TimeSplit::multiply);
  part("between tiles", &TimeSplit::between);
  part("end and tail", &TimeSplit::end);
  rows.watched("median tile, us", [](const Watched& w) { return micro_text(w.median_tile); });
}

void add_waves(Rows& rows) {
  rows.heading("waves and occupancy");
  rows.row("CTAs that fit an SM", [](const auto& e) { return std::to_string(e.ctas_per_sm); });
  if (!rows.kernels().front().kernel->waves) {
    return;
  }
  rows.row("resident CTAs", [](const auto& e) { return std::to_string(e.waves->ctas); });
  rows.row("tiles", [](const auto& e) { return std::to_string(e.waves->tiles); });
  rows.row("K blocks per tile", [](const auto& e) { return std::to_string(e.waves->k_blocks); });
  rows.row("waves", [](const auto& e) { return fmt::format("{:.2f}", e.waves->waves); });
  rows.row("tiles in the last wave",
           [](const auto& e) { return std::to_string(e.waves->in_last_wave); });
  if (rows.kernels().front().kernel->waves->rows_of_no_group) {
    rows.row("rows of no group", [](const auto& e) { return percent(*e.waves->rows_of_no_group); });
  }
}

/// What groups cost, of the kernel's cycles.
void add_groups(Rows& rows, const ExplainReport& report) {
  if (!rows.kernels().front().kernel->groups) {
    return;
  }
  const bool along_k = grouped_along_k(std::get<GemmProblem>(report.problem));
  rows.heading("groups");
  const auto part = [&](std::string_view label, double GroupParts::*share) {
    rows.row(label, [share](const auto& e) { return percent((*e.groups).*share); });
  };
  part(along_k ? "equal, whole K blocks" : "as one product", &GroupParts::alike);
  if (!along_k) {
    part("a B for each", &GroupParts::own_b);
  }
  part(along_k ? "partial K blocks" : "partial tiles", &GroupParts::partial);
  part("imbalance", &GroupParts::imbalance);
}

void add_bytes(Rows& rows) {
  rows.heading("bytes");
  rows.watched("operand reads", [](const Watched& w) { return gigabytes(w.operand_reads); });
  rows.watched("SM intake", [](const Watched& w) { return gigabytes(w.sm_intake); });
  rows.row("L2 to SMs", [](const auto& e) { return gigabytes(e.predicted.l2_to_sm); });
  rows.watched("L2 sectors, merged", [](const Watched& w) { return gigabytes(w.l2_output); });
  rows.row("DRAM read", [](const auto& e) { return gigabytes(e.predicted.dram_read); });
  rows.row("DRAM write", [](const auto& e) { return gigabytes(e.predicted.dram_write); });
  rows.row("L2 hit rate", [](const auto& e) { return percent(e.predicted.l2_hit_rate); });
  rows.watched("from the far half",
               [](const Watched& w) { return percent(w.l2_far / w.l2_output); });
}

void add_energy(Rows& rows) {
  rows.heading("energy");
  rows.row("per run, mJ",
           [](const auto& e) { return fmt::format("{:.2f}", e.energy.total().value * 1e3); });
  const auto part = [&](std::string_view label, Joules EnergySplit::*source) {
    rows.row(label, [source](const Explanation& e) {
      return percent(e.energy.*source / e.energy.total());
    });
  };
  part("tensor", &EnergySplit::tensor);
  part("shared memory", &EnergySplit::shared_memory);
  part("L2", &EnergySplit::l2);
  part("DRAM", &EnergySplit::dram);
  part("idle chip", &EnergySplit::idle);
}

std::string phase_table(const Named& named) {
  const std::vector<Phase>& phases = named.kernel->watched->phases;
  const double end = phases.empty() ? 0 : phases.back().end.value;
  const auto [unit, per_second] = end < 0.1   ? std::pair("us", 1e6)
                                  : end < 100 ? std::pair("ms", 1e3)
                                              : std::pair("s", 1.0);
  std::string text =
      fmt::format("\n{:<{}}", fmt::format("{}: busy %, until {}", named.name, unit), kLabel);
  for (const Phase& phase : phases) {
    const double until = phase.end.value * per_second;
    text += fmt::format("{:>7.{}f}", until, until < 100 ? 1 : 0);
  }
  text += "\n";
  const auto row = [&](std::string_view label, double Shares::*part) {
    text += fmt::format("  {:<{}}", label, kLabel - 2);
    for (const Phase& phase : phases) {
      text += fmt::format("{:>7.0f}", 100 * (phase.busy.*part));
    }
    text += "\n";
  };
  row("tensor", &Shares::tensor);
  row("shared memory", &Shares::shared_memory);
  row("SM intake", &Shares::sm_intake);
  row("L2", &Shares::l2);
  row("DRAM", &Shares::dram);
  text += fmt::format("  {:<{}}", "SM clock, MHz", kLabel - 2);
  for (const Phase& phase : phases) {
    text += fmt::format("{:>7.0f}", phase.sm_clock.value * 1e-6);
  }
  return text + "\n";
}

/// What measured kernels change about the physics' own prediction, and which ones.
std::string learned_table(const ExplainReport& report, const Named& named) {
  const Explanation& e = *named.kernel;
  const auto more = [](double factor) { return fmt::format("{:+.1f} %", 100 * (factor - 1)); };
  // Of other data nothing was learned but the cycles.
  const bool has_clock = report.inputs == Inputs::kNormal;
  const auto both = [&](double cycles, double clock) {
    return "cycles " + more(cycles) + (has_clock ? ", clock " + more(clock) : "");
  };
  std::string text =
      "\n" + wrapped("",
                     fmt::format("{}, learned from measured kernels{}: {} over physics alone",
                                 named.name, has_clock ? "" : " with normal inputs",
                                 both(e.predicted.cycles_correction, e.predicted.clock_correction)),
                     " ");
  if (e.predicted.extrapolated) {
    text += wrapped(
        "  ",
        "extrapolated: " + why_extrapolated(report.gpu.spec, std::get<GemmProblem>(report.problem)),
        " ");
  }
  const std::size_t nearest = e.learned_from.nearest.size();
  if (nearest > 0) {
    text += wrapped(
        "  ",
        fmt::format(
            "from {}, weighted by likeness, of which {} of 0.7 or more; the "
            "nearest, as measured over physics alone (+: more cycles{}):",
            counted(e.learned_from.rows, "row"),
            e.learned_from.similar == 1 ? "1 is" : fmt::format("{} are", e.learned_from.similar),
            has_clock ? ", a higher clock" : ""),
        " ");
  }
  for (const LearnedReason& reason : e.learned_from.nearest) {
    text += wrapped(
        "  ",
        fmt::format("likeness {:.2f}: {}, {}{}{}: {}", reason.likeness, reason.row->problem,
                    to_text(reason.row->regime), reason.gpu.empty() ? "" : " on ", reason.gpu,
                    both(std::exp(reason.cycles_off), std::exp(reason.clock_off))),
        " ");
    text += wrapped("            ", reason.row->config, ":,");
  }
  return text;
}

std::vector<Named> named(const ExplainReport& report) {
  std::vector<Named> all;
  bool has_best = false;
  for (const Explanation& e : report.kernels) {
    const char letter = static_cast<char>('A' + all.size() % 26);
    const bool best = report.best && is_best(e, *report.best);
    has_best = has_best || best;
    all.push_back({fmt::format("{}{}", letter, best ? " = best" : ""), &e});
  }
  if (report.best && !has_best) {
    all.push_back({"best", &*report.best});
  }
  return all;
}

}  // namespace

std::string explain_table(const ExplainReport& report) {
  std::string text =
      wrapped("",
              fmt::format("{} on {}: {}, {} inputs, {}calibrated", to_text(report.problem),
                          report.gpu.spec.product, to_text(report.regime),
                          report.inputs == Inputs::kZeros ? "all-zero" : to_text(report.inputs),
                          report.gpu.calibrated ? "" : "not "),
              " ");
  text += "\n";
  const std::vector<Named> all = named(report);
  for (const Named& n : all) {
    text += wrapped(fmt::format("{:<9}", n.name), to_text(n.kernel->predicted.config), ":,");
  }
  if (report.is_runner_up) {
    text += wrapped("", "A is the fastest of the other schedules.", " ");
  }
  for (std::size_t first = 0; first < all.size(); first += kSideBySide) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end =
        all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), first + kSideBySide));
    text += "\n";
    Rows rows({begin, end});
    const bool gemm = op_of(report.problem) == Op::kGemm;
    add_speed(rows, gemm);
    if (!gemm) {
      add_memory(rows, report);
    }
    add_limits(rows);
    add_shares(rows);
    add_time(rows);
    add_waves(rows);
    add_groups(rows, report);
    add_bytes(rows);
    add_energy(rows);
    text += rows.text();
  }
  text += no_single_limit(all) + why_more_sectors(all);
  for (const Named& n : all) {
    text += n.kernel->watched ? phase_table(n) : "";
    const bool learned =
        !n.kernel->learned_from.nearest.empty() || n.kernel->predicted.extrapolated;
    text += learned ? learned_table(report, n) : "";
  }
  if (const auto& copies = all.front().kernel->copies) {
    text += "\n" + wrapped("",
                           fmt::format("{} copied into rows of whole 16 bytes before the kernel, "
                                       "{:.3g} MB read and written. Busy shares, waves, bytes, "
                                       "energy and phases are the kernel's.",
                                       copied_words(copies->operands), copies->bytes.value * 1e-6),
                           " ");
  }
  if (is_fp8(dtype_of(report.problem))) {
    text += "\nfp8 is modelled as a 16-bit GEMM of half the K.\n";
  }
  for (std::size_t i = 0; report.best && i < report.kernels.size(); ++i) {
    if (!is_best(report.kernels[i], *report.best)) {
      text += "\n";
      std::string name = all[i].name;
      for (const std::string& sentence : why_not_best(report, report.kernels[i], *report.best)) {
        text += wrapped(fmt::format("{:<9}", std::exchange(name, "")), sentence, " ");
      }
    }
  }
  return text;
}

}  // namespace tilecast
