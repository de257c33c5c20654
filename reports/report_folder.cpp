#include "reports/report_folder.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <optional>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/integers.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListHeader =
    "# Written by `tilecast report`, which replaces and removes these files and no others.";
constexpr const char* kUnfinished = ".unfinished-report";
constexpr const char* kWriter = "process";

/// A path that a report writes: it cannot leave the folder.
bool is_report_path(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  if (parts.size() == 1) {
    return path == "index.html" || path == "report.md" || path == kReportList;
  }
  return parts.size() == 2 && (parts[0] == "data" || parts[0] == "figures") && !parts[1].empty() &&
         !parts[1].starts_with('.');
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Files are written and removed in these folders, so what is there must be a folder: what a link
/// leads to is somebody's who never named it.
void refuse_links(const fs::path& folder) {
  for (const char* const name : {"data", "figures"}) {
    const fs::file_status status = fs::symlink_status(folder / name);
    if (fs::exists(status) && !fs::is_directory(status)) {
      throw ConfigError(
          fmt::format("{}: expected a folder, not a link or a file", (folder / name).string()));
    }
  }
}

/// An unfinished report names the process that writes it and its host. One whose process was killed
/// is removed. One of a running process or another host, and anything that no report made, is
/// refused.
void remove_left_over(const fs::path& path) {
  const auto refuse = [&](std::string_view why) {
    throw ConfigError(fmt::format("{}: {}", path.string(), why));
  };
  if (!fs::exists(fs::symlink_status(path))) {
    return;
  }
  if (fs::is_symlink(path) || !is_there(path / kWriter)) {
    refuse("was not made by a report: move it, or name another folder");
  }
  const std::string writer = read_text(path / kWriter);
  const std::vector<std::string_view> words =
      split(std::string_view(writer).substr(0, writer.find('\n')), ' ');
  const i64 process = parse_integer(words.front()).value_or(0);
  if (process < 1 || process > std::numeric_limits<pid_t>::max() || words.size() > 2) {
    refuse("does not say which process made it: remove it, or name another folder");
  }
  if (words.size() == 2 && words[1] != host_name()) {
    refuse(fmt::format("process {} of host {} was writing a report there: remove it if that ended",
                       process, printable(words[1])));
  }
  // EPERM: the process runs and belongs to another user.
  const bool lives = ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
  if (process != ::getpid() && lives) {
    refuse(fmt::format("process {} is writing a report there", process));
  }
  fs::remove_all(path);
}

/// Files in a folder of their own, which goes away with this, whatever happens.
class UnfinishedReport {
 public:
  explicit UnfinishedReport(const fs::path& folder) : path_(folder / kUnfinished) {
    remove_left_over(path_);
    fs::create_directories(folder);
    if (!fs::create_directory(path_)) {  // it came into being since
      throw ConfigError(fmt::format("{}: another report is being written there", path_.string()));
    }
    write_file(path_ / kWriter, fmt::format("{} {}\n", ::getpid(), host_name()));
  }
  ~UnfinishedReport() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  UnfinishedReport(const UnfinishedReport&) = delete;
  UnfinishedReport& operator=(const UnfinishedReport&) = delete;

  void write(const ReportFiles& files) const {
    for (const auto& [name, content] : files) {
      write_file(path_ / name, content);
    }
  }

  void move(const std::string& name, const fs::path& folder) const {
    fs::create_directories((folder / name).parent_path());
    fs::rename(path_ / name, folder / name);
  }

 private:
  fs::path path_;
};

/// Signals that end a process wait while this is there.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
      sigaddset(&ending, signal);
    }
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::string report_list(const ReportFiles& files) {
  std::string text = fmt::format("{}\n", kListHeader);
  for (const auto& [name, content] : files) {
    text += name + '\n';
  }
  return text;
}

std::set<std::string> listed_files(const fs::path& folder) {
  const fs::path path = folder / kReportList;
  if (!is_there(path)) {
    return {};
  }
  std::set<std::string> names{kReportList};
  const std::string text = read_text(path);
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.front() != kListHeader) {
    throw ConfigError(
        fmt::format("{}:1: was not written by a report; name another folder", path.string()));
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i].empty() && !is_report_path(lines[i])) {
      throw ConfigError(fmt::format("{}:{}: expected a file of a report, not '{}'", path.string(),
                                    i + 1, printable(lines[i])));
    }
    names.emplace(lines[i]);
  }
  names.erase("");
  return names;
}

void refuse_foreign_files(const std::vector<std::string>& names, const fs::path& folder) {
  refuse_links(folder);
  const std::set<std::string> listed = listed_files(folder);
  for (const std::string& name : names) {
    if (!listed.contains(name) && is_there(folder / name)) {
      throw ConfigError(
          fmt::format("{}: was not written by an earlier report, and this one would replace it: "
                      "move it, or name another folder",
                      (folder / name).string()));
    }
  }
}

void write_report(const ReportFiles& files, const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& [name, content] : files) {
    TILECAST_ASSERT(is_report_path(name));
    names.push_back(name);
  }
  refuse_foreign_files(names, folder);
  const std::set<std::string> before = listed_files(folder);
  std::optional<SignalsWait> swapping;  // outlives `unfinished`, which a signal would leave there
  const UnfinishedReport unfinished(folder);
  unfinished.write(files);
  swapping.emplace();
  ReportFiles both = files;  // a report that is killed from here on owns the files of both
  for (const std::string& name : before) {
    both.try_emplace(name);
  }
  write_file(folder / kReportList, report_list(both));
  for (const std::string& name : names) {
    if (name != kReportList) {
      unfinished.move(name, folder);
    }
  }
  for (const std::string& name : before) {
    if (!files.contains(name)) {
      fs::remove(folder / name);
    }
  }
  write_file(folder / kReportList, report_list(files));
}

}  // namespace tilecast
