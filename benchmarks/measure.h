#pragma once

#include "benchmarks/universe.h"
#include "core/timings.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace haloscope::benchmarks {

struct Measured {
  Statistics milliseconds;  // of all phases together
  Statistics wall;          // of the whole run, ms
  Statistics core_seconds;  // of the whole run, on all cores together
  std::map<std::string, Statistics> phases;
};

// Calls run(timings) once to warm up, unless it `is_warm`, then `repeats` times, and prints each
// phase, and what all phases took together.
template <class Run>
Measured measure(int repeats, const Run& run, bool is_warm = false) {
  using Clock = std::chrono::steady_clock;
  std::map<std::string, std::vector<double>> phases;
  std::vector<double> totals, walls, processor;
  for (int repeat = is_warm ? 0 : -1; repeat < repeats; ++repeat) {
    Timings timings;
    const std::clock_t before = std::clock();
    const auto begin = Clock::now();
    run(timings);
    if (repeat < 0) continue;
    walls.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    processor.push_back(double(std::clock() - before) / CLOCKS_PER_SEC);
    double total = 0;
    const Timings summed = timings.summed();
    for (const auto& [phase, samples] : summed.samples()) {
      phases[phase].push_back(samples.front());
      total += samples.front();
    }
    totals.push_back(total);
  }
  const auto print = [](const std::string& name, const Statistics& s) {
    fmt::print("  {:16} {:10.2f} ms ({:.2f} to {:.2f})\n", name, s.median, s.low, s.high);
  };
  Measured measured{statistics(totals), statistics(walls), statistics(processor), {}};
  for (const auto& [phase, samples] : phases) {
    measured.phases[phase] = statistics(samples);
    print(phase, measured.phases[phase]);
  }
  if (phases.size() > 1) print("all", measured.milliseconds);
  std::fflush(stdout);
  return measured;
}

}  // namespace haloscope::benchmarks
