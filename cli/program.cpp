#include "cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "cli/forward.h"
#include "cli/output_parts.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/system_reason.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Keeps a file that is opened later from becoming standard output. Writing to a closed standard
/// output still fails; messages to a closed standard error are lost.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      const int opened = ::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
      if (opened >= 0 && opened != stream) {
        ::close(opened);
      }
    }
  }
}

/// Exit code of a program whose reader closed the pipe (`... | head -1`), as a shell shows it.
constexpr int kReaderGone = 128 + SIGPIPE;

struct ReaderGone {};

/// Whether the reader of standard output, a pipe, has closed it. This is tested afterwards, because
/// any of many writes may have failed and its errno is lost.
bool reader_is_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/// Throws FileError if output was lost, ReaderGone if the reader closed the pipe.
void check_standard_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0) {
    return;
  }
  if (reader_is_gone()) {
    throw ReaderGone();
  }
  throw FileError(std::string("standard output: cannot write") +
                  (error != 0 ? std::string(": ") + system_reason(error) : ""));
}

int fail(ExitCode code, const std::string& message) {
  const std::string line = "tilecast: " + message_line(without_groups(message)) + "\n";
  std::fputs(line.c_str(), stderr);  // not fmt::print, which throws if standard error is closed
  return static_cast<int>(code);
}

constexpr std::string_view kCommandsOfPython[] = {"layer", "moe-config"};

/// A program lists the commands that it executes; tilecast also lists those of the others.
bool lists(Host host, const CommandRow& row) {
  return !row.heading.empty() && (host == Host::kModel || row.host == host);
}

/// Returns the command that the words name, and how many words its name has.
std::pair<const CommandRow*, std::size_t> command_of(Host host,
                                                     const std::vector<std::string>& words) {
  std::string name;  // and a space
  const CommandRow* found = nullptr;
  for (std::size_t count = 0;; ++count) {
    const std::string word = count < words.size() ? words[count] : "";
    std::vector<std::string> next;
    const CommandRow* whole = nullptr;
    for (const CommandRow& row : kCommands) {
      if (name.empty() ? lists(host, row) : row.name.starts_with(name)) {
        next.emplace_back(row.name.substr(name.size()));
      }
      whole = row.name == name + word ? &row : whole;
    }
    if (next.empty()) {
      return {found, count};
    }
    const std::string help = fmt::format("; see tilecast {}--help", name);
    refuse_if(word.empty(), "expected a command: {}{}", join(next, ", "), help);
    refuse_if(
        name.empty() && std::ranges::find(kCommandsOfPython, word) != std::end(kCommandsOfPython),
        "{0} is a command of the Python package: run 'pip install .' in the "
        "repository, then 'python -m tilecast {0}'",
        word);
    if (whole == nullptr) {
      throw ConfigError(word.starts_with('-')
                            ? fmt::format("unknown option '{}'{}", word, help)
                            : fmt::format("unknown command '{}': expected one of {}{}", word,
                                          join(next, ", "), did_you_mean(word, next)));
    }
    found = whole;
    name += word + " ";
  }
}

std::string entry(const std::string& name, const std::string& meaning) {
  constexpr std::size_t kMeaning = 22;
  const std::string head = "  " + name;
  return head.size() < kMeaning ? wrapped(fmt::format("{:<{}}", head, kMeaning), meaning)
                                : head + "\n" + wrapped(std::string(kMeaning, ' '), meaning);
}

std::string option_entry(const CommandOption& option) {
  std::string meaning(option.row.help), head = join(option.names, ", ");
  if (option.goes_by_place()) {
    meaning += (meaning.empty() || option.words.empty() ? "" : "; ") + join(option.words, ", ");
  } else if (!option.row.value.empty()) {
    head += fmt::format(" {}", option.row.value);
  }
  if (!option.row.usual.empty()) {
    meaning += fmt::format("{}default {}", meaning.empty() ? "" : "; ", option.row.usual);
  }
  return entry(head, meaning);
}

bool asks_for_help(const std::vector<std::string>& words) {
  return std::ranges::any_of(words,
                             [](const std::string& w) { return w == "--help" || w == "-h"; });
}

void run_words(Host host, const std::string& version, const std::vector<RunCommand>& commands,
               std::vector<std::string> words, char** argv) {
  if (!words.empty() && words[0] == "help") {
    std::ranges::rotate(words, words.begin() + 1);
    words.back() = "--help";
  }
  if (!words.empty() && words[0] == "--version") {
    fmt::print("{}\n", version);
    return;
  }
  if (!words.empty() && (words[0].starts_with("--help") || words[0] == "-h")) {
    fmt::print("{}", help_text(host, words[0] == "--help-all"));
    return;
  }
  if (words.size() > 1 && words[0] == "campaign" && asks_for_help({words[1]})) {
    fmt::print("{}", help_text(*std::ranges::find(kCommands, "campaign", &CommandRow::name)));
    return;
  }
  const auto [row, count] = command_of(host, words);
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  const auto own = std::ranges::find(commands, row->name, &RunCommand::name);
  if (own == commands.end()) {
    if (host != Host::kModel || row->host == host) {
      throw ConfigError(fmt::format("unknown command '{}'", row->name));
    }
    hand_on(*row, argv);
  }
  if (asks_for_help(words)) {
    fmt::print("{}", help_text(*row));
    return;
  }
  own->run(Arguments(*row, words));
}

}  // namespace

std::string help_text(const CommandRow& command) {
  const std::string name(command.name);
  std::string by_place, options, usage = "Usage: tilecast " + name, verbs;
  std::string_view heading;
  for (const CommandOption& option : options_of(name.substr(name.rfind(' ') + 1))) {
    if (option.goes_by_place()) {
      usage += option.row.required ? " " + option.name() : fmt::format(" [{}]", option.name());
      by_place += option_entry(option);
      continue;
    }
    options += option.heading == heading ? "" : fmt::format("\n{}:\n", option.heading);
    options += option_entry(option);
    heading = option.heading;
  }
  for (const CommandRow& verb : kCommands) {
    if (verb.name.starts_with(name + " ")) {
      verbs += entry(std::string(verb.name.substr(name.size() + 1)), std::string(verb.help));
    }
  }
  std::string examples;
  for (const std::string_view example : split(command.examples, '\n')) {
    examples += example.empty() ? "" : fmt::format("  tilecast {}\n", example);
  }
  return wrapped("", command.help) + usage +
         (verbs.empty() ? " [OPTION...]\n" : " COMMAND [OPTION...]\n\nCommands:\n" + verbs) +
         (by_place.empty() ? "" : "\n" + by_place) +
         (examples.empty() ? "" : "\nExamples:\n" + examples) + options;
}

std::string help_text(Host host, bool all) {
  std::string text =
      "Predicts how fast a GPU kernel runs for every schedule and tiling of a problem\n"
      "Usage: tilecast COMMAND [OPTION...]\n\n" +
      entry("COMMAND --help", "Print what the command does and its options") +
      entry("--help-all", "Also list the commands that maintain a data set") +
      entry("--version", "The version");
  std::string_view heading;
  for (const CommandRow& row : kCommands) {
    if (lists(host, row) && (all || row.heading != kMaintain)) {
      text += row.heading == heading ? "" : fmt::format("\n{}:\n", row.heading);
      text += entry(std::string(row.name), std::string(row.help));
      heading = row.heading;
    }
  }
  return text;
}

int run_program(Host host, const std::string& version, const std::vector<RunCommand>& commands,
                int argc, char** argv) {
  // A file at its size limit is then an output error instead of a silent termination. If the reader
  // closed the pipe, the program ends below, so that unfinished measurements and files are
  // completed first.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Waiting::begin_command();
  try {
    occupy_standard_streams();
    run_words(host, version, commands, {argv + std::min(argc, 1), argv + argc}, argv);
    check_standard_output();
    return static_cast<int>(ExitCode::kDone);
  } catch (const Error& error) {
    std::fflush(stdout);
    return fail(error.code(), error.what());
  } catch (const ReaderGone&) {
    return kReaderGone;
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kWrong, "out of memory");
  } catch (const std::system_error& error) {  // thrown by fmt::print, std::filesystem
    if (std::ferror(stdout) != 0 && error.code() == std::errc::broken_pipe) {
      return kReaderGone;
    }
    return fail(ExitCode::kFile,
                std::ferror(stdout) != 0
                    ? std::string("standard output: cannot write: ") + error.code().message()
                    : error.what());
  } catch (const std::exception& error) {
    return fail(ExitCode::kWrong, std::string("internal error: ") + error.what());
  }
}

}  // namespace tilecast
