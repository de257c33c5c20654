#include "reports/report_folder.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

ReportFiles report_of(ReportFiles files) {
  files[kReportList];
  files[kReportList] = report_list(files);
  return files;
}

const ReportFiles kSmall = report_of({{"index.html", "page"}, {"data/a.csv", "a\n"}});
const ReportFiles kOther = report_of({{"index.html", "new page"}, {"data/b.csv", "b\n"}});

std::map<std::string, std::string> all_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder)] = read_file(entry.path());
    }
  }
  return files;
}

TEST_CASE("A second report replaces the files of the first and leaves everything else") {
  const TemporaryFolder folder;
  write_file(folder / "data/rows.csv", "mine\n");
  write_file(folder / "figures/mine.svg", "<svg/>");
  write_report(kSmall, folder / ".");
  write_report(kOther, folder / ".");
  ReportFiles expected = kOther;
  expected["data/rows.csv"] = "mine\n";
  expected["figures/mine.svg"] = "<svg/>";
  CHECK(all_in(folder / ".") == expected);  // data/a.csv is gone, and nothing unfinished is left
}

TEST_CASE("A file that no report wrote is not replaced, and then nothing is changed") {
  const TemporaryFolder folder;
  write_report(kSmall, folder / ".");
  write_file(folder / "data/b.csv", "mine\n");
  const auto before = all_in(folder / ".");
  CHECK(error_message([&] { write_report(kOther, folder / "."); }) ==
        "2 " + (folder / "./data/b.csv").string() +
            ": was not written by an earlier report, and this one would replace it: move it, or "
            "name another folder");
  CHECK(all_in(folder / ".") == before);
  CHECK(error_message([&] {
          refuse_foreign_files({"data/a.csv", "report.md"}, folder / ".");
        }).empty());
}

TEST_CASE("A report that does not fit on the disk leaves the earlier one whole") {
  const TemporaryFolder folder;
  write_report(kSmall, folder / ".");
  const auto before = all_in(folder / ".");
  const ReportFiles large =
      report_of({{"index.html", "new page"}, {"report.md", std::string(100'000, 'x')}});
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{10'000, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  const std::string message = error_message([&] { write_report(large, folder / "."); });
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  CHECK(message.starts_with("6 "));
  CHECK(all_in(folder / ".") == before);
}

TEST_CASE("What a killed report left unfinished goes with the next one") {
  const TemporaryFolder folder;
  write_file(folder / ".unfinished-report/data/a.csv", "half");
  write_file(folder / ".unfinished-report/process", "2147483647\n");  // above every process
  write_report(kSmall, folder / ".");
  CHECK(all_in(folder / ".") == kSmall);
}

TEST_CASE("An unfinished report of a living process, or of nobody, is left alone") {
  const TemporaryFolder folder;
  write_file(folder / ".unfinished-report/mine.txt", "precious");
  const auto complaint = [&] { return error_message([&] { write_report(kSmall, folder / "."); }); };
  CHECK(complaint().ends_with(
      ".unfinished-report: was not made by a report: move it, or name another folder"));
  write_file(folder / ".unfinished-report/process", fmt::format("{}\n", ::getppid()));
  CHECK(complaint().ends_with(fmt::format("process {} is writing a report there", ::getppid())));
  CHECK(read_text(folder / ".unfinished-report/mine.txt") == "precious");
}

TEST_CASE("An unfinished report of another user's process, or of another host, is left alone") {
  const TemporaryFolder folder;
  write_file(folder / ".unfinished-report/mine.txt", "precious");
  const auto complaint = [&](const std::string& writer) {
    write_file(folder / ".unfinished-report/process", writer);
    return error_message([&] { write_report(kSmall, folder / "."); });
  };
  CHECK(complaint("2147483647 elsewhere\n")
            .ends_with("process 2147483647 of host elsewhere was writing a report there: remove it "
                       "if that ended"));
  CHECK(complaint("0\n").ends_with(
      "does not say which process made it: remove it, or name another folder"));
  if (::geteuid() == 0) {  // a child without rights may not signal this process
    write_file(folder / ".unfinished-report/process", fmt::format("{}\n", ::getpid()));
    fs::permissions(folder / "", fs::perms::all);
    fs::permissions(folder / ".unfinished-report", fs::perms::all);
    const pid_t child = ::fork();
    if (child == 0) {
      const bool dropped = ::setuid(65534) == 0;
      const std::string message = error_message([&] { write_report(kSmall, folder / "."); });
      ::_exit(dropped && message.ends_with(" is writing a report there") ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(read_text(folder / ".unfinished-report/mine.txt") == "precious");
}

TEST_CASE("A report folder that is a link is refused and its target stays as it is") {
  const TemporaryFolder folder, other;
  write_report(kSmall, folder / ".");
  fs::rename(folder / "data", other / "data");
  fs::create_symlink(other / "data", folder / "data");
  CHECK(error_message([&] { write_report(kOther, folder / "."); }) ==
        "2 " + (folder / "./data").string() + ": expected a folder, not a link or a file");
  CHECK(read_file(other / "data/a.csv") == "a\n");
}

TEST_CASE("A list that names other files than a report's is an error") {
  const TemporaryFolder folder;
  const fs::path list = folder / kReportList;
  const std::string header = report_list({});
  const auto complaint = [&](const std::string& text) {
    write_file(list, text);
    return error_message([&] { listed_files(folder / ""); });
  };
  CHECK(complaint(header + "data/a.csv\nindex.html\n").empty());
  CHECK(complaint(header + "data/a.csv").empty());  // the last line end may be missing
  for (const std::string name :
       {"../a.csv", "/etc/passwd", "data/../../a", "data/sub/a", "notes.txt", "data/", "data/.."}) {
    CHECK(complaint(header + "index.html\n" + name + "\n") ==
          "2 " + list.string() + ":3: expected a file of a report, not '" + name + "'");
  }
  CHECK(complaint("my own list\n") ==
        "2 " + list.string() + ":1: was not written by a report; name another folder");
}

}  // namespace
}  // namespace tilecast
