#include "cli/output_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/problem_text.h"
#include "model/ops/short_config_text.h"
#include "model/rank/bottleneck.h"
#include "model/rank/objective.h"
#include "model/stream/stream_problem_text.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement.h"

namespace tilecast {

std::string micro_text(Seconds time) {
  const double value = microseconds(time);
  return fmt::format("{:.{}f}", value, value < 1e4 ? 2 : value < 1e6 ? 1 : 0);
}

double rounded(double value, int digits) {
  return parse_number(fmt::format("{:.{}g}", value, digits)).value_or(value);
}

namespace {

void add_fields(const GemmProblem& problem, nlohmann::ordered_json& json) {
  json["dtype_c"] = to_text(c_type(problem));
  if (const std::string_view sums = accumulate_text(problem); !sums.empty()) {
    json["accumulate"] = sums;
  }
  json["layout"] = to_text(problem.layout);
  json["epilogue"] = to_text(problem.epilogue);
  json["batch"] = problem.batch.products;
  if (problem.batch.one_a || problem.batch.one_b) {
    json["batch_shares"] =
        std::string(problem.batch.one_a ? "a" : "") + (problem.batch.one_b ? "b" : "");
  }
  if (problem.groups != nullptr) {
    json["groups"] = problem.groups->rows();
    if (grouped_along_k(problem)) {
      json["groups_along"] = "k";
    }
    if (problem.groups->capacity() > 0) {
      json["capacity"] = problem.groups->capacity();
    }
  }
  for (const auto& [name, value] : {std::pair{"lda", problem.leading.a},
                                    {"ldb", problem.leading.b},
                                    {"ldc", problem.leading.c}}) {
    if (value != 0) {
      json[name] = value;
    }
  }
}
/// Other ops use the columns of their table.
template <class Problem>
void add_fields(const Problem& problem, nlohmann::ordered_json& json) {
  for (const auto& field : fields_of(problem)) {
    const std::string text = field.text(problem);
    const std::optional<i64> number = parse_integer(text);
    json[std::string(field.name)] =
        number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(text);
  }
}

}  // namespace

nlohmann::ordered_json problem_json(const AnyProblem& problem) {
  nlohmann::ordered_json json = {{"op", to_text(op_of(problem))}};
  const std::array<i64, 3> sides = sides_of(problem);
  for (std::size_t i = 0; i < sides.size() && sides[i] != 0; ++i) {
    json[traits_of(op_of(problem)).side_names[i]] = sides[i];
  }
  json["dtype"] = to_text(dtype_of(problem));
  std::visit([&](const auto& own) { add_fields(own, json); }, problem);
  return json;
}

std::string csv_titles(std::string_view columns) {
  std::vector<std::string> names;
  for (const std::string_view column : split(columns, ',')) {
    names.emplace_back(column.substr(0, column.find('=')));
  }
  return join(names, ",");
}

namespace {

/// Returns "3 7" for a list of numbers.
std::string numbers_text(const nlohmann::ordered_json& numbers) {
  std::vector<std::string> texts;
  for (const nlohmann::ordered_json& number : numbers) {
    texts.push_back(number.dump());
  }
  return join(texts, " ");
}

}  // namespace

std::string csv_cells(const nlohmann::ordered_json& object, std::string_view columns) {
  using Json = nlohmann::ordered_json;
  std::string cells;
  for (const std::string_view column : split(columns, ',')) {
    const std::size_t equals = column.find('=');
    const Json::json_pointer field(equals == column.npos ? "/" + std::string(column)
                                                         : std::string(column.substr(equals + 1)));
    const Json value = object.value(field, Json());
    cells += "," + (value.is_null()           ? ""
                    : value.is_string()       ? csv_field(value.get<std::string>())
                    : value.is_boolean()      ? (value.get<bool>() ? "1" : "0")
                    : value.is_number_float() ? fmt::format("{:.6g}", value.get<double>())
                    : value.is_array()        ? numbers_text(value)
                                              : value.dump());
  }
  return cells.substr(1);
}

namespace {

constexpr int kKernelDigits = 6;

double rounded_micro(Seconds time) { return rounded(microseconds(time), kKernelDigits); }

}  // namespace

nlohmann::ordered_json timing_json(const Prediction& p) {
  return {{"method", to_text(p.method)},
          {"cycles", rounded(p.cycles.value, kKernelDigits)},
          {"sm_clock_mhz", rounded(p.sm_clock.value * 1e-6, kKernelDigits)},
          {"time_us", rounded_micro(p.time)},
          {"limiter", to_text(p.limiter)}};
}

nlohmann::ordered_json kernel_json(const Prediction& p) {
  nlohmann::ordered_json json = {{"config", to_text(p.config)}};
  json.update(timing_json(p));
  json["interval_us"] = {rounded_micro(p.interval_low), rounded_micro(p.interval_high)};
  json["extrapolated"] = p.extrapolated;
  json["tflops"] = rounded(p.tflops, kKernelDigits);
  json["power_w"] = rounded(p.power.value, kKernelDigits);
  json["energy_mj"] = rounded(energy_of(p).value * 1e3, kKernelDigits);
  return json;
}

nlohmann::ordered_json shares_json(const Shares& shares, int digits) {
  return {{"tensor", rounded(shares.tensor, digits)},
          {"shared_memory", rounded(shares.shared_memory, digits)},
          {"sm_intake", rounded(shares.sm_intake, digits)},
          {"l2", rounded(shares.l2, digits)},
          {"dram", rounded(shares.dram, digits)}};
}

std::string four_digits(double value) {
  const int before = value >= 1 ? static_cast<int>(std::log10(value)) + 1 : 1;
  return fmt::format("{:.{}f}", value, std::max(0, 4 - before));
}

std::string more_percent(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

namespace {

/// "64 groups, 39 to 83 rows".
std::string groups_text(const GroupRows& groups, const std::optional<Routing>& routing) {
  const auto [least, most] = std::ranges::minmax(groups.rows());
  std::string text = fmt::format("{}, {}{} rows{}", counted(groups.rows().size(), "group"),
                                 least == most ? "" : with_commas(least) + " to ",
                                 with_commas(most), least == most ? " each" : "");
  if (groups.capacity() > 0) {
    text += fmt::format(" of {}", with_commas(groups.capacity()));
  }
  if (routing) {
    text += fmt::format(" ({} tokens, top {}, {})", with_commas(routing->tokens), routing->top_k,
                        routing->zipf > 0 ? fmt::format("zipf:{:g}", routing->zipf) : "uniform");
  }
  return text;
}

std::string sides_title(const GemmProblem& p, const std::optional<Routing>& routing) {
  const auto& [m, n, k] = p.shape;
  if (p.groups != nullptr) {
    const std::string groups = groups_text(*p.groups, routing);
    return grouped_along_k(p) ? fmt::format("Grouped GEMM: M {}, N {}, K in {}", m, n, groups)
                              : fmt::format("Grouped GEMM: {}, N {}, K {}", groups, n, k);
  }
  if (p.batch.products == 1) {
    return fmt::format("GEMM {} x {} x {}", m, n, k);
  }
  return fmt::format("{} GEMMs {} x {} x {}{}{}", with_commas(p.batch.products), m, n, k,
                     p.batch.one_a ? ", one A" : "", p.batch.one_b ? ", one B" : "");
}

/// "A [M,K] (4096,1)": the layout in memory, with its strides.
std::string matrix_text(char name, const char* sides, i64 columns, i64 leading) {
  return fmt::format("{} [{}] ({},1)", name, sides, leading != 0 ? leading : columns);
}

std::string title_of(const GemmProblem& p) { return sides_title(p, {}); }
std::string title_of(const StreamProblem& p) {
  return fmt::format("{} {}, {}", to_text(p.op), shape_text(p), to_text(p.dtype));
}

std::string tile_text(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  return fmt::format("{}x{}x{}", t.block_m, t.block_n, t.block_k);
}
std::string tile_text(const StreamConfig& config) {
  return fmt::format("{}x{}", config.block_rows, config.block_columns);
}

std::string kernel_text(const KernelConfig& config) {
  return fmt::format(
      "{}, tile {}{}, cluster {}{}", field_name(config), tile_text(config),
      has_ring(config.schedule) ? fmt::format(", {} stages", config.tiling.stages) : "",
      cluster_text(config), options_text(config));
}
std::string kernel_text(const StreamConfig& config) {
  return fmt::format("{}, block {}", field_name(config), tile_text(config));
}

constexpr bool is_rated_in_bytes(const GemmProblem&) { return false; }
constexpr bool is_rated_in_bytes(const StreamProblem&) { return true; }

constexpr std::pair<ClockLimiter, const char*> kHolders[] = {
    {ClockLimiter::kHighestClock, "the clock is at its maximum,"},
    {ClockLimiter::kTensorPlateau, "tensor work holds the clock at"},
    {ClockLimiter::kBurstPower, "power holds the clock at"},
    {ClockLimiter::kSustainedPower, "the power cap holds the clock at"}};

constexpr std::pair<Limiter, const char*> kBounds[] = {
    {Limiter::kTensor, "tensor cores"},
    {Limiter::kSharedMemory, "shared memory"},
    {Limiter::kSmIntake, "SM fill"},
    {Limiter::kL2, "L2"},
    {Limiter::kDram, "DRAM"},
    {Limiter::kLatency, "load latency"},
    {Limiter::kInstructions, "instruction issue"},
    {Limiter::kEpilogue, "the epilogue"},
    {Limiter::kReduction, "the reduction of partial results"},
    {Limiter::kLaunch, "launch and end"}};

}  // namespace

std::string problem_title(const AnyProblem& problem, const std::optional<Routing>& routing) {
  const GemmProblem* p = std::get_if<GemmProblem>(&problem);
  if (p == nullptr) {
    return std::visit([](const auto& own) { return title_of(own); }, problem);
  }
  const LeadingDimensions& leading = p->leading;
  return fmt::format(
      "{}, {}, {}{}{}: {}, {}{}", sides_title(*p, routing), types_text(*p), to_text(p->layout),
      p->accumulate == Accumulate::kExact ? ", exact sums" : "",
      fuses(p->epilogue) ? ", " + to_text(p->epilogue) : "",
      matrix_text('A', a_is_k_major(p->layout) ? "M,K" : "K,M", sides_of_a(*p).columns, leading.a),
      matrix_text('B', b_is_k_major(p->layout) ? "N,K" : "K,N", sides_of_b(*p).columns, leading.b),
      leading.c != 0 ? ", " + matrix_text('C', "M,N", 0, leading.c) : "");
}

std::string without_groups(std::string_view text) {
  const std::size_t begin = text.find('['), end = text.find(']');
  if (begin == text.npos || end == text.npos || end < begin + 16 ||
      text.substr(begin + 1, end - begin - 1).find_first_not_of("0123456789,*/") != text.npos) {
    return std::string(text);
  }
  i64 groups = 0;
  for (const std::string_view rows : split(text.substr(begin + 1, end - begin - 1), ',')) {
    const std::size_t times = rows.find('*');
    groups += times == rows.npos ? 1 : parse_integer(rows.substr(0, times)).value_or(1);
  }
  return fmt::format("{}[{} groups{}", text.substr(0, begin), groups, text.substr(end));
}

std::string conditions_title(const GpuSpec& gpu, bool calibrated, Regime regime, Inputs inputs) {
  return fmt::format("{}, {}; {} clock, cold L2, {} inputs", gpu.product,
                     calibrated  ? "calibrated"
                     : gpu.wgmma ? "not calibrated"
                                 : "not calibrated, no kernel of tilecast measured",
                     to_text(regime), inputs == Inputs::kZeros ? "all-zero" : to_text(inputs));
}

nlohmann::ordered_json copies_json(const OperandCopies& copies) {
  return {{"a", copies.operands.a},
          {"b", copies.operands.b},
          {"bytes", rounded(copies.bytes.value, 6)},
          {"time_us", rounded(microseconds(copies.time), 6)}};
}

std::string copied_words(const CopiedOperands& operands) {
  return operands.a && operands.b ? "A and B are" : operands.a ? "A is" : "B is";
}

std::string shown_limiter(std::string_view word) {
  std::string shown(word);
  std::ranges::replace(shown, '_', ' ');
  return shown == "sm intake" ? "SM fill" : shown == "l2" ? "L2" : shown == "dram" ? "DRAM" : shown;
}

std::string bound_text(const GpuSpec& gpu, const Prediction& p) {
  const char* const name =
      std::ranges::find(kBounds, p.limiter, [](const auto& row) { return row.first; })->second;
  if (p.limiter == Limiter::kDram && gpu.dram) {
    const double rate = (p.dram_read + p.dram_write).value / p.time.value;
    const double peak = highest_dram_rate(gpu).value;
    return fmt::format("{} ({:.0f} % of peak, {:.3g} of {:.3g} TB/s)", name, 100 * rate / peak,
                       rate * 1e-12, peak * 1e-12);
  }
  const std::optional<double> share = share_of(p.shares, p.limiter);
  return share ? fmt::format("{} ({:.0f} % of peak{})", name, 100 * *share,
                             p.limiter == Limiter::kTensor ? " at this clock" : "")
               : name;
}

std::string clock_text(const Prediction& p, bool calibrated) {
  return fmt::format(
      "{} {:.2f} GHz{}",
      std::ranges::find(kHolders, p.clock_limiter, [](const auto& row) { return row.first; })
          ->second,
      p.sm_clock.value * 1e-9, calibrated ? "" : " (not measured)");
}

std::string floor_text(const GpuSpec& gpu, const AnyProblem& problem, const Prediction& p) {
  if (p.limiter != Limiter::kDram || !gpu.dram) {
    return "";
  }
  const double bytes = least_bytes(problem), rate = highest_dram_rate(gpu).value;
  return fmt::format(
      "lower bound: {} once at {:.3g} TB/s takes {} us ({:.0f} % reached)",
      bytes < 1e9 ? four_digits(bytes * 1e-6) + " MB" : four_digits(bytes * 1e-9) + " GB",
      rate * 1e-12, four_digits(bytes / rate * 1e6), 100 * bytes / rate / p.time.value);
}

std::string memory_text(const GpuSpec& gpu, const AnyProblem& problem) {
  constexpr double kGibi = 1024.0 * 1024 * 1024;
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  const double bytes = gemm != nullptr ? bytes_of_a(*gemm) + bytes_of_b(*gemm) + bytes_of_c(*gemm)
                                       : least_bytes(problem);
  const double most = gpu.dram->capacity.value;
  return bytes <= most ? ""
                       : fmt::format("{} need {:.0f} GiB, this GPU has {:.0f} GiB",
                                     gemm != nullptr ? "A, B and C" : "inputs and result",
                                     bytes / kGibi, most / kGibi);
}

bool is_rated_in_bytes(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return is_rated_in_bytes(own); }, problem);
}

bool is_emitted(const AnyProblem& problem) {
  return !std::holds_alternative<StreamProblem>(problem);
}

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string tile_text(const AnyConfig& config) {
  return std::visit([](const auto& own) { return tile_text(own); }, config);
}

std::string cluster_text(const AnyConfig& config) {
  const KernelConfig* gemm = std::get_if<KernelConfig>(&config);
  return gemm == nullptr ? ""
                         : fmt::format("{}x{}", gemm->tiling.cluster_m, gemm->tiling.cluster_n);
}

std::string options_text(const AnyConfig& config) {
  const KernelConfig* gemm = std::get_if<KernelConfig>(&config);
  return gemm == nullptr
             ? ""
             : fmt::format("{}{}", gemm->store == Store::kDeferred ? ", deferred store" : "",
                           gemm->operands == OperandOrder::kSwapped ? ", A and B swapped" : "");
}

std::string kernel_text(const AnyConfig& config) {
  return std::visit([](const auto& own) { return kernel_text(own); }, config);
}

}  // namespace tilecast
