#pragma once

#include "analysis/snapshot/output_format.h"
#include "io/catalogs/plain_dataset.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What a measurement is written as, by the ending of its name: Csv, Svg or Hdf5. Throws Error for
// other endings.
OutputFormat measured_format(const std::string& path);

// The names of files without their folders, one behind the other.
std::string names_of_files(const std::vector<std::string>& files);
// Lines about the origin, for heads of tables and notes of plots.
std::vector<std::string> origin_lines(const std::vector<std::string>& files,
                                      const std::string& command_line);

// Writes a text whole or not at all.
void write_text(const std::string& path, const std::string& text);

// A table of numbers as CSV. What is not a number is an empty field. Numbers read back to the bit.
class CsvRows {
 public:
  // A line of its own, whatever stands in it.
  void comment(const std::string& words);
  void head(const std::string& names) { text_ += names + "\n"; }
  CsvRows& cell(double value);
  CsvRows& cell(std::uint64_t value);
  CsvRows& cell(const std::string& words);
  void end();
  const std::string& text() const { return text_; }

 private:
  CsvRows& put(const std::string& words);
  std::string text_;
  bool begun_ = false;
};

// Datasets of an HDF5 file with the values that they borrow.
class MeasuredDatasets {
 public:
  void add(const std::string& name, const std::string& unit, const std::string& description,
           std::vector<double> values);
  void add_counts(const std::string& name, const std::string& description,
                  std::vector<std::uint64_t> values);
  // Rows of `columns` values.
  void add_plane(const std::string& name, const std::string& unit, const std::string& description,
                 std::uint64_t columns, std::vector<double> values);
  const std::vector<io::PlainDataset>& all() const { return all_; }

 private:
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<std::uint64_t>> counts_;
  std::vector<io::PlainDataset> all_;
};

}  // namespace haloscope::analysis
