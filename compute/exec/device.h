#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::compute {

// Where something is computed: the processor, or one of the GPUs that CUDA shows.
struct Device {
  enum class Kind { Cpu, Cuda };
  Kind kind = Kind::Cpu;
  int number = 0;  // of a GPU, as CUDA counts them; 0 of the processor

  static Device cpu() { return {}; }
  static Device cuda(int number = 0) { return {Kind::Cuda, number}; }

  bool is_gpu() const { return kind == Kind::Cuda; }
  // "cpu", "cuda", "cuda:1": the first GPU has no number.
  std::string word() const;
  bool operator==(const Device&) const = default;
};

// UUID of a GPU, the same in CUDA and in OpenGL (GL_EXT_memory_object).
using GpuId = std::array<std::uint8_t, 16>;

struct DeviceFacts {
  std::string name;         // "NVIDIA H100 80GB HBM3"; "cpu"
  std::uint64_t bytes = 0;  // of memory, free or not; of the processor: 0
  GpuId id{};
};

// The device that a word names: "cpu", "cuda", "cuda:1"; nothing for "auto". Asks no driver. Throws
// Error for any other word.
std::optional<Device> parse_device(const std::string& word);

// The processor and the GPUs that CUDA shows, in its order. A GPU for which this build has no code
// is among them.
std::vector<Device> devices();
DeviceFacts facts_of(Device device);

// Whether this build can compute there; if not, `why` gets the reason in a few words. Wakes the
// GPU.
bool is_usable(Device device, std::string* why = nullptr);

// The device of --device. "auto" takes `preferred` where this build can use it, else the first GPU
// that it can use, else the processor. Throws Error for a word that names no device, and where the
// one that it names cannot be had: one sentence that tells which there are.
Device choose_device(const std::string& word, const std::optional<GpuId>& preferred = {});

}  // namespace haloscope::compute
