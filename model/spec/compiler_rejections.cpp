#include "model/spec/compiler_rejections.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kFile = "compiler_rejections.csv";
constexpr std::array<std::string_view, kCompileTimeNumbers> kNumberColumns{
    "block_m",   "block_n", "block_k",  "stages",  "warpgroups_m", "warpgroups_n", "cluster_m",
    "cluster_n", "ctas",    "inflight", "c_slots", "producer",     "instruction_n"};
constexpr std::array<std::string_view, 4> kReasons{"spills", "wgmma_serialized",
                                                   "setmaxnreg_ignored", "error"};
constexpr std::array<std::string_view, 6> kArchitectureWords{
    "ampere", "ada", "hopper", "blackwell", "blackwell_rtx", "fictional"};
constexpr i32 kMostNumber = 1 << 20;

std::vector<std::string_view> columns() {
  std::vector<std::string_view> names{"architecture", "schedule"};
  names.insert(names.end(), kNumberColumns.begin(), kNumberColumns.end());
  names.insert(names.end(), {"a", "dtype", "layout", "compiler", "reason"});
  return names;
}

std::string joined(std::span<const std::string_view> words, std::string_view separator) {
  const std::vector<std::string> copies(words.begin(), words.end());
  return join(copies, separator);
}

/// The fields of one line, taken from left to right; complaints name the place.
class LineReader {
 public:
  LineReader(std::string_view line, std::string_view file, std::size_t number)
      : fields_(split(line, ',')), file_(file), number_(number) {
    if (fields_.size() != columns().size()) {
      fail("", fmt::format("expected {} fields, not {}", columns().size(), fields_.size()));
    }
  }

  std::string_view next() { return fields_[next_++]; }

  std::string word(std::string_view column, std::span<const std::string_view> known) {
    const std::string_view text = next();
    if (std::ranges::find(known, text) == known.end()) {
      fail(column, fmt::format("expected one of {}, not '{}'", joined(known, ", "), text));
    }
    return std::string(text);
  }

  std::string some_text(std::string_view column) {
    const std::string_view text = next();
    if (text.empty()) {
      fail(column, "expected some text");
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
      fail(column, fmt::format("expected nothing or a whole number from 0 to {}, not '{}'",
                               kMostNumber, text));
    }
    return static_cast<i32>(*value);
  }

  /// What `parse` makes of the next field; nothing where it is empty.
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

CompilerRejection parse_line(LineReader line) {
  CompilerRejection row;
  row.architecture = line.word("architecture", kArchitectureWords);
  row.schedule = line.value("schedule", parse_schedule);
  for (std::size_t i = 0; i < kCompileTimeNumbers; ++i) {
    row.numbers[i] = line.number(kNumberColumns[i]);
  }
  row.a_source = line.value("a", parse_operand_source);
  row.dtype = line.value("dtype", parse_element_type);
  row.layout = line.value("layout", parse_layout);
  row.compiler = line.some_text("compiler");
  row.reason = line.word("reason", kReasons);
  return row;
}

constexpr std::size_t kBlockN = 1;  // its place among these

std::array<i32, kCompileTimeNumbers> compile_time_numbers(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  return {t.block_m,
          t.block_n,
          t.block_k,
          t.stages,
          t.warpgroups_m,
          t.warpgroups_n,
          t.cluster_m,
          t.cluster_n,
          config.ctas_per_sm,
          config.inflight,
          t.c_slots,
          config.producer_registers,
          instruction_n(config)};
}

template <class T>
bool fits(const std::optional<T>& asked, T value) {
  return !asked || *asked == value;
}

/// The schedules that split K are one kernel.
bool same_kernel(const std::optional<Schedule>& asked, Schedule schedule) {
  return fits(asked, schedule) || (splits_k(*asked) && splits_k(schedule));
}

}  // namespace

std::vector<CompilerRejection> parse_compiler_rejections(std::string_view text,
                                                         std::string_view name) {
  const std::string header = joined(columns(), ",");
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.front() != header) {
    throw ConfigError(fmt::format("{}:1: expected the columns {}", name, header));
  }
  if (lines.back().empty()) {
    lines.pop_back();  // after the last line's end
  }
  std::vector<CompilerRejection> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    rows.push_back(parse_line(LineReader(lines[i], name, i + 1)));
  }
  return rows;
}

std::string to_text(const CompilerRejection& r) {
  std::string text = fmt::format("{},{}", r.architecture, r.schedule ? to_text(*r.schedule) : "");
  for (const std::optional<i32>& number : r.numbers) {
    text += number ? fmt::format(",{}", *number) : ",";
  }
  return text + fmt::format(",{},{},{}", r.a_source ? to_text(*r.a_source) : "",
                            r.dtype ? to_text(*r.dtype) : "", r.layout ? to_text(*r.layout) : "");
}

std::vector<CompilerRejection> load_compiler_rejections(const std::filesystem::path& config_folder,
                                                        std::string_view architecture) {
  const std::filesystem::path path = config_folder / kFile;
  std::error_code ignored;  // a file that cannot be read is reported by the read
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found) {
    return {};
  }
  std::vector<CompilerRejection> rows = parse_compiler_rejections(read_text(path), path.string());
  std::erase_if(rows, [&](const CompilerRejection& r) { return r.architecture != architecture; });
  return rows;
}

bool any_rejects(const std::vector<CompilerRejection>& rejections, const GemmProblem& problem,
                 const KernelConfig& config) {
  if (rejections.empty()) {
    return false;
  }
  const std::array<i32, kCompileTimeNumbers> numbers = compile_time_numbers(config);
  // What differs most comes first: kernels of the whole menu are asked about.
  return std::ranges::any_of(rejections, [&](const CompilerRejection& r) {
    return fits(r.numbers[kBlockN], numbers[kBlockN]) && same_kernel(r.schedule, config.schedule) &&
           std::ranges::equal(r.numbers, numbers, fits<i32>) && fits(r.a_source, config.a_source) &&
           fits(r.dtype, problem.dtype) && fits(r.layout, problem.layout);
  });
}

}  // namespace tilecast
