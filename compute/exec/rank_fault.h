#pragma once

#include <stdexcept>
#include <string>

namespace haloscope::compute {

// Another rank has failed or was lost. Who tells the user is settled between the ranks
// (rank_watch.h): this one says nothing more.
class RankFault : public std::runtime_error {
 public:
  explicit RankFault(const std::string& what) : std::runtime_error(what) {}
};

}  // namespace haloscope::compute
