#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::analysis {

// Which of a type's rows were read here, where ranks share them: a run of rows, left out or not.
// As it stands: all of them.
struct OwnRows {
  std::uint64_t first = 0;                          // among the rows of all ranks
  std::optional<std::uint64_t> total = {};          // of these
  std::uint64_t kept_before = 0;                    // rows before `first` that were not left out
  std::optional<std::uint64_t> kept_in_total = {};  // the same of all ranks
};

// Values of the rows that were read, one after another, as values of all rows of the file: rows
// that were left out (ParticleColumns::rejected_rows, ascending) get `missing`.
template <class T>
std::vector<T> file_rows(std::vector<T> read, const std::vector<std::uint64_t>& rejected,
                         T missing) {
  if (rejected.empty()) return read;
  // From behind, in place: there may be a billion.
  std::size_t from = read.size(), to = from + rejected.size();
  read.resize(to);
  for (std::size_t k = rejected.size(); k > 0; --k) {
    while (to > rejected[k - 1] + 1) read[--to] = read[--from];
    read[--to] = missing;
  }
  return read;
}

}  // namespace haloscope::analysis
