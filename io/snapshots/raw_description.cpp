#include "io/snapshots/raw_description.h"

#include "core/error.h"
#include "io/bytes/scalar_type.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string_view>
#include <utility>

namespace haloscope::io {

namespace {

constexpr std::size_t kMostFields = 1000;
constexpr int kMostComponents = 1000;

// A part of the text, with where it begins, and where the text comes from.
struct Part {
  std::string_view text, where;
  std::size_t at = 0;
};

std::vector<Part> split(const Part& whole, char delimiter) {
  std::vector<Part> parts;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = whole.text.find(delimiter, at);
    std::string_view text = whole.text.substr(at, end == std::string_view::npos ? end : end - at);
    std::size_t start = at;
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1), ++start;
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    parts.push_back({text, whole.where, whole.at + start});
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

[[noreturn]] void fail(const Part& part, const std::string& expected) {
  throw Error(fmt::format("the description of the raw table is wrong at '{}' (character {}): "
                          "expected {}",
                          part.text, part.at + 1, expected),
              std::string(part.where),
              "write it as in \"Coordinates:f4x3,Masses:f4;endian=big;skip=128\" or, one column "
              "after the other, \"x:f4,y:f4,z:f4,Masses:f4;layout=columns\" (there f4x3 is one "
              "block of triples)");
}

std::uint64_t parse_count(const Part& part, std::string_view digits, const std::string& expected) {
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || at != digits.data() + digits.size()) fail(part, expected);
  return value;
}

RawDescription::Field parse_field(const Part& part) {
  static constexpr std::pair<std::string_view, ScalarType> kTypes[] = {
      {"f4", ScalarType::Float32}, {"f8", ScalarType::Float64}, {"i4", ScalarType::Int32},
      {"i8", ScalarType::Int64},   {"u4", ScalarType::UInt32},  {"u8", ScalarType::UInt64}};
  const std::string expected = "NAME:TYPE or NAME:TYPExN with a TYPE of f4, f8, i4, i8, u4 or u8";
  const std::size_t colon = part.text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) fail(part, expected);
  RawDescription::Field field;
  field.name = part.text.substr(0, colon);
  const std::string_view type = part.text.substr(colon + 1);
  bool known = false;
  for (const auto& [name, scalar] : kTypes)
    if (type.substr(0, 2) == name) {
      field.scalar = scalar;
      known = true;
    }
  if (!known) fail(part, expected);
  if (type.size() > 2) {
    if (type[2] != 'x') fail(part, expected);
    const std::uint64_t components = parse_count(part, type.substr(3), expected);
    if (components < 1 || components > std::uint64_t(kMostComponents))
      fail(part, fmt::format("1 to {} components", kMostComponents));
    field.components = int(components);
  }
  return field;
}

void parse_setting(const Part& part, RawDescription& description) {
  const std::size_t equals = part.text.find('=');
  const std::string_view key = part.text.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view{} : part.text.substr(equals + 1);
  if (key == "layout") {
    if (value != "rows" && value != "columns") fail(part, "layout=rows or layout=columns");
    description.columns = value == "columns";
  } else if (key == "endian") {
    if (value != "little" && value != "big") fail(part, "endian=little or endian=big");
    description.big_endian = value == "big";
  } else if (key == "skip") {
    description.skip = parse_count(part, value, "skip=BYTES");
  } else if (key == "count") {
    description.count = parse_count(part, value, "count=PARTICLES");
  } else {
    fail(part, "layout=, endian=, skip= or count=");
  }
}

}  // namespace

std::uint64_t RawDescription::Field::bytes() const {
  return std::uint64_t(components) * scalar_bytes(scalar);
}

std::uint64_t RawDescription::row_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& field : fields) sum += field.bytes();
  return sum;
}

RawDescription parse_raw_description(const std::string& text, const std::string& where) {
  RawDescription description;
  const auto parts = split({text, where, 0}, ';');
  std::set<std::string> names;
  for (const auto& part : split(parts.front(), ',')) {
    description.fields.push_back(parse_field(part));
    const std::string& name = description.fields.back().name;
    if (name != "-" && !names.insert(name).second) fail(part, "each name once");
    if (description.fields.size() > kMostFields)
      fail(part, fmt::format("at most {} fields", kMostFields));
  }
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (!parts[i].text.empty()) parse_setting(parts[i], description);
  return description;
}

}  // namespace haloscope::io
