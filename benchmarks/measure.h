#pragma once

#include "benchmarks/universe.h"
#include "core/timings.h"

#include <fmt/core.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace haloscope::benchmarks {

// Calls run(timings) once to warm up, then `repeats` times, and prints each phase, and what all
// phases took together.
template <class Run>
void measure(int repeats, const Run& run) {
  std::map<std::string, std::vector<double>> phases;
  std::vector<double> totals;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    Timings timings;
    run(timings);
    if (repeat < 0) continue;
    double total = 0;
    const Timings summed = timings.summed();
    for (const auto& [phase, samples] : summed.samples()) {
      phases[phase].push_back(samples.front());
      total += samples.front();
    }
    totals.push_back(total);
  }
  const auto print = [](const std::string& name, const std::vector<double>& samples) {
    const Statistics s = statistics(samples);
    fmt::print("  {:16} {:10.2f} ms ({:.2f} to {:.2f})\n", name, s.median, s.low, s.high);
  };
  for (const auto& [phase, samples] : phases) print(phase, samples);
  if (phases.size() > 1) print("all", totals);
  std::fflush(stdout);
}

}  // namespace haloscope::benchmarks
