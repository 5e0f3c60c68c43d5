#pragma once

#include <functional>
#include <string>

// The program's log. Warnings with the same base text are batched and counted, so that a loop over
// a billion particles cannot flood a terminal or a window.
namespace haloscope::log {

enum class Level { Info, Warning };

using Sink = std::function<void(Level, const std::string&)>;

// Replaces where messages go (default: standard error); returns the former sink.
Sink set_sink(Sink sink);

void info(const std::string& message);

// `base` names the kind of trouble, `detail` the instance; only the first of each base is printed
// at once, the others are counted until flush().
void warn(const std::string& base, const std::string& detail = {});

// Prints how often each warning was repeated since the last flush.
void flush();

}  // namespace haloscope::log
