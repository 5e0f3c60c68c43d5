#include "io/snapshots/gadget_binary_blocks.h"

#include "core/error.h"
#include "io/bytes/byte_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

namespace haloscope::io {

namespace {

constexpr std::size_t kMostBlocks = 1024;
constexpr std::uint64_t kWrap = std::uint64_t(1) << 32;

std::string trimmed(std::string label) {
  while (!label.empty() && (label.back() == ' ' || label.back() == '\0')) label.pop_back();
  for (char& c : label)
    if (c < 33 || c > 126) c = '_';
  return label;
}

// Walks from record to record.
class Records {
 public:
  Records(const PositionedFile& file, const std::string& path, const GadgetBinaryHeader& header)
      : file_(file), path_(path), header_(header), at_(header.end) {
    std::uint64_t with_mass = 0;
    for (std::size_t type = 0; type < header.count.size(); ++type)
      if (header.mass[type] == 0) with_mass += header.count[type];
    for (const std::uint64_t n : {header.particles(), with_mass, header.count[0]}) {
      for (const std::uint64_t bytes : {4, 8}) scalars_.push_back(n * bytes);
      for (const std::uint64_t bytes : {12, 24}) vectors_.push_back(n * bytes);
    }
  }

  bool at_end() const { return at_ == file_.size(); }

  // The next record, named `name` in messages; `vector`: of three values per particle.
  GadgetBlock next(const std::string& name, bool vector = false) {
    if (file_.size() - at_ < 8) truncated(name, 8);
    const std::uint64_t length = word(at_);
    const auto bytes = true_length(length, vector);
    if (!bytes) {
      if (length > file_.size() - at_ - 8) truncated(name, length + 8);
      throw BadFile(fmt::format("the lengths before and behind {} differ ({} and {} bytes)", name,
                                length, word(at_ + 4 + length)),
                    path_, "the file is damaged: copy it again");
    }
    const GadgetBlock block{"", at_ + 4, *bytes};
    at_ += *bytes + 8;
    return block;
  }

 private:
  std::uint64_t word(std::uint64_t offset) const {
    char bytes[4];
    file_.read(offset, 4, bytes, "the length of a block");
    return value_at<std::uint32_t>(bytes, header_.swap);
  }

  bool ends_after(std::uint64_t bytes, std::uint64_t length) const {
    return bytes <= file_.size() - at_ - 8 && word(at_ + 4 + bytes) == length;
  }

  // The counts go first: the positions of 1024^3 particles carry the length 0, which any file with
  // two zeros there would confirm.
  std::optional<std::uint64_t> true_length(std::uint64_t length, bool vector) const {
    for (const auto& expected : {vector ? vectors_ : scalars_, vector ? scalars_ : vectors_})
      for (const std::uint64_t bytes : expected)
        if (bytes >= kWrap && bytes % kWrap == length && ends_after(bytes, length)) return bytes;
    for (std::uint64_t bytes = length; bytes <= file_.size() - at_ - 8; bytes += kWrap)
      if (ends_after(bytes, length)) return bytes;
    return {};
  }

  [[noreturn]] void truncated(const std::string& name, std::uint64_t needed) const {
    throw BadFile(fmt::format("the file is truncated: {} needs {} bytes, of which {} are there",
                              name, needed, file_.size() - at_),
                  path_, "copy it again");
  }

  const PositionedFile& file_;
  const std::string& path_;
  const GadgetBinaryHeader& header_;
  std::uint64_t at_;
  std::vector<std::uint64_t> scalars_, vectors_;
};

// Some values from the beginning and the end of a block.
std::vector<double> sample(const PositionedFile& file, const GadgetBlock& block,
                           std::uint64_t value_bytes, bool swap) {
  constexpr std::uint64_t kSample = 4096;
  const std::uint64_t values = block.bytes / value_bytes;
  const std::uint64_t n = std::min(values, kSample);
  std::vector<double> out;
  std::vector<char> bytes(n * value_bytes);
  for (const std::uint64_t first : {std::uint64_t(0), values - n}) {
    file.read(block.offset + first * value_bytes, bytes.size(), bytes.data(), "a block");
    for (std::uint64_t i = 0; i < n; ++i) {
      const char* at = bytes.data() + i * value_bytes;
      out.push_back(value_bytes == 4 ? double(value_at<float>(at, swap))
                                     : value_at<double>(at, swap));
    }
  }
  return out;
}

bool all_within(const std::vector<double>& values, double low, double high) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v >= low && v <= high; });
}

bool all_positive(const std::vector<double>& values) {
  return all_within(values, 0, 1e300) &&
         std::none_of(values.begin(), values.end(), [](double v) { return v == 0; });
}

bool has_size(const GadgetBlock& block, std::uint64_t values) {
  return values > 0 && (block.bytes == 4 * values || block.bytes == 8 * values);
}

}  // namespace

const GadgetBlock* GadgetBinaryFile::find(const std::string& label) const {
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [&](const GadgetBlock& block) { return block.label == label; });
  return found == blocks.end() ? nullptr : &*found;
}

std::vector<GadgetBlock> list_gadget_blocks(const PositionedFile& file, const std::string& path,
                                            const GadgetBinaryHeader& header) {
  std::vector<GadgetBlock> blocks;
  Records records(file, path, header);
  while (!records.at_end()) {
    if (blocks.size() == kMostBlocks)
      throw BadFile(fmt::format("the file holds more than {} blocks", kMostBlocks), path,
                    "the file is damaged: copy it again");
    std::string label;
    std::string name = fmt::format("block {}", blocks.size() + 1);
    if (header.format == 2) {
      const GadgetBlock head = records.next("the label of " + name);
      if (head.bytes != 8)
        throw BadFile(fmt::format("{} has a label of {} bytes, expected 8", name, head.bytes), path,
                      "the file is damaged: copy it again");
      label.resize(4);
      file.read(head.offset, 4, label.data(), "the label of " + name);
      label = trimmed(label);
      name = "block " + label;
    }
    const bool vector = header.format == 1 ? blocks.size() < 2
                                           : label == "POS" || label == "VEL" || label == "ACCE";
    blocks.push_back(records.next(name, vector));
    blocks.back().label = label;
  }
  return blocks;
}

namespace {

void label_blocks(const PositionedFile& file, GadgetBinaryFile& one) {
  const GadgetBinaryHeader& header = one.header;
  const std::uint64_t all = header.particles(), gas = header.count[0];
  std::uint64_t with_mass = 0;
  for (std::size_t type = 0; type < header.count.size(); ++type)
    if (header.mass[type] == 0) with_mass += header.count[type];
  auto& blocks = one.blocks;
  std::size_t next = 0;
  auto take = [&](const char* label, std::uint64_t values) {
    if (next >= blocks.size() || !has_size(blocks[next], values)) return false;
    blocks[next++].label = label;
    return true;
  };
  if (!take("POS", 3 * all) || !take("VEL", 3 * all) || !take("ID", all)) return;
  if (with_mass > 0 && !take("MASS", with_mass)) return;
  if (!take("U", gas) || !take("RHO", gas)) return;

  std::size_t end = next;
  while (end < blocks.size() && has_size(blocks[end], gas)) ++end;
  auto values = [&](std::size_t i, std::uint64_t n) {
    return sample(file, blocks[i], blocks[i].bytes / n, header.swap);
  };
  const double longest = header.box > 0 ? header.box : 1e300;
  auto are_lengths = [&](const std::vector<double>& some) {
    return all_positive(some) && all_within(some, 0, longest);
  };
  if (header.cooling && end - next >= 3) {
    // Electrons per hydrogen nucleus reach 1.16 (helium ionized, too), the neutral fraction 1.
    if (all_within(values(next, gas), 0, 1.3) && all_within(values(next + 1, gas), 0, 1.01) &&
        are_lengths(values(next + 2, gas))) {
      take("NE", gas);
      take("NH", gas);
      take("HSML", gas);
    }
  } else if (end > next && (!header.cooling || end - next == 1) && are_lengths(values(next, gas))) {
    take("HSML", gas);
  }
  // POT and TSTP have the same size: only potentials are negative.
  for (std::size_t i = end; i < blocks.size(); ++i) {
    if (!one.find("POT") && all != gas && has_size(blocks[i], all)) {
      const auto some = values(i, all);
      if (std::any_of(some.begin(), some.end(), [](double v) { return v < 0; }))
        blocks[i].label = "POT";
    } else if (!one.find("ACCE") && has_size(blocks[i], 3 * all)) {
      blocks[i].label = "ACCE";
    }
  }
}

}  // namespace

std::map<std::string, std::size_t> label_by_order(const PositionedFile& file,
                                                  GadgetBinaryFile& one) {
  label_blocks(file, one);
  std::map<std::string, std::size_t> guessed;
  for (std::size_t i = 0; i < one.blocks.size(); ++i) {
    const std::string& label = one.blocks[i].label;
    if (!label.empty() && label != "POS" && label != "VEL" && label != "ID" && label != "MASS")
      guessed.emplace(label, i + 1);
  }
  return guessed;
}

}  // namespace haloscope::io
