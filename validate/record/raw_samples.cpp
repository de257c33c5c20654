#include "validate/record/raw_samples.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "validate/record/append_whole.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr double kMegahertz = 1e6;
constexpr const char* kSamplesHeader = "samples_at,point,block,drifted,sm_clock_mhz,durations_ns\n";
constexpr std::size_t kSampleColumns = 6;

std::string text_of(i64 at, const Point& point, const std::vector<SampleBlock>& blocks) {
  std::string text = at == 0 ? kSamplesHeader : "";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const SampleBlock& block = blocks[i];
    text +=
        csv_line({std::to_string(at), key_of(point), std::to_string(i), block.drifted ? "1" : "0",
                  fmt::format("{:.10g}", block.clock.value / kMegahertz),
                  fmt::format("{}", fmt::join(block.nanoseconds, " "))});
  }
  return text;
}

SampleBlock block_of(const std::vector<std::string>& fields) {
  if (fields.size() != kSampleColumns) {
    throw ConfigError(fmt::format("expected {} fields, got {}", kSampleColumns, fields.size()));
  }
  SampleBlock block{.nanoseconds = {}, .clock = {}, .drifted = fields[3] == "1"};
  const std::optional<double> clock = parse_number(fields[4]);
  if (!clock || *clock <= 0) {
    throw ConfigError(fmt::format("sm_clock_mhz: expected a number above 0, got '{}'", fields[4]));
  }
  block.clock = Hertz{*clock * kMegahertz};
  for (const std::string_view part : split(fields[5], ' ')) {
    const std::optional<i64> duration = parse_integer(part);
    if (!duration || *duration < 0) {
      throw ConfigError(fmt::format("durations_ns: expected integers, got '{}'", part));
    }
    block.nanoseconds.push_back(*duration);
  }
  return block;
}

}  // namespace

std::filesystem::path raw_samples_path(const std::filesystem::path& csv) {
  std::filesystem::path path = csv;
  if (path.extension() == ".csv") {
    path.replace_extension();
  }
  path += ".samples.csv.gz";
  return path;
}

RawSampleFile::RawSampleFile(std::filesystem::path path, std::optional<i64> last)
    : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | (last ? 0 : O_CREAT) | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail_file(path_, "write");
  }
  try {
    std::size_t whole = 0;
    if (last) {
      const std::string packed = read_file(path_);
      const std::size_t at = static_cast<std::size_t>(*last);
      whole = at + gunzip_member(packed, at, path_.string()).packed_bytes;
    }
    if (::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) {
      fail_file(path_, "write");
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RawSampleFile::~RawSampleFile() { ::close(descriptor_); }

i64 RawSampleFile::append(const Point& point, const std::vector<SampleBlock>& blocks) {
  const off_t at = ::lseek(descriptor_, 0, SEEK_END);
  if (at < 0) {
    fail_file(path_, "write");
  }
  append_whole(descriptor_, raw_samples_member(at, point, blocks), path_,
               "; its last row is truncated, which --resume repairs");
  return at;
}

std::string raw_samples_member(i64 samples_at, const Point& point,
                               const std::vector<SampleBlock>& blocks) {
  return gzip_member(text_of(samples_at, point, blocks));
}

std::vector<SampleBlock> read_raw_samples(const std::filesystem::path& path, i64 samples_at) {
  return parse_raw_samples(read_file(path), path.string(), samples_at);
}

std::vector<SampleBlock> parse_raw_samples(std::string_view packed, const std::string& file,
                                           i64 samples_at) {
  const std::string text = gunzip_member(packed, static_cast<std::size_t>(samples_at), file).text;
  const std::string name = fmt::format("{} at byte {}", file, samples_at);
  const CsvText csv = parse_csv(text, name);
  std::vector<SampleBlock> blocks;
  for (std::size_t i = samples_at == 0 ? 1 : 0; i < csv.records.size(); ++i) {
    const CsvRecord& record = csv.records[i];
    try {
      blocks.push_back(block_of(record.fields));
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}", name, record.line, error.what()));
    }
    if (record.fields[0] != std::to_string(samples_at)) {
      throw ConfigError(fmt::format("{}:{}: samples_at: expected {}, got '{}'", name, record.line,
                                    samples_at, record.fields[0]));
    }
  }
  return blocks;
}

}  // namespace tilecast
