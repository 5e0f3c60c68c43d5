#include "io/snapshots/generic_io_parts.h"

#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/snapshots/generic_io_checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <set>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

const std::string kMapVariable = "$partition";
constexpr std::int32_t kMostParts = 100000;

// "halos" of "halos#12"; empty where the name has no such ending.
std::string base_of_part(const std::string& path) {
  const auto at = path.rfind('#');
  if (at == std::string::npos || at + 1 == path.size() || path.size() - at > 10) return {};
  if (!std::all_of(path.begin() + std::ptrdiff_t(at) + 1, path.end(),
                   [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  return path.substr(0, at);
}

std::string part_name(const std::string& base, std::int32_t number) {
  return base + "#" + std::to_string(number);
}

// The numbers of the parts by the map.
std::set<std::int32_t> mapped_parts(const GenericIoFile& map) {
  const auto variable = std::size_t(map.find(kMapVariable));
  const GenericIoVariable& info = map.variables[variable];
  if (info.number != StoredNumber{false, true, 4} || info.components != 1)
    throw BadFile("the map of partitions is not a column of 32-bit integers", map.path,
                  "copy it again");
  std::set<std::int32_t> parts;
  for (std::size_t rank = 0; rank < map.ranks.size(); ++rank) {
    const auto bytes = read_generic_io_variable(map, variable, rank);
    const bool swap = map.big_endian != (std::endian::native == std::endian::big);
    std::vector<std::int32_t> numbers(bytes.size() / 4);
    gather_numbers(bytes.data(), 4, numbers.size(), info.number, swap,
                   reinterpret_cast<unsigned char*>(numbers.data()), 1);
    for (const std::int32_t number : numbers) {
      if (number < 0)
        throw BadFile(fmt::format("the map of partitions names the part {}", number), map.path,
                      "copy it again");
      parts.insert(number);
    }
  }
  if (parts.empty()) throw BadFile("the map of partitions is empty", map.path, "copy it again");
  return parts;
}

// The numbers of the parts by those that lie beside one whose map is not there: from 0 to the
// highest, since a hole is a part that was lost.
std::set<std::int32_t> parts_beside(const std::string& base) {
  std::int32_t last = -1;
  fs::path folder = fs::path(base).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (base_of_part(name) == fs::path(base).filename().string())
      last = std::max(last, std::stoi(name.substr(name.rfind('#') + 1)));
  }
  if (last > kMostParts)
    throw BadFile(fmt::format("the part {} is one of more than {}", last, kMostParts),
                  part_name(base, last), "give it the number that it was written with");
  std::set<std::int32_t> parts;
  for (std::int32_t number = 0; number <= last; ++number) parts.insert(number);
  return parts;
}

}  // namespace

std::vector<unsigned char> read_generic_io_variable(const GenericIoFile& file, std::size_t variable,
                                                    std::size_t rank) {
  const GenericIoVariable& info = file.variables[variable];
  std::vector<unsigned char> data(file.ranks[rank].elements * info.size + 8);
  PositionedFile(file.path).read(file.ranks[rank].starts[variable], data.size(), data.data(),
                                 fmt::format("variable {} of rank {}", info.name, rank));
  GenericIoChecksum sum;
  sum.add(data.data(), data.size());
  if (!sum.intact())
    throw BadFile(fmt::format("variable {} of rank {} is damaged: its checksum does not match",
                              info.name, rank),
                  file.path, "copy the file again");
  data.resize(data.size() - 8);
  return data;
}

std::vector<GenericIoFile> find_generic_io_parts(const std::string& path, bool allow_missing,
                                                 Assumptions& assumed) {
  GenericIoFile given = read_generic_io_file(path);
  std::string base = base_of_part(path);
  std::set<std::int32_t> numbers;
  if (given.find(kMapVariable) >= 0) {
    base = path;
    numbers = mapped_parts(given);
  } else if (!base.empty()) {
    const bool mapped = is_generic_io(base);
    const GenericIoFile map = mapped ? read_generic_io_file(base) : GenericIoFile{};
    if (map.find(kMapVariable) >= 0) {
      numbers = mapped_parts(map);
    } else {
      numbers = parts_beside(base);
      assumed.push_back(
          fmt::format("The map of partitions {} is not there: took {} parts, up to the highest "
                      "number beside this one, as the whole.",
                      fs::path(base).filename().string(), numbers.size()));
    }
  }
  std::vector<GenericIoFile> files;
  if (numbers.empty()) {
    files.push_back(std::move(given));
    return files;
  }
  std::string first_missing;
  std::size_t missing = 0;
  std::error_code ignored;
  for (const std::int32_t number : numbers) {
    const std::string name = part_name(base, number);
    if (fs::exists(name, ignored)) {
      if (missing == 0 || allow_missing) files.push_back(read_generic_io_file(name));
      continue;
    }
    if (missing++ == 0) first_missing = name;
  }
  if (missing > 0 && (!allow_missing || files.empty()))
    throw MissingFiles(fmt::format("{} of the {} parts of this GenericIO output are missing",
                                   missing, numbers.size()),
                       first_missing, "copy the output again");
  if (missing > 0)
    assumed.push_back(fmt::format("{} of {} parts are missing, first {}: left out.", missing,
                                  numbers.size(), fs::path(first_missing).filename().string()));
  return files;
}

}  // namespace haloscope::io
