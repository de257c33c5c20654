#include "cli/file_plan.h"

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

template <class Fill>
std::string complaint(const Fill& fill) {
  return error_message([&] {
    FilePlan plan;
    fill(plan);
    plan.check();
  });
}

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator()));
}

TEST_CASE("Readable and writable files pass, and the test leaves no files behind") {
  const TemporaryFolder folder;
  write_file(folder / "rows.csv", "a\n");
  write_file(folder / "out.csv", "old\n");
  CHECK(complaint([&](FilePlan& plan) {
          plan.reads("--data", folder / "rows.csv");
          plan.reads("--split", "");
          plan.writes("--out", folder / "out.csv");
          plan.writes("--trace", folder / "new/er/t.json");
          plan.writes("--record", "/dev/null");
          plan.writes_folder("--dir", folder / "report/x");
        }).empty());
  CHECK(entries_of(folder / ".") == 2);
  CHECK(read_file(folder / "out.csv") == "old\n");
}

TEST_CASE("An unreadable or unwritable file is an error with the system's reason") {
  const TemporaryFolder folder;
  write_file(folder / "file", "a\n");
  fs::create_directory(folder / "dir");
  const std::string at = (folder / "").string();
  CHECK(complaint([&](FilePlan& plan) { plan.reads("--data", folder / "none"); }) ==
        "6 " + at + "none: cannot read: No such file or directory");
  CHECK(complaint([&](FilePlan& plan) { plan.reads("--data", folder / "dir"); }) ==
        "6 " + at + "dir: cannot read: Is a directory");
  CHECK(complaint([&](FilePlan& plan) { plan.writes("--out", folder / "dir"); }) ==
        "6 " + at + "dir: cannot write: Is a directory");
  CHECK(complaint([&](FilePlan& plan) { plan.writes("--out", folder / "file/a/b"); }) ==
        "6 " + at + "file/a/b: cannot create its directory: Not a directory");
  CHECK(complaint([&](FilePlan& plan) { plan.writes_folder("--out", folder / "file"); }) ==
        "6 " + at + "file: cannot write files in it: Not a directory");
  CHECK(complaint([&](FilePlan& plan) { plan.writes("--out", "/dev/null/a"); }) ==
        "6 /dev/null/a: cannot create its directory: Not a directory");
}

TEST_CASE("An output that is an input, or another output, is refused by any of its names") {
  const TemporaryFolder folder;
  write_file(folder / "rows.csv", "a\n");
  fs::create_symlink(folder / "rows.csv", folder / "link");
  const std::string at = (folder / "").string();
  for (const char* name : {"rows.csv", "./rows.csv", "link"}) {
    CHECK(complaint([&](FilePlan& plan) {
            plan.reads("--data", folder / "rows.csv");
            plan.writes("--out", folder / name);
          }) == "2 --out " + at + name + ": also given as --data; choose another file");
  }
  CHECK(complaint([&](FilePlan& plan) {
          plan.writes("--out", folder / "a");
          plan.writes("--csv", folder / "x/../a");
        }) == "2 --csv " + at + "x/../a: also given as --out; choose another file");
}

TEST_CASE("An output folder that contains an input is refused, one next to it is not") {
  const TemporaryFolder folder;
  write_file(folder / "out/data/rows.csv", "a\n");
  const std::string at = (folder / "").string();
  const auto into = [&](const std::string& out) {
    return complaint([&](FilePlan& plan) {
      plan.reads("--data", folder / "out/data/rows.csv");
      plan.writes_folder("--out", folder / out);
    });
  };
  CHECK(into("out") == "2 --out " + at + "out: contains " + at +
                           "out/data/rows.csv, which --data reads; choose another folder");
  CHECK(into("").starts_with("2 --out "));
  CHECK(into("out/").starts_with("2 --out "));
  CHECK(into("out/data").starts_with("2 --out "));
  CHECK(into("out/dat").empty());
  CHECK(into("out/data/report").empty());
}

}  // namespace
}  // namespace tilecast
