#include "io/snapshots/gadget_binary_fields.h"

#include "core/error.h"
#include "io/bytes/byte_order.h"
#include "io/bytes/strided_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>

namespace haloscope::io {

namespace {

using Files = std::vector<GadgetBinaryFile>;

enum class Among { All, WithoutTableMass, Gas, Stars, GasAndStars, StarsAndHoles };

struct KnownLabel {
  const char* label;
  const char* name;
  int components;  // 0: any number
  bool integer;
  std::vector<Among> among;  // the first that fits
};

const KnownLabel* known_label(const std::string& label) {
  using enum Among;
  static const std::vector<KnownLabel> table{
      {"POS", "Coordinates", 3, false, {All}},
      {"VEL", "Velocities", 3, false, {All}},
      {"ID", "ParticleIDs", 1, true, {All}},
      {"MASS", "Masses", 1, false, {WithoutTableMass, All}},
      {"U", "InternalEnergy", 1, false, {Gas}},
      {"RHO", "Density", 1, false, {Gas}},
      {"HSML", "SmoothingLength", 1, false, {Gas, All}},
      {"NE", "ElectronAbundance", 1, false, {Gas}},
      {"NH", "NeutralHydrogenAbundance", 1, false, {Gas}},
      {"SFR", "StarFormationRate", 1, false, {Gas}},
      {"TEMP", "Temperature", 1, false, {Gas}},
      {"PRES", "Pressure", 1, false, {Gas}},
      {"BFLD", "MagneticField", 3, false, {Gas}},
      {"ENDT", "RateOfChangeOfEntropy", 1, false, {Gas}},
      {"AGE", "StellarFormationTime", 1, false, {Stars, StarsAndHoles}},
      {"Z", "Metallicity", 0, false, {GasAndStars, Gas, Stars}},
      {"METAL", "Metallicity", 0, false, {GasAndStars, Gas, Stars}},
      {"METL", "Metallicity", 0, false, {GasAndStars, Gas, Stars}},
      {"POT", "Potential", 1, false, {All}},
      {"ACCE", "Acceleration", 3, false, {All}},
      {"TSTP", "TimeStep", 1, false, {All}},
  };
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const KnownLabel& one) { return label == one.label; });
  return found == table.end() ? nullptr : &*found;
}

class Explainer {
 public:
  explicit Explainer(const Files& files) : files_(files) {
    for (const auto& file : files)
      for (std::size_t type = 0; type < file.header.count.size(); ++type) {
        if (file.header.count[type] == 0) continue;
        present_ |= 1U << type;
        if (file.header.mass[type] == 0) without_mass_ |= 1U << type;
      }
  }

  GadgetFields run() {
    if (present_ == 0) return std::move(out_);
    value_bytes_ = check_positions();
    read_info_block();
    for (const auto& label : labels()) explain(label);
    if (!guessed_.empty())
      say("Blocks {} have unknown labels: taken as floating-point numbers.",
          fmt::join(guessed_, ", "));
    count_unlabeled();
    return std::move(out_);
  }

 private:
  struct Solution {
    std::uint32_t types;
    int components;
    std::size_t value_bytes;
  };

  std::uint64_t particles(const GadgetBinaryFile& file, std::uint32_t types) const {
    std::uint64_t n = 0;
    for (std::size_t type = 0; type < file.header.count.size(); ++type)
      if (types >> type & 1U) n += file.header.count[type];
    return n;
  }

  bool fits(const std::string& label, std::uint32_t types, std::uint64_t bytes_each) const {
    return std::all_of(files_.begin(), files_.end(), [&](const GadgetBinaryFile& file) {
      const GadgetBlock* block = file.find(label);
      return (block ? block->bytes : 0) == particles(file, types) * bytes_each;
    });
  }

  // Bytes of one coordinate.
  std::size_t check_positions() const {
    std::size_t bytes = 0;
    for (const auto& file : files_) {
      const std::uint64_t n = file.header.particles();
      if (n == 0) continue;
      const GadgetBlock* block = file.find("POS");
      const std::string wanted =
          fmt::format("4 or 8 bytes for each of the 3 coordinates of {} particles", n);
      if (!block && file.blocks.empty())
        throw BadFile("the block of positions is missing", file.path, "copy the file again");
      if (!block && file.header.format == 2)
        throw BadFile("the block POS is missing", file.path, "copy the file again");
      const std::uint64_t found = block ? block->bytes : file.blocks.front().bytes;
      if (found != 12 * n && found != 24 * n)
        throw BadFile(
            fmt::format("the block of positions has {} bytes, expected {}", found, wanted),
            file.path, "the file is damaged: copy it again");
      if (bytes != 0 && bytes != found / (3 * n))
        throw BadFile("the positions have another precision than in the snapshot's other files",
                      file.path, "remove the file that an earlier run left behind");
      bytes = found / (3 * n);
    }
    return bytes;
  }

  // In the order of the first file that has them.
  std::vector<std::string> labels() const {
    std::vector<std::string> all;
    for (const auto& file : files_)
      for (const auto& block : file.blocks)
        if (!block.label.empty() && block.label != "INFO" &&
            std::find(all.begin(), all.end(), block.label) == all.end())
          all.push_back(block.label);
    return all;
  }

  // Some codes tell their blocks: 40 bytes each of label, type, dimension and a flag per type.
  void read_info_block() {
    for (const auto& file : files_) {
      const GadgetBlock* block = file.find("INFO");
      if (!block || block->bytes == 0 || block->bytes % 40 != 0 || block->bytes > 40 * 1024)
        continue;
      std::vector<char> bytes(block->bytes);
      PositionedFile(file.path).read(block->offset, bytes.size(), bytes.data(), "block INFO");
      for (std::size_t at = 0; at < bytes.size(); at += 40) {
        std::string label(bytes.data() + at, 4);
        while (!label.empty() && label.back() == ' ') label.pop_back();
        const std::string kind(bytes.data() + at + 4, 8);
        const auto components = value_at<std::int32_t>(bytes.data() + at + 12, file.header.swap);
        std::uint32_t types = 0;
        for (std::size_t type = 0; type < 6; ++type)
          if (value_at<std::int32_t>(bytes.data() + at + 16 + 4 * type, file.header.swap) != 0)
            types |= 1U << type;
        const bool integer = kind.find("LONG") != std::string::npos;
        const bool eight = kind.rfind("LLONG", 0) == 0 || kind.rfind("DOUBLE", 0) == 0;
        if (components < 1 || components > 64) continue;
        told_[label] = {types & present_, components, eight ? 8U : 4U};
        if (integer) told_integer_.push_back(label);
      }
      return;
    }
  }

  std::uint32_t types_of(Among among) const {
    switch (among) {
      case Among::All:
        return present_;
      case Among::WithoutTableMass:
        return without_mass_;
      case Among::Gas:
        return present_ & 1U;
      case Among::Stars:
        return present_ & 16U;
      case Among::GasAndStars:
        return present_ & 17U;
      case Among::StarsAndHoles:
        return present_ & 48U;
    }
    return 0;
  }

  // The number of components and the bytes of a value, for particles of known types; where
  // both precisions explain the size, that of the positions.
  std::optional<Solution> solve(const std::string& label, std::uint32_t types, int components,
                                int most) const {
    if (types == 0) return {};
    for (const std::size_t bytes : {value_bytes_, 12 - value_bytes_})
      for (int c = components; c <= most; ++c)
        if (fits(label, types, std::uint64_t(c) * bytes)) return Solution{types, c, bytes};
    return {};
  }

  std::optional<Solution> solve_known(const KnownLabel& known) const {
    const int low = std::max(known.components, 1);
    const int high = known.components ? known.components : 32;
    for (const Among among : known.among)
      if (auto found = solve(known.label, types_of(among), low, high)) return found;
    return {};
  }

  // Any set of types, values and vectors of three: all types first, then gas, then what is the only
  // explanation.
  std::optional<Solution> solve_unknown(const std::string& label) const {
    std::vector<Solution> found;
    for (std::uint32_t types = 1; types <= present_; ++types) {
      if ((types & ~present_) != 0) continue;
      if (std::popcount(present_) > 8 && std::popcount(types) > 1 && types != present_) continue;
      for (const int components : {1, 3})
        if (auto one = solve(label, types, components, components)) found.push_back(*one);
    }
    for (const std::uint32_t preferred : {present_, present_ & 1U})
      for (const auto& one : found)
        if (one.types == preferred) return one;
    if (found.size() == 1) return found.front();
    if (!found.empty()) return {};
    for (const Among among : {Among::All, Among::Gas, Among::GasAndStars, Among::Stars})
      if (auto one = solve(label, types_of(among), 2, 32)) return one;
    return {};
  }

  void explain(const std::string& label) {
    const KnownLabel* known = known_label(label);
    const auto told = told_.find(label);
    bool integer = known && known->integer;
    std::optional<Solution> solution;
    if (told != told_.end()) {
      const Solution& one = told->second;
      // INFO says FLOAT also for files written in double precision.
      solution = solve(label, one.types, one.components, one.components);
      integer = integer || std::count(told_integer_.begin(), told_integer_.end(), label) > 0;
    }
    if (!solution) solution = known ? solve_known(*known) : solve_unknown(label);
    if (!solution) {
      left_out(label);
      return;
    }
    if (!known && told == told_.end()) guessed_.push_back(label);
    const bool eight = solution->value_bytes == 8;
    const ScalarType scalar = integer ? (eight ? ScalarType::UInt64 : ScalarType::UInt32)
                                      : (eight ? ScalarType::Float64 : ScalarType::Float32);
    const std::string name = known ? known->name : label;
    for (const auto& field : out_.fields)
      if (field.name == name) return;  // Z and METAL in one file
    out_.fields.push_back({label, name, solution->types, solution->components, scalar});
  }

  void left_out(const std::string& label) {
    for (const auto& file : files_)
      if (!file.find(label) && file.header.particles() > 0 && known_label(label) &&
          types_of(known_label(label)->among.front()) &&
          particles(file, types_of(known_label(label)->among.front())) > 0) {
        say("Block {} is left out: it is not in {}.", label,
            std::filesystem::path(file.path).filename().string());
        return;
      }
    say("Block {} is left out: its size does not tell whose values it holds.", label);
  }

  void count_unlabeled() {
    std::size_t blocks = 0;
    for (const auto& file : files_)
      for (const auto& block : file.blocks) blocks += block.label.empty() && block.bytes > 0;
    if (blocks > 0)
      say("{} {} left out: format 1 does not name its blocks, and size and order do not tell what "
          "{}.",
          blocks, blocks == 1 ? "block is" : "blocks are", blocks == 1 ? "it is" : "they are");
  }

  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    out_.assumed.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  const Files& files_;
  std::uint32_t present_ = 0, without_mass_ = 0;
  std::size_t value_bytes_ = 4;  // of a coordinate
  std::map<std::string, Solution> told_;
  std::vector<std::string> told_integer_;
  std::vector<std::string> guessed_;
  GadgetFields out_;
};

}  // namespace

std::uint64_t GadgetField::bytes_per_particle() const {
  return bytes_of(scalar) * std::uint64_t(components);
}

GadgetFields explain_gadget_blocks(const Files& files) {
  return Explainer(files).run();
}

std::string gadget_field_name(std::string label) {
  label.erase(label.find_last_not_of(' ') + 1);
  const KnownLabel* known = known_label(label);
  return known ? known->name : label;
}

}  // namespace haloscope::io
