#include "benchmarks/over_gpus.h"

#include "benchmarks/universe.h"
#include "core/error.h"

#include <fmt/core.h>

#include <bit>

namespace haloscope::benchmarks {

std::vector<compute::Device> devices_named(const std::vector<std::string>& words) {
  std::vector<compute::Device> devices;
  for (const std::string& word : words) devices.push_back(compute::choose_device(word));
  return devices;
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

void PhaseTimes::add(const Timings& timings) {
  const Timings summed = timings.summed();
  for (const auto& [phase, samples] : summed.samples()) samples_[phase].push_back(samples.front());
}

std::string PhaseTimes::in_words(int decimals) const {
  std::string text;
  for (const auto& [phase, samples] : samples_)
    text += fmt::format(" {} {:.{}f}", phase, statistics(samples).median, decimals);
  return text;
}

void require_powers_of_two(std::uint32_t copies, std::uint32_t devices) {
  if (!std::has_single_bit(copies) || !std::has_single_bit(devices))
    throw Error("copies and devices must be powers of two", "--copies");
}

}  // namespace haloscope::benchmarks
