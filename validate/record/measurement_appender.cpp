#include "validate/record/measurement_appender.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/system_reason.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/writer_lock.h"

namespace tilecast {
namespace {

constexpr const char* kHowToRepair = "; its last row is truncated, which --resume repairs";

/// Returns the first column that only one of the two headers has.
std::string first_difference(const std::vector<std::string>& there,
                             const std::vector<std::string>& wanted) {
  const auto lacks = [](const std::vector<std::string>& header, const std::string& column) {
    return std::find(header.begin(), header.end(), column) == header.end();
  };
  for (const std::string& column : wanted) {
    if (lacks(there, column)) {
      return "it has no " + column;
    }
  }
  for (const std::string& column : there) {
    if (lacks(wanted, column)) {
      return "it has " + column;
    }
  }
  return "they are in another order";
}

/// Appends `bytes` with one write and waits until they are on disk. Throws FileError after
/// restoring the previous content; if that fails, its message tells how to repair the file.
void append_whole(int descriptor, std::string_view bytes, const std::filesystem::path& path) {
  const off_t before = ::lseek(descriptor, 0, SEEK_END);
  ssize_t written;
  do {
    written = ::write(descriptor, bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(bytes.size()) &&
      (::fdatasync(descriptor) == 0 || errno == EINVAL)) {
    return;
  }
  if (written >= 0 && written < static_cast<ssize_t>(bytes.size())) {
    errno = ENOSPC;
  }
  const std::string why = system_reason(errno);
  const bool whole = before >= 0 && ::ftruncate(descriptor, before) == 0;
  throw FileError(
      fmt::format("{}: cannot write: {}{}", path.string(), why, whole ? "" : kHowToRepair));
}

}  // namespace

MeasurementAppender::MeasurementAppender(std::filesystem::path path,
                                         std::vector<std::string> counters, IfExists rule)
    : path_(std::move(path)), counters_(std::move(counters)) {
  if (path_.extension() == ".gz" || path_.extension() == ".zst") {
    throw ConfigError(
        path_.string() +
        ": rows can be added only to an uncompressed .csv; compress it when it is complete");
  }
  if (path_.has_parent_path()) {
    std::error_code error;
    // open() reports a failure
    std::filesystem::create_directories(path_.parent_path(), error);
  }
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail_file(path_, "write");
  }
  try {
    refuse_if<FileError>(!std::filesystem::is_regular_file(path_),
                         "{}: cannot write: not a regular file", path_.string());
    open(rule);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void MeasurementAppender::open(IfExists rule) {
  refuse_if<FileError>(!lock_for_writing(descriptor_, path_),
                       "{}: cannot write: another run is writing to it", path_.string());
  const std::string bytes = read_file(path_);
  const std::string_view text = without_bom(bytes);
  const std::vector<std::string> columns = measurement_columns(counters_);
  // A first run that was killed while it wrote its header left no data.
  const bool empty =
      text.find('\n') == std::string_view::npos && csv_line(columns).starts_with(text);
  if (empty) {
    if (::ftruncate(descriptor_, 0) != 0) {
      fail_file(path_, "write");
    }
    append_whole(descriptor_, csv_line(columns), path_);
    return;
  }
  if (rule == IfExists::kRefuse) {
    throw ConfigError(path_.string() +
                      ": already exists; pass --resume to add to it, or choose another file");
  }
  const MeasurementFile file = parse_measurements(text, path_.string(), TruncatedLine::kDrop);
  if (file.header != columns) {
    throw ConfigError(
        fmt::format("{}:1: its columns differ from the new ones ({}); choose another file",
                    path_.string(), first_difference(file.header, columns)));
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes.size() - text.size() + file.whole_bytes)) !=
      0) {
    fail_file(path_, "write");
  }
  for (const MeasurementRow& row : file.rows) {
    if (row.measurement.revision == current_revision(row.measurement.point)) {
      ++keys_[key_of(row.measurement.point)];
    }
    resumed_.push_back(row.measurement);
  }
}

MeasurementAppender::~MeasurementAppender() { ::close(descriptor_); }

void MeasurementAppender::append(Measurement measurement) {
  measurement.revision = current_revision(measurement.point);
  append_whole(descriptor_, measurement_line(measurement, counters_), path_);
  ++keys_[key_of(measurement.point)];
}

std::size_t MeasurementAppender::rows_of(const Point& point) const {
  const auto found = keys_.find(key_of(point));
  return found == keys_.end() ? 0 : found->second;
}

}  // namespace tilecast
