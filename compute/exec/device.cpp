#include "compute/exec/device.h"

#include "compute/exec/gpus.h"
#include "core/error.h"

#include <fmt/format.h>

#include <charconv>

namespace haloscope::compute {

namespace {

constexpr const char* kUseCpu = "use --device cpu";

std::string option(const std::string& word) {
  return "--device " + word;
}

// "cuda (NVIDIA L40S, 48 GB), cuda:1 (…)"
std::string list_of(const Gpus& gpus) {
  std::string list;
  for (int n = 0; n < gpus.count(); ++n) {
    const DeviceFacts facts = gpus.facts(n);
    list += fmt::format("{}{} ({}, {:.0f} GB)", n > 0 ? ", " : "", Device::cuda(n).word(),
                        facts.name, double(facts.bytes) / 1e9);
  }
  return list;
}

Device choose_gpu(Device asked, const std::string& word, const Gpus& gpus) {
  if (!gpus.built_in())
    throw Error(gpus.why_none(), option(word),
                "use --device cpu, or build with a CUDA toolkit (12 or newer)");
  if (gpus.count() == 0) throw Error("no usable GPU: " + gpus.why_none(), option(word), kUseCpu);
  if (asked.number >= gpus.count())
    throw Error(fmt::format("there is no GPU {}: this machine has {}, {}", asked.number,
                            gpus.count(), list_of(gpus)),
                option(word), "use one of them, or --device cpu");
  std::string why;
  if (!gpus.usable(asked.number, why)) throw Error("no usable GPU: " + why, option(word), kUseCpu);
  return asked;
}

Device choose_any(const std::optional<GpuId>& preferred, const Gpus& gpus) {
  std::string why;
  if (preferred)
    for (int n = 0; n < gpus.count(); ++n)
      if (gpus.facts(n).id == *preferred && gpus.usable(n, why)) return Device::cuda(n);
  for (int n = 0; n < gpus.count(); ++n)
    if (gpus.usable(n, why)) return Device::cuda(n);
  return Device::cpu();
}

}  // namespace

std::string Device::word() const {
  if (!is_gpu()) return "cpu";
  return number == 0 ? "cuda" : fmt::format("cuda:{}", number);
}

std::optional<Device> parse_device(const std::string& word) {
  if (word == "auto") return {};
  if (word == "cpu") return Device::cpu();
  if (word == "cuda") return Device::cuda();
  const std::string prefix = "cuda:";
  if (word.starts_with(prefix)) {
    const char* const first = word.data() + prefix.size();
    const char* const last = word.data() + word.size();
    int number = 0;
    const auto [end, fault] = std::from_chars(first, last, number);
    if (fault == std::errc() && end == last && number >= 0) return Device::cuda(number);
  }
  throw Error("'" + word + "' is not one of auto|cpu|cuda|cuda:N", "--device");
}

std::vector<Device> devices() {
  std::vector<Device> all{Device::cpu()};
  for (int n = 0; n < gpus_here().count(); ++n) all.push_back(Device::cuda(n));
  return all;
}

DeviceFacts facts_of(Device device) {
  return device.is_gpu() ? gpus_here().facts(device.number) : DeviceFacts{"cpu", 0, {}};
}

bool is_usable(Device device, std::string* why) {
  if (!device.is_gpu()) return true;
  const Gpus& gpus = gpus_here();
  std::string reason;
  if (gpus.count() == 0)
    reason = gpus.why_none();
  else if (device.number >= gpus.count())
    reason = fmt::format("there is no GPU {}", device.number);
  else if (gpus.usable(device.number, reason))
    return true;
  if (why) *why = reason;
  return false;
}

Device choose_device(const std::string& word, const std::optional<GpuId>& preferred) {
  return choose_device(word, preferred, gpus_here());
}

Device choose_device(const std::string& word, const std::optional<GpuId>& preferred,
                     const Gpus& gpus) {
  const auto asked = parse_device(word);
  if (!asked) return choose_any(preferred, gpus);
  return asked->is_gpu() ? choose_gpu(*asked, word, gpus) : *asked;
}

}  // namespace haloscope::compute
