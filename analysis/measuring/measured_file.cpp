#include "analysis/measuring/measured_file.h"

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/text_values.h"
#include "core/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace haloscope::analysis {

OutputFormat measured_format(const std::string& path) {
  const std::string name = lower_case(path);
  if (name.ends_with(".csv")) return OutputFormat::Csv;
  if (name.ends_with(".svg")) return OutputFormat::Svg;
  if (name.ends_with(".hdf5") || name.ends_with(".h5")) return OutputFormat::Hdf5;
  throw Error("this cannot be written as a file of that name", path, "name it .csv, .svg or .hdf5");
}

std::string names_of_files(const std::vector<std::string>& files) {
  std::string names;
  for (const std::string& file : files)
    names += (names.empty() ? "" : " ") + std::filesystem::path(file).filename().string();
  return names;
}

std::vector<std::string> origin_lines(const std::vector<std::string>& files,
                                      const std::string& command_line) {
  return {version(), names_of_files(files), command_line};
}

void write_text(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

void CsvRows::comment(const std::string& words) {
  std::string line = words;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  text_ += "# " + line + "\n";
}

CsvRows& CsvRows::put(const std::string& words) {
  if (begun_) text_ += ",";
  begun_ = true;
  text_ += words;
  return *this;
}

CsvRows& CsvRows::cell(double value) {
  return put(std::isnan(value) ? std::string() : fmt::format("{}", value));
}

CsvRows& CsvRows::cell(std::uint64_t value) {
  return put(fmt::format("{}", value));
}

CsvRows& CsvRows::cell(const std::string& words) {
  if (words.find_first_of(",\"\r\n") == std::string::npos) return put(words);
  std::string quoted = "\"";
  for (const char c : words) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return put(quoted + "\"");
}

void CsvRows::end() {
  text_ += "\n";
  begun_ = false;
}

void MeasuredDatasets::add(const std::string& name, const std::string& unit,
                           const std::string& description, std::vector<double> values) {
  numbers_.push_back(std::move(values));
  io::PlainDataset dataset{name, unit, description};
  dataset.rows = numbers_.back().size();
  dataset.data = numbers_.back().data();
  all_.push_back(std::move(dataset));
}

void MeasuredDatasets::add_counts(const std::string& name, const std::string& description,
                                  std::vector<std::uint64_t> values) {
  counts_.push_back(std::move(values));
  io::PlainDataset dataset{name, "", description};
  dataset.scalar = ScalarType::UInt64;
  dataset.rows = counts_.back().size();
  dataset.data = counts_.back().data();
  all_.push_back(std::move(dataset));
}

void MeasuredDatasets::add_plane(const std::string& name, const std::string& unit,
                                 const std::string& description, std::uint64_t columns,
                                 std::vector<double> values) {
  numbers_.push_back(std::move(values));
  io::PlainDataset dataset{name, unit, description};
  dataset.grid_scalar = GridScalar::Float64;
  dataset.shape = {numbers_.back().size() / columns, columns};
  dataset.data = numbers_.back().data();
  all_.push_back(std::move(dataset));
}

}  // namespace haloscope::analysis
