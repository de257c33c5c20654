#include "model/gemm/rules/compiler_rejections.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/base/words.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast {
namespace {

constexpr std::string_view kFile = "compiler_rejections.csv";
constexpr std::array<std::string_view, 4> kReasons{"spills", "wgmma_serialized",
                                                   "setmaxnreg_ignored", "error"};
constexpr std::array<std::string_view, 6> kArchitectureWords{
    "ampere", "ada", "hopper", "blackwell", "blackwell_rtx", "fictional"};
constexpr i32 kMostNumber = 1 << 20;

constexpr Words<bool, 2> kOrders{{{false, "bands"}, {true, "hilbert"}}};
constexpr Words<OperandSource, 2> kSources{
    {{OperandSource::kShared, "shared"}, {OperandSource::kRegisters, "registers"}}};
constexpr Words<Store, 2> kStoreWords{
    {{Store::kAtTileEnd, "tile_end"}, {Store::kDeferred, "deferred"}}};
constexpr Words<OperandOrder, 2> kOperandOrders{
    {{OperandOrder::kInOrder, "in_order"}, {OperandOrder::kSwapped, "swapped"}}};
enum class Products : i32 { kOne, kBatch, kGroups, kGroupsOfK };
constexpr Words<Products, 4> kProductWords{{{Products::kOne, "one"},
                                            {Products::kBatch, "batch"},
                                            {Products::kGroups, "groups"},
                                            {Products::kGroupsOfK, "k_groups"}}};

Products products_of(const GemmProblem& problem) {
  return grouped_along_m(problem)     ? Products::kGroups
         : grouped_along_k(problem)   ? Products::kGroupsOfK
         : problem.batch.products > 1 ? Products::kBatch
                                      : Products::kOne;
}

/// Column of a part, and conversions for values that are words.
struct Column {
  std::string_view name;
  i32 (*parse)(std::string_view) = nullptr;
  std::string (*text)(i32) = nullptr;
};

template <const auto& words>
constexpr Column worded(std::string_view name) {
  using Enum = decltype(words.front().first);
  return {name,
          [](std::string_view text) { return static_cast<i32>(value_of(words, "word", text)); },
          [](i32 value) { return std::string(word_of(words, static_cast<Enum>(value))); }};
}

/// A column whose type has both conversions.
template <class T, T (*parse)(std::string_view)>
constexpr Column parsed(std::string_view name) {
  return {name, [](std::string_view text) { return static_cast<i32>(parse(text)); },
          [](i32 value) { return std::string(to_text(static_cast<T>(value))); }};
}

constexpr Column kColumns[kVariantParts] = {
    {"schedule",
     [](std::string_view text) { return static_cast<i32>(kernel_of(parse_schedule(text))); },
     [](i32 value) { return std::string(to_text(static_cast<Schedule>(value))); }},
    {"block_m"},
    {"block_n"},
    {"block_k"},
    {"stages"},
    {"warpgroups_m"},
    {"warpgroups_n"},
    {"cluster_m"},
    {"cluster_n"},
    {"ctas"},
    {"inflight"},
    {"c_slots"},
    {"producer"},
    {"instruction_n"},
    worded<kSources>("a"),
    worded<kOrders>("order"),
    worded<kStoreWords>("store"),
    worded<kOperandOrders>("operands"),
    {"dtype", [](std::string_view text) { return static_cast<i32>(parse_element_type(text)); },
     [](i32 value) { return std::string(to_text(static_cast<ElementType>(value))); }},
    parsed<ElementType, parse_element_type>("dtype_c"),
    parsed<Accumulate, parse_accumulate>("accumulate"),
    parsed<Layout, parse_layout>("layout"),
    {"epilogue", [](std::string_view text) { return parse_epilogue(text).number(); },
     [](i32 value) { return to_text(Epilogue::of_number(value)); }},
    worded<kProductWords>("products")};

std::vector<std::string_view> columns() {
  std::vector<std::string_view> names{"architecture"};
  for (const Column& column : kColumns) {
    names.push_back(column.name);
  }
  names.insert(names.end(), {"compiler", "reason"});
  return names;
}

std::string joined(std::span<const std::string_view> words, std::string_view separator) {
  const std::vector<std::string> copies(words.begin(), words.end());
  return join(copies, separator);
}

/// Reads the fields of one line from left to right; errors name the line and the column.
class LineReader {
 public:
  LineReader(std::string_view line, std::string_view file, std::size_t number)
      : fields_(split(line, ',')), file_(file), number_(number) {
    if (fields_.size() != columns().size()) {
      fail("", fmt::format("expected {} fields, got {}", columns().size(), fields_.size()));
    }
  }

  std::string_view next() { return fields_[next_++]; }

  std::string word(std::string_view column, std::span<const std::string_view> known) {
    const std::string_view text = next();
    if (std::ranges::find(known, text) == known.end()) {
      fail(column, fmt::format("expected one of {}, got '{}'", joined(known, ", "), text));
    }
    return std::string(text);
  }

  std::string some_text(std::string_view column) {
    const std::string_view text = next();
    if (text.empty()) {
      fail(column, "expected a non-empty string");
    }
    return std::string(text);
  }

  std::optional<i32> number(std::string_view column) {
    const std::string_view text = next();
    if (text.empty()) {
      return std::nullopt;
    }
    const std::optional<i64> value = parse_integer(text);
    if (!value || *value < 0 || *value > kMostNumber) {
      fail(column, fmt::format("expected an empty field or an integer from 0 to {}, got '{}'",
                               kMostNumber, text));
    }
    return static_cast<i32>(*value);
  }

  /// Returns the next field converted by `parse`; std::nullopt if it is empty.
  template <class Parse>
  auto value(std::string_view column, Parse parse) {
    const std::string_view text = next();
    std::optional<decltype(parse(text))> result;
    if (!text.empty()) {
      try {
        result = parse(text);
      } catch (const ConfigError& error) {
        fail(column, error.what());
      }
    }
    return result;
  }

  [[noreturn]] void fail(std::string_view column, std::string_view why) const {
    throw ConfigError(
        fmt::format("{}:{}: {}{}{}", file_, number_, column, column.empty() ? "" : ": ", why));
  }

 private:
  std::vector<std::string_view> fields_;
  std::string_view file_;
  std::size_t number_;
  std::size_t next_ = 0;
};

constexpr std::size_t kBlockK = static_cast<std::size_t>(VariantPart::kBlockK);
constexpr std::size_t kBlockN = static_cast<std::size_t>(VariantPart::kBlockN);

/// Element size in which a row's block_k is counted: 16 bits if the row has any type.
i32 bytes_of_k(const CompilerRejection& row) {
  const std::optional<i32>& dtype = row.parts[static_cast<std::size_t>(VariantPart::kDtype)];
  return dtype ? element_bytes(static_cast<ElementType>(*dtype))
               : element_bytes(ElementType::kFp16);
}

CompilerRejection parse_line(LineReader line) {
  CompilerRejection row;
  row.architecture = line.word("architecture", kArchitectureWords);
  for (std::size_t i = 0; i < kVariantParts; ++i) {
    const Column& column = kColumns[i];
    row.parts[i] =
        column.parse == nullptr ? line.number(column.name) : line.value(column.name, column.parse);
  }
  if (row.parts[kBlockK]) {
    *row.parts[kBlockK] *= bytes_of_k(row);
  }
  row.compiler = line.some_text("compiler");
  row.reason = line.word("reason", kReasons);
  return row;
}

constexpr std::size_t kScheduleAt = static_cast<std::size_t>(VariantPart::kSchedule);
std::optional<i32> schedule_of_row(const CompilerRejection& row) { return row.parts[kScheduleAt]; }

}  // namespace

KernelVariant variant_of(const GemmProblem& problem, const KernelConfig& asked) {
  const KernelConfig& config = asked;
  const Tiling& t = config.tiling;
  const auto number = [](auto value) { return static_cast<i32>(value); };
  const GemmTypes types = types_of(problem);
  return {number(kernel_of(config.schedule)),
          t.block_m,
          t.block_n,
          t.block_k * element_bytes(types.operands),
          t.stages,
          t.warpgroups_m,
          t.warpgroups_n,
          t.cluster_m,
          t.cluster_n,
          config.ctas_per_sm,
          config.inflight,
          t.c_slots,
          config.producer_registers,
          instruction_n(config),
          number(config.a_source),
          number(config.raster.kind == RasterKind::kHilbert),
          number(config.store),
          number(config.operands),
          number(types.operands),
          number(types.c),
          number(types.accumulate),
          number(as_run(problem, config).layout),
          problem.epilogue.number(),
          number(products_of(problem))};
}

CompilerRejection rejection_of(std::string_view architecture, const KernelVariant& variant,
                               std::string_view compiler, std::string_view reason) {
  CompilerRejection row{std::string(architecture), {}, std::string(compiler), std::string(reason)};
  std::ranges::copy(variant, row.parts.begin());
  return row;
}

std::vector<CompilerRejection> parse_compiler_rejections(std::string_view text,
                                                         std::string_view name) {
  const std::string header = joined(columns(), ",");
  std::vector<std::string_view> lines = split(text, '\n');
  refuse_if(lines.front() != header, "{}:1: expected the columns {}", name, header);
  if (lines.back().empty()) {
    lines.pop_back();  // after the last line end
  }
  std::vector<CompilerRejection> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    rows.push_back(parse_line(LineReader(lines[i], name, i + 1)));
  }
  return rows;
}

std::string to_text(const CompilerRejection& rejection) {
  CompilerRejection row = rejection;
  if (row.parts[kBlockK]) {
    *row.parts[kBlockK] /= bytes_of_k(row);
  }
  std::string text = row.architecture;
  for (std::size_t i = 0; i < kVariantParts; ++i) {
    const std::optional<i32>& value = row.parts[i];
    text += !value                        ? ","
            : kColumns[i].text == nullptr ? fmt::format(",{}", *value)
                                          : "," + kColumns[i].text(*value);
  }
  return text;
}

std::string compiler_rejections_text(const std::vector<CompilerRejection>& rows) {
  std::string text = joined(columns(), ",") + "\n";
  for (const CompilerRejection& row : rows) {
    text += fmt::format("{},{},{}\n", to_text(row), row.compiler, row.reason);
  }
  return text;
}

std::vector<CompilerRejection> load_compiler_rejections(const std::filesystem::path& config_folder,
                                                        std::string_view architecture) {
  const std::filesystem::path path = config_folder / kFile;
  std::error_code ignored;  // read() reports a file that cannot be read
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found) {
    return {};
  }
  std::vector<CompilerRejection> rows = parse_compiler_rejections(read_text(path), path.string());
  std::erase_if(rows, [&](const CompilerRejection& r) { return r.architecture != architecture; });
  sort_by_schedule(rows);
  return rows;
}

void sort_by_schedule(std::vector<CompilerRejection>& rows) {
  std::ranges::stable_sort(rows, {}, schedule_of_row);
}

bool any_rejects(const std::vector<CompilerRejection>& rejections, const GemmProblem& problem,
                 const KernelConfig& config) {
  if (rejections.empty()) {
    return false;
  }
  const KernelVariant variant = variant_of(problem, config);
  const auto fits = [](const std::optional<i32>& asked, i32 value) {
    return !asked || *asked == value;
  };
  // Searches only the rows of this schedule, and compares the most selective column first, because
  // this runs for the whole search space.
  const auto in_rows_of = [&](std::optional<i32> schedule) {
    return std::ranges::any_of(std::ranges::equal_range(rejections, schedule, {}, schedule_of_row),
                               [&](const CompilerRejection& r) {
                                 return fits(r.parts[kBlockN], variant[kBlockN]) &&
                                        std::ranges::equal(r.parts, variant, fits);
                               });
  };
  return in_rows_of(variant[kScheduleAt]) || in_rows_of(std::nullopt);
}

}  // namespace tilecast
