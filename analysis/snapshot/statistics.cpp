#include "analysis/snapshot/statistics.h"

#include "analysis/snapshot/json_text.h"
#include "compute/exec/ranks.h"
#include "core/atomic_file.h"
#include "core/text_values.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <sys/resource.h>

namespace haloscope::analysis {

namespace {

// In the order in which they happen.
constexpr const char* kPhases[] = {
    "read", "smoothing lengths", "upload", "project", "sort", "small", "medium", "large",
    "wait", "composite",         "gather", "total"};

}  // namespace

void Statistics::add(const compute::splotch::Frame& frame) {
  counts = frame.counts;
  // A phase that ran several times in one frame counts as one.
  for (const auto& [phase, samples] : frame.timings.samples()) {
    double sum = 0;
    for (double ms : samples) sum += ms;
    timings.add(phase, sum);
  }
}

std::uint64_t peak_host_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::uint64_t(usage.ru_maxrss) * 1024;
}

nlohmann::json to_json(const Statistics& s) {
  nlohmann::json milliseconds;
  for (const char* phase : kPhases) milliseconds[phase] = s.timings.median(phase);
  for (const auto& [phase, samples] : s.timings.samples())
    milliseconds[phase] = s.timings.median(phase);
  return {{"device", s.device},
          {"ranks", s.ranks},
          {"image", {s.width, s.height}},
          {"repeat", s.repeat},
          {"counts",
           {{"particles", s.counts.particles},
            {"inactive", s.counts.inactive},
            {"small", s.counts.small},
            {"medium", s.counts.medium},
            {"large", s.counts.large},
            {"large_on_cpu", s.counts.large_on_cpu},
            {"mean_radius_pixels", s.counts.mean_radius_pixels}}},
          {"milliseconds", milliseconds},
          {"memory",
           {{"host_peak_bytes", s.host_peak_bytes}, {"device_peak_bytes", s.device_peak_bytes}}}};
}

void write_statistics(const std::string& path, const Statistics& statistics) {
  AtomicFile file(path);
  const std::string text = json_text(to_json(statistics)) + "\n";
  file.write(text.data(), text.size());
  file.commit();
}

std::string in_words(const Statistics& s) {
  const auto& c = s.counts;
  std::string text = fmt::format(
      "{} particles: {} small, {} medium, {} large, {} not in the picture; mean radius {:.2f} "
      "pixels\n",
      c.particles, c.small, c.medium, c.large, c.inactive, c.mean_radius_pixels);
  text += fmt::format("milliseconds on {}{}:", s.device, compute::ranks_in_words(s.ranks));
  for (const char* phase : kPhases)
    if (s.timings.samples().count(phase))
      text += fmt::format(" {} {:.1f}", phase, s.timings.median(phase));
  for (const auto& [phase, samples] : s.timings.samples())
    if (std::find(std::begin(kPhases), std::end(kPhases), phase) == std::end(kPhases))
      text += fmt::format(" ({} {:.1f})", phase, s.timings.median(phase));
  if (s.repeat > 1) text += fmt::format(" (medians of {} frames)", s.repeat);
  text += fmt::format("\npeak memory: {} host", bytes_in_words(s.host_peak_bytes));
  if (s.device_peak_bytes > 0)
    text += fmt::format(", {} device", bytes_in_words(s.device_peak_bytes));
  return text;
}

}  // namespace haloscope::analysis
