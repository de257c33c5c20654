#include "validate/record/measurement_appender.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "model/base/error.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what) {
  throw FileError(fmt::format("{}: cannot {}: {}", path.string(), what, std::strerror(errno)));
}

/// The first column that only one of the two headers has.
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

}  // namespace

MeasurementAppender::MeasurementAppender(std::filesystem::path path,
                                         std::vector<std::string> counters, IfExists rule)
    : path_(std::move(path)), counters_(std::move(counters)) {
  if (path_.extension() == ".gz" || path_.extension() == ".zst") {
    throw ConfigError(path_.string() +
                      ": expected a plain .csv to add rows to; compress it when done");
  }
  if (path_.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(path_.parent_path(), error);  // open() says what is wrong
  }
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail(path_, "write");
  }
  try {
    if (!std::filesystem::is_regular_file(path_)) {
      throw FileError(path_.string() + ": cannot write: not a regular file");
    }
    open(rule);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void MeasurementAppender::open(IfExists rule) {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      throw FileError(path_.string() + ": cannot write: another run is adding to it");
    }
    fail(path_, "lock");
  }
  const std::string text = read_stored_text(path_);
  const std::vector<std::string> columns = measurement_columns(counters_);
  // A first run killed before its header was whole leaves nothing worth keeping.
  const bool empty = text.find('\n') == std::string::npos && csv_line(columns).starts_with(text);
  if (empty) {
    if (::ftruncate(descriptor_, 0) != 0) {
      fail(path_, "write");
    }
    write_whole(csv_line(columns));
    return;
  }
  if (rule == IfExists::kRefuse) {
    throw ConfigError(path_.string() +
                      ": exists; pass --resume to add to it, or name another file");
  }
  const MeasurementFile file = parse_measurements(text, path_.string(), TornLine::kDrop);
  if (file.header != columns) {
    throw ConfigError(
        fmt::format("{}:1: its columns are not the ones to be added ({}); name "
                    "another file",
                    path_.string(), first_difference(file.header, columns)));
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(file.whole_bytes)) != 0) {
    fail(path_, "write");
  }
  for (const MeasurementRow& row : file.rows) {
    keys_.insert(key_of(row.measurement.point));
  }
}

MeasurementAppender::~MeasurementAppender() { ::close(descriptor_); }

void MeasurementAppender::append(const Measurement& measurement) {
  write_whole(measurement_line(measurement, counters_));
  keys_.insert(key_of(measurement.point));
}

bool MeasurementAppender::has(const Point& point) const { return keys_.contains(key_of(point)); }

void MeasurementAppender::write_whole(const std::string& text) {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  ssize_t written;
  do {
    written = ::write(descriptor_, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(text.size()) &&
      (::fdatasync(descriptor_) == 0 || errno == EINVAL)) {
    return;
  }
  if (written >= 0 && written < static_cast<ssize_t>(text.size())) {
    errno = ENOSPC;
  }
  const std::string why = std::strerror(errno);
  const bool whole = before >= 0 && ::ftruncate(descriptor_, before) == 0;
  throw FileError(fmt::format("{}: cannot write: {}{}", path_.string(), why,
                              whole ? "" : "; its last line is torn, which --resume mends"));
}

}  // namespace tilecast
