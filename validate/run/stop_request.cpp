#include "validate/run/stop_request.h"

#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <system_error>

namespace tilecast {
namespace {

using Note = std::atomic<int>;
static_assert(Note::is_always_lock_free, "a signal handler writes it");

Note* note = nullptr;

void take_note(int signal_number) { note->store(signal_number); }

}  // namespace

void heed_stop_requests() {
  if (note == nullptr) {
    void* const page =
        ::mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "mmap");
    }
    note = new (page) Note(0);
  }
  struct sigaction action {};
  action.sa_handler = take_note;
  action.sa_flags = SA_RESTART;
  for (const int signal_number : {SIGTERM, SIGUSR1}) {
    ::sigaction(signal_number, &action, nullptr);
  }
}

std::string_view stop_requested() {
  switch (note == nullptr ? 0 : note->load()) {
    case SIGTERM:
      return "SIGTERM";
    case SIGUSR1:
      return "SIGUSR1";
    default:
      return "";
  }
}

}  // namespace tilecast
