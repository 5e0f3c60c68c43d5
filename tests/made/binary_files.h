#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

// Writers of small binary snapshots (Gadget formats 1 and 2, Tipsy) for the tests: nothing here
// shares code with the readers.
namespace binary_files {

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Bytes of values one after the other, in this machine's order or the other.
class Bytes {
 public:
  explicit Bytes(bool swap = false) : swap_(swap) {}

  template <class T>
  Bytes& put(T value) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    if (swap_) std::reverse(one.begin(), one.end());
    text += one;
    return *this;
  }
  template <class T, class U>
  Bytes& put_all(const std::vector<U>& values) {
    for (const U& value : values) put<T>(T(value));
    return *this;
  }
  Bytes& raw(const std::string& bytes) {
    text += bytes;
    return *this;
  }

  std::string text;

 private:
  bool swap_;
};

// A Gadget file whose header, blocks and labels are all at the test's choice.
struct GadgetBinary {
  int format = 1;
  bool swap = false, eight_bytes = false, long_ids = false;
  int native_types = 0;  // > 0: GADGET-4's own header for as many types
  std::vector<std::uint64_t> count{0, 0, 0, 0, 0, 0};
  std::vector<std::uint64_t> total{};  // empty: as count
  std::vector<double> mass{0, 0, 0, 0, 0, 0};
  double time = 0.5, redshift = 1, box = 10, omega = 0.3, lambda = 0.7, hubble = 0.7;
  std::uint32_t files = 1, cooling = 0;
  std::vector<std::pair<std::string, std::string>> blocks{};

  std::string header() const {
    const std::vector<std::uint64_t>& totals = total.empty() ? count : total;
    Bytes out(swap);
    if (native_types > 0) {
      out.put_all<std::uint64_t>(count).put_all<std::uint64_t>(totals).put_all<double>(mass);
      out.put(time).put(redshift).put(box).put(files).put<std::uint32_t>(0);
      out.put<std::uint64_t>(0).put<std::uint64_t>(0);
      return out.text;
    }
    out.put_all<std::uint32_t>(count).put_all<double>(mass).put(time).put(redshift);
    out.put<std::uint32_t>(0).put<std::uint32_t>(0).put_all<std::uint32_t>(totals);
    out.put(cooling).put(files).put(box).put(omega).put(lambda).put(hubble);
    out.put<std::uint32_t>(0).put<std::uint32_t>(0);
    for (const std::uint64_t n : totals) out.put(std::uint32_t(n >> 32));
    out.text.resize(256);
    return out.text;
  }

  GadgetBinary& reals(const std::string& label, const std::vector<double>& values) {
    Bytes out(swap);
    if (eight_bytes)
      out.put_all<double>(values);
    else
      out.put_all<float>(values);
    blocks.emplace_back(label, out.text);
    return *this;
  }
  GadgetBinary& ids(const std::vector<std::uint64_t>& values) {
    Bytes out(swap);
    if (long_ids)
      out.put_all<std::uint64_t>(values);
    else
      out.put_all<std::uint32_t>(values);
    blocks.emplace_back("ID", out.text);
    return *this;
  }

  std::string bytes() const {
    Bytes out(swap);
    auto record = [&](std::string label, const std::string& data) {
      label.resize(4, ' ');
      if (format == 2)
        out.put<std::uint32_t>(8).raw(label).put(std::uint32_t(data.size() + 8)).put(8U);
      out.put(std::uint32_t(data.size())).raw(data).put(std::uint32_t(data.size()));
    };
    record("HEAD", header());
    for (const auto& [label, data] : blocks) record(label, data);
    return out.text;
  }
  void write(const std::string& path) const { write_bytes(path, bytes()); }
};

// `count` values that differ from each other and, in float32, from their neighbors; the same for
// the same arguments.
inline std::vector<double> some_values(std::size_t count, double low, double high,
                                       std::uint64_t seed) {
  std::vector<double> values(count);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
  for (double& value : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = double(float(low + (high - low) * double(state >> 40) / double(1 << 24)));
  }
  return values;
}

// What a Tipsy file holds: rows of gas (12 values), dark matter (9) and stars (11), each record's
// values in the file's order.
struct Tipsy {
  bool swap = true;  // big endian on this machine: the standard
  bool pad = true, double_positions = false, double_velocities = false;
  double time = 0.5;
  std::vector<std::vector<double>> gas{}, dark{}, stars{};
  std::uint32_t pad_bits = 0;

  std::string bytes() const {
    Bytes out(swap);
    out.put(time).put(std::uint32_t(gas.size() + dark.size() + stars.size())).put(3U);
    out.put(std::uint32_t(gas.size())).put(std::uint32_t(dark.size()));
    out.put(std::uint32_t(stars.size()));
    if (pad) out.put(pad_bits);
    for (const auto* rows : {&gas, &dark, &stars})
      for (const auto& row : *rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
          const bool position = i >= 1 && i <= 3, velocity = i >= 4 && i <= 6;
          if ((position && double_positions) || (velocity && double_velocities))
            out.put<double>(row[i]);
          else
            out.put<float>(float(row[i]));
        }
    return out.text;
  }
  void write(const std::string& path) const { write_bytes(path, bytes()); }
};

}  // namespace binary_files
