#include "cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cli/forward.h"
#include "cli/output_parts.h"
#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/system_reason.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Keeps a file opened later from becoming standard output. Writing to a closed standard output
/// still fails; messages for a closed standard error are lost.
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

/// The exit code of a program whose reader went away (`... | head -1`), as a shell shows it.
constexpr int kReaderGone = 128 + SIGPIPE;

struct ReaderGone {};

/// Whether standard output is a pipe that nobody reads any more. Asked afterwards, because the
/// write that failed may have been any of many, and its errno is gone.
bool reader_is_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/// Throws FileError where anything written to standard output so far was lost, ReaderGone where
/// nobody wanted the rest.
void check_standard_output() {
  std::cout.flush();
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0 && std::cout) {
    return;
  }
  if (reader_is_gone()) {
    throw ReaderGone();
  }
  throw FileError(std::string("standard output: cannot write") +
                  (error != 0 ? std::string(": ") + system_reason(error) : ""));
}

std::vector<CLI::App*> every_command(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : every_command(app)) {
    if (!command->get_group().empty()) {  // else it is for other programs
      names.push_back(command->get_name());
    }
  }
  return names;
}

/// The options of the program, or of the command that was being parsed.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// Those that `given` may be a slip of: the first letter is rarely the wrong one, and of short
/// names any other is one letter away.
std::string option_meant(const std::string& given, const CLI::App& command) {
  std::vector<std::string> names = option_names(command);
  std::erase_if(names, [&](const std::string& name) {
    return name.substr(0, std::strlen("--x")) != given.substr(0, std::strlen("--x"));
  });
  return did_you_mean(given, names);
}

/// "campaign plan " of that verb; empty of the program.
std::string path_of(const CLI::App& command) {
  return command.get_parent() == nullptr
             ? ""
             : path_of(*command.get_parent()) + command.get_name() + " ";
}

/// The innermost command that the arguments named.
const CLI::App& chosen(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  return commands.empty() ? app : chosen(*commands.front());
}

void check_command(CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = command_names(app);
  const std::string word = arguments.empty() ? "" : arguments.front();
  if (arguments.empty()) {
    throw ConfigError("a command is needed: " + join(names, ", ") + "; see tilecast " +
                      path_of(app) + "--help");
  }
  if (word.starts_with('-')) {
    const std::string option(word.substr(0, word.find('=')));
    if (app.get_option_no_throw(option) == nullptr) {
      throw ConfigError("unknown option '" + option + "'" + option_meant(option, app) +
                        "; see tilecast " + path_of(app) + "--help");
    }
    return;
  }
  for (CLI::App* command : every_command(app)) {
    if (command->get_name() == word) {
      if (!every_command(*command).empty()) {
        check_command(*command, {arguments.begin() + 1, arguments.end()});
      }
      return;
    }
  }
  throw ConfigError("unknown command '" + std::string(word) + "': expected one of " +
                    join(names, ", ") + did_you_mean(word, names));
}

/// CLI11's own words, where they are not a reader's.
std::string said_plainly(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find_first_of(": "));
  const auto says = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (says("flag override")) {
      return "--" + name + ": takes no value";
    }
    if (says(" missing")) {
      return name + ": expected a value";
    }
    constexpr std::string_view kAtMost = "At Most ";
    const std::size_t at = text.find(kAtMost), given = text.rfind(' ');
    return at == text.npos
               ? text
               : fmt::format("{}: expected at most {}, got {}", name,
                             text.substr(at + kAtMost.size(), 1), text.substr(given + 1));
  }
  if (const std::size_t at = text.find(" excludes ");
      dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr && at != std::string::npos) {
    return text.substr(0, at) + ": not allowed with " + text.substr(at + 10);
  }
  return text;
}

std::string describe(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen(app);
  const std::string help = fmt::format("; see tilecast {}--help", path_of(command));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    for (const std::string& word : app.remaining(true)) {
      if (word.starts_with('-') && word != "-" && word != "--") {
        const std::string name = word.substr(0, word.find('='));
        return fmt::format("unknown option '{}'{}{}", name, option_meant(name, command), help);
      }
    }
    const std::vector<std::string> words = app.remaining(true);
    if (!words.empty()) {
      return "unexpected argument '" + words.front() + "'" + help;
    }
  }
  return said_plainly(error) + help;
}

int fail(ExitCode code, const std::string& message) {
  const std::string line = "tilecast: " + message_line(without_groups(message)) + "\n";
  std::fputs(line.c_str(), stderr);  // not fmt::print, which throws where standard error is closed
  return static_cast<int>(code);
}

/// An option that is given has a value: `--out "$UNSET"` is a mistake, and never the current
/// folder.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0) {
      option->check([](const std::string& value) {
        return value.empty() ? "expected a value, got an empty text" : "";
      });
    }
  }
  for (CLI::App* command : every_command(app)) {
    refuse_empty_values(*command);
  }
}

void parse_and_run(CLI::App& app, std::vector<std::string> arguments) {
  check_command(app, arguments);
  refuse_empty_values(app);
  try {
    std::ranges::reverse(arguments);  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::Success& help) {  // --help, --version
    app.exit(help, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    throw ConfigError(describe(app, error));
  }
}

/// What --help lists commands under; it leaves out those of the last heading, --help-all does not.
struct Heading {
  const char* text;
  std::vector<std::string> commands;
};
const std::vector<Heading>& headings() {
  static const std::vector<Heading> kHeadings{
      {"Forecast", {"predict", "explain", "compare", "emit", "list", "gpus"}},
      {"Run on a GPU", {"measure", "doctor"}},
      {"Calibrate", {"calibrate", "validate", "micro", "report"}},
      {"Maintain", {}}};  // all others
  return kHeadings;
}

const char* heading_of(const std::string& command) {
  const auto found = std::ranges::find_if(headings(), [&](const Heading& heading) {
    return std::ranges::find(heading.commands, command) != heading.commands.end();
  });
  return found != headings().end() ? found->text : headings().back().text;
}

/// CLI11 tells the words of a check only as text, {table,json}.
std::vector<std::string> words_of(CLI::Option& option) {
  try {
    const std::string text = option.get_validator(kOneOf)->get_description();
    std::vector<std::string> words;
    for (const std::string_view word :
         split(std::string_view(text).substr(1, text.size() - 2), ',')) {
      words.emplace_back(word);
    }
    return words;
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

/// --help in lines of a terminal: names, what they take, and the default behind the meaning.
class PlainHelp : public CLI::Formatter {
 public:
  bool shows_all = false;

  std::string make_option(const CLI::Option* option, bool positional) const override {
    std::string name = make_option_name(option, positional);
    name = name.substr(0, name.find(','));  // the others are aliases
    const std::vector<std::string> words = words_of(*const_cast<CLI::Option*>(option));
    std::string meaning = option->get_description();
    if (!words.empty()) {
      meaning += " (" + join(words, ", ") + ")";
    }
    std::string usual = option->get_default_str();
    std::erase_if(usual, [](char c) { return c == '[' || c == ']'; });  // of a list
    if (!usual.empty()) {
      meaning += "; default " + usual;
    }
    const bool takes_value = option->get_items_expected_max() > 0 && !positional;
    return entry(name + (takes_value ? " VALUE" : ""), meaning);
  }

  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode) const override {
    std::string text;
    if (app->get_parent() != nullptr) {  // its verbs
      for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
        text += (text.empty() ? "\nCommands:\n" : "") +
                entry(command->get_name(), command->get_description());
      }
      return text;
    }
    for (const Heading& heading : headings()) {
      std::string entries;
      for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_group() == heading.text) {
          entries += entry(command->get_name(), command->get_description());
        }
      }
      if (!entries.empty() && (shows_all || &heading != &headings().back())) {
        text += fmt::format("\n{}:\n{}", heading.text, entries);
      }
    }
    return text;
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(Formatter::make_help(app, std::move(name), mode), "\n\n\n",
                                         "\n\n");
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = "Usage: " + name;
    for (const CLI::Option* option :
         app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      text += " " + make_option_name(option, true);
    }
    return text + (app->get_parent() != nullptr ? " [OPTION...]" : " COMMAND [OPTION...]") + "\n";
  }

 private:
  static std::string entry(const std::string& name, const std::string& meaning) {
    constexpr std::size_t kMeaning = 22;
    const std::string head = "  " + name;
    return head.size() < kMeaning ? wrapped(fmt::format("{:<{}}", head, kMeaning), meaning)
                                  : head + "\n" + wrapped(std::string(kMeaning, ' '), meaning);
  }
};

/// `help`, `help COMMAND` and --help-all as what CLI11 takes.
std::vector<std::string> arguments_of(int argc, const char* const* argv, PlainHelp& help) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments.front() == "--help-all") {
    help.shows_all = true;
    arguments = {"--help"};
  } else if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  return arguments;
}

}  // namespace

Program::Program(const std::string& name, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->formatter(std::make_shared<PlainHelp>());
}

Program::~Program() = default;

void Program::set_version(const std::string& version) {
  app_->set_version_flag("--version", version);
}

Command Program::command(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description)->group(heading_of(name)));
}

Command Program::command(const std::string& name) { return command(name, description_of(name)); }

std::vector<OptionRow> Program::options() const {
  std::vector<OptionRow> rows;
  for (CLI::App* command : every_command(*app_)) {
    if (command->get_group().empty()) {  // for other programs
      continue;
    }
    rows.push_back({command->get_name(), "", {}});
    std::vector<CLI::App*> takers = every_command(*command);  // of a command's verbs, together
    if (!takers.empty()) {
      rows.push_back({command->get_name(), "VERB", command_names(*command)});
    }
    takers.push_back(command);
    for (CLI::App* taker : takers) {
      for (CLI::Option* option : taker->get_options()) {
        std::vector<std::string> names;
        for (const std::string& name : option->get_lnames()) {
          names.push_back("--" + name);
        }
        if (option->get_positional()) {
          names.push_back(option->get_name(true));
        }
        for (const std::string& name : names) {
          OptionRow row{command->get_name(), name, words_of(*option)};
          if (std::ranges::find(rows, row) == rows.end()) {
            rows.push_back(std::move(row));
          }
        }
      }
    }
  }
  return rows;
}

void Program::tell_options() {
  const Command command = this->command("option-table", "For tilecast completion");
  command.hides();
  command.runs([this] { fmt::print("{}", to_text(options())); });
}

int Program::run(int argc, const char* const* argv) {
  // A file at its size limit is an output error, not a silent death; a reader that went away ends
  // the program below, so that measurements and files under way are finished first.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    occupy_standard_streams();
    app_->require_subcommand(1);
    const auto help = std::dynamic_pointer_cast<PlainHelp>(app_->get_formatter());
    parse_and_run(*app_, arguments_of(argc, argv, *help));
    check_standard_output();
    return static_cast<int>(ExitCode::kDone);
  } catch (const Error& error) {
    std::fflush(stdout);
    return fail(error.code(), error.what());
  } catch (const ReaderGone&) {
    return kReaderGone;
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kWrong, "out of memory");
  } catch (const std::system_error& error) {  // fmt::print, std::filesystem
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
