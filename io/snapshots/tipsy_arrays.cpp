#include "io/snapshots/tipsy_arrays.h"

#include "core/error.h"
#include "io/bytes/byte_order.h"
#include "io/bytes/numbered_files.h"
#include "io/bytes/positioned_file.h"
#include "io/bytes/row_progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestNumber = 64;
constexpr std::size_t kMostArrays = 256;

// Calls `use` with one word of a text file after the other until it returns false. Returns false
// itself at a word that is too long to be a number.
template <class Use>
bool for_each_word(const PositionedFile& file, Use&& use) {
  std::vector<char> buffer(1 << 20);
  std::string carried;
  for (std::uint64_t at = 0; at < file.size();) {
    const auto n = std::size_t(std::min<std::uint64_t>(buffer.size(), file.size() - at));
    file.read(at, n, buffer.data(), "the array");
    at += n;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const char c = buffer[i];
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') continue;
      std::string_view word(buffer.data() + begin, i - begin);
      if (!carried.empty()) word = carried.append(word);
      begin = i + 1;
      if (word.size() > kLongestNumber) return false;
      if (!word.empty() && !use(word)) return true;
      carried.clear();
    }
    carried.append(buffer.data() + begin, n - begin);
    if (carried.size() > kLongestNumber) return false;
  }
  if (!carried.empty()) use(std::string_view(carried));
  return true;
}

template <class T>
std::optional<T> parsed(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  T value{};
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc() || end != word.data() + word.size()) return {};
  return value;
}

bool ends_with(const std::string& name, const std::string& ending) {
  return name.size() >= ending.size() &&
         name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

bool known_as_integers(const std::string& name) {
  for (const char* ending : {"iord", "igasorder", "grp", "rung"})
    if (ends_with(name, ending)) return true;
  return false;
}

// Small integers, read as floating point, have no exponent (or, if negative, are no numbers at
// all), which measured values never are; so one such word makes integers of an array in which
// others are large, as IDs are. Knows no better: integers that are all large are taken for
// floating point.
bool holds_integers(const PositionedFile& file, std::uint64_t values, std::size_t bytes,
                    bool swap) {
  constexpr std::uint64_t kSample = 4096;
  const std::uint64_t n = std::min(values, kSample);
  std::vector<char> some(n * bytes);
  const std::int64_t limit = std::int64_t(1) << (bytes == 4 ? 23 : 52);
  for (const std::uint64_t first : {std::uint64_t(0), (values - n) / 2, values - n}) {
    file.read(4 + first * bytes, some.size(), some.data(), "the array");
    for (std::uint64_t i = 0; i < n; ++i) {
      const char* at = some.data() + i * bytes;
      const std::int64_t value =
          bytes == 4 ? value_at<std::int32_t>(at, swap) : value_at<std::int64_t>(at, swap);
      // Half the range for negative ones: the usual NaN is at its end.
      if (value != 0 && value < limit && value > -limit / 2) return true;
    }
  }
  return false;
}

// Names of arrays whose type was told by their values.
struct Guesses {
  std::vector<std::string> integers, floats;

  void say(Assumptions& assumed) const {
    for (const auto& [names, what] :
         {std::pair{&integers, "integers"}, std::pair{&floats, "floating point"}})
      if (!names->empty())
        assumed.push_back(fmt::format("Binary arrays taken as {} by their values: {}.", what,
                                      fmt::join(*names, ", ")));
  }
};

std::string no_array(std::uint64_t particles) {
  return fmt::format("it does not hold one or three numbers for each of {} particles", particles);
}

// Fills the array from a file in binary; a reason when it is one but damaged.
std::string examine_binary(const PositionedFile& file, std::uint64_t particles, TipsyArray& array,
                           Guesses& guesses) {
  const std::uint64_t bytes = file.size() - 4;
  if (bytes % particles != 0) return no_array(particles);
  const std::uint64_t each = bytes / particles;
  if (each != 4 && each != 8 && each != 12 && each != 24) return no_array(particles);
  array.components = each >= 12 ? 3 : 1;
  const std::size_t size = each % 8 == 0 ? 8 : 4;
  const bool known = known_as_integers(array.name);
  const bool integers = known || holds_integers(file, bytes / size, size, array.swap);
  if (!known) (integers ? guesses.integers : guesses.floats).push_back(array.name);
  if (size == 4)
    array.scalar = integers ? ScalarType::Int32 : ScalarType::Float32;
  else
    array.scalar = integers ? ScalarType::Int64 : ScalarType::Float64;
  return {};
}

std::string examine_text(const PositionedFile& file, std::uint64_t particles, TipsyArray& array) {
  array.text = true;
  array.packed = true;  // by custom, other than in binary files
  array.scalar = ScalarType::Int64;
  std::uint64_t words = 0;
  std::string wrong;
  const bool short_words = for_each_word(file, [&](std::string_view word) {
    ++words;
    if (array.scalar == ScalarType::Int64 && !parsed<std::int64_t>(word))
      array.scalar = ScalarType::Float64;
    if (array.scalar == ScalarType::Float64 && !parsed<double>(word)) wrong = word;
    return wrong.empty() && words <= 3 * particles + 1;
  });
  if (!short_words) return "it holds words too long for numbers";
  if (!wrong.empty()) return fmt::format("its line {} is no number", words);
  if (words != particles + 1 && words != 3 * particles + 1) return no_array(particles);
  array.components = words == particles + 1 ? 1 : 3;
  return {};
}

// Whether the file begins with the number of particles, as text or in either byte order.
bool begins_with_count(const PositionedFile& file, std::uint64_t particles, TipsyArray& array) {
  std::array<char, 24> head{};
  if (file.size() < 4) return false;
  file.read(0, std::size_t(std::min<std::uint64_t>(head.size() - 1, file.size())), head.data(),
            "the array");
  char* end = nullptr;
  if (std::strtoull(head.data(), &end, 10) == particles && end != head.data() &&
      (*end == '\n' || *end == '\r' || *end == ' ' || *end == '\0')) {
    array.text = true;
    return true;
  }
  for (const bool swap : {true, false})
    if (value_at<std::uint32_t>(head.data(), swap) == std::uint32_t(particles)) {
      array.swap = swap;
      return true;
    }
  return false;
}

}  // namespace

std::vector<TipsyArray> find_tipsy_arrays(const std::string& snapshot, std::uint64_t particles,
                                          bool packed_vectors, Assumptions& assumed) {
  const fs::path path(snapshot);
  const std::string prefix = path.filename().string() + ".";
  const std::string folder = path.parent_path().empty() ? "." : path.parent_path().string();
  std::vector<TipsyArray> arrays;
  Guesses guesses;
  for (const auto& candidate : files_in(folder)) {
    const std::string file_name = fs::path(candidate).filename().string();
    if (file_name.rfind(prefix, 0) != 0 || file_name.size() == prefix.size()) continue;
    TipsyArray array;
    array.name = file_name.substr(prefix.size());
    array.path = candidate;
    array.packed = packed_vectors;
    std::string reason;
    try {
      const PositionedFile file(candidate);
      if (begins_with_count(file, particles, array))
        reason = array.text ? examine_text(file, particles, array)
                            : examine_binary(file, particles, array, guesses);
      else if (known_as_integers(array.name))
        reason = "it is not for " + std::to_string(particles) + " particles";
      else
        continue;
    } catch (const Error& error) {
      reason = error.what();
    }
    if (!reason.empty())
      assumed.push_back(fmt::format("The array {} is left out: {}.", file_name, reason));
    else if (arrays.size() < kMostArrays)
      arrays.push_back(std::move(array));
  }
  guesses.say(assumed);
  return arrays;
}

StridedColumn binary_array_column(const TipsyArray& array, std::uint64_t particles,
                                  std::uint64_t first, std::uint64_t rows) {
  const std::size_t size = bytes_of(array.scalar);
  StridedColumn column;
  column.components = array.components;
  column.scalar = array.scalar;
  column.swap = array.swap;
  column.what = "the array " + array.name;
  const bool planes = array.components > 1 && !array.packed;
  column.stride = planes ? size : size * std::uint64_t(array.components);
  column.component_stride = planes ? size * particles : 0;
  column.parts = {{array.path, 4 + first * column.stride, 0, rows}};
  return column;
}

void read_text_array(const TipsyArray& array, std::uint64_t first, std::uint64_t rows,
                     const std::string& phase, const ChunkVisitor& visit, Progress& progress) {
  constexpr std::uint64_t kRows = 1 << 16;
  const auto components = std::uint64_t(array.components);
  const bool integers = array.scalar == ScalarType::Int64;
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  std::uint64_t word_number = 0, done = 0;
  RowProgress rows_done(progress, phase, rows);
  auto hand_over = [&] {
    const std::uint64_t n = (integers ? whole.size() : real.size()) / components;
    if (n == 0) return;
    const void* data = integers ? static_cast<const void*>(whole.data()) : real.data();
    visit({done, n, array.components, array.scalar, data});
    rows_done.advance(n);
    done += n;
    whole.clear();
    real.clear();
  };
  const std::uint64_t begin = 1 + first * components, end = begin + rows * components;
  for_each_word(PositionedFile(array.path), [&](std::string_view word) {
    const std::uint64_t at = word_number++;
    if (at < begin) return true;
    if (at >= end) return false;
    if (integers)
      whole.push_back(parsed<std::int64_t>(word).value_or(0));
    else
      real.push_back(parsed<double>(word).value_or(0));
    if (std::max(whole.size(), real.size()) == kRows * components) hand_over();
    return true;
  });
  hand_over();
  if (done != rows)
    throw BadFile("the array has become shorter since it was opened", array.path, "open it again");
}

}  // namespace haloscope::io
