#include "core/log.h"

#include "core/visible_text.h"

#include <cstdint>
#include <iostream>
#include <map>
#include <mutex>

namespace haloscope::log {

namespace {

struct State {
  std::mutex mutex;
  Sink sink = [](Level level, const std::string& message) {
    std::cerr << (level == Level::Warning ? "warning: " : "") << visible_text(message) << "\n";
  };
  std::map<std::string, std::uint64_t> repeats;
};

State& state() {
  static State instance;
  return instance;
}

}  // namespace

Sink set_sink(Sink sink) {
  std::lock_guard lock(state().mutex);
  std::swap(state().sink, sink);
  return sink;
}

void info(const std::string& message) {
  std::lock_guard lock(state().mutex);
  state().sink(Level::Info, message);
}

void warn(const std::string& base, const std::string& detail) {
  std::lock_guard lock(state().mutex);
  if (state().repeats[base]++ == 0)
    state().sink(Level::Warning, detail.empty() ? base : base + ": " + detail);
}

void flush() {
  std::lock_guard lock(state().mutex);
  for (const auto& [base, count] : state().repeats)
    if (count > 1)
      state().sink(Level::Warning, base + " (" + std::to_string(count) + " times in all)");
  state().repeats.clear();
}

}  // namespace haloscope::log
