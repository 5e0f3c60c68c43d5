#pragma once

#include "analysis/halos/found_halos.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

// What searches found, by snapshot and options, so that who goes back to a snapshot sees its halos
// again without a search. The oldest go first where they are many or memory is short.
class KeptHalos {
 public:
  using Found = std::shared_ptr<const analysis::FoundHalos>;

  void keep(const std::string& snapshot, Found halos);
  // Those of exactly this search; null: none.
  Found of(const std::string& snapshot, const analysis::HaloOptions& options) const;
  // Those that were kept last of a snapshot; null: none.
  Found last_of(const std::string& snapshot) const;
  // Gives up those of a snapshot whose files have changed since.
  void forget_changed(const std::string& snapshot);

 private:
  // When each file was written last, and its size.
  using Stamps = std::vector<std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  struct Entry {
    std::string snapshot;
    Found halos;
    Stamps stamps;
  };
  static Stamps stamps_of(const std::vector<std::string>& files);
  void make_room();

  std::list<Entry> entries_;  // the newest first
};

}  // namespace haloscope::app::viewer
