#include "core/outputs.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <set>
#include <unistd.h>

namespace haloscope::outputs {

namespace {

struct State {
  std::mutex mutex;
  std::set<std::string> hidden;
  std::vector<std::string> written;
  int together = 0;
  bool stopped = false;
};

State& state() {
  // Never destroyed: a thread that ends the process may ask for it at the last.
  static State& all = *new State;
  return all;
}

// Under the mutex.
void remove_hidden(State& all) {
  for (const std::string& path : all.hidden) ::unlink(path.c_str());
  all.hidden.clear();
}

}  // namespace

bool begin(const std::string& hidden) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (all.stopped && all.together == 0) return false;
  all.hidden.insert(hidden);
  return true;
}

void end(const std::string& hidden) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.hidden.erase(hidden);
}

int give_name(const std::string& hidden, const std::string& name, const std::string& shown) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (all.stopped && all.together == 0) return ECANCELED;
  if (std::rename(hidden.c_str(), name.c_str()) != 0) return errno;
  all.hidden.erase(hidden);
  if (!shown.empty()) all.written.push_back(shown);
  return 0;
}

void stop() noexcept {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.stopped = true;
  if (all.together == 0) remove_hidden(all);
}

void resume() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  all.stopped = false;
  all.written.clear();
}

std::vector<std::string> written() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  return all.written;
}

std::string written_in_words() {
  constexpr std::size_t kMost = 3;
  const std::vector<std::string> files = written();
  if (files.empty()) return "nothing was written";
  std::string words = files[0];
  for (std::size_t k = 1; k < files.size() && k < kMost; ++k)
    words += (k + 1 == files.size() ? " and " : ", ") + files[k];
  if (files.size() > kMost) words += " and " + std::to_string(files.size() - kMost) + " more";
  return words + (files.size() == 1 ? " was" : " were") + " written, nothing else";
}

AllOrNone::AllOrNone() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  ++all.together;
}

AllOrNone::~AllOrNone() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (--all.together == 0 && all.stopped) remove_hidden(all);
}

}  // namespace haloscope::outputs
