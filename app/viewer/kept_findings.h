#pragma once

#include "analysis/finder.h"
#include "analysis/finding.h"
#include "analysis/snapshot/file_stamps.h"

#include <cstddef>
#include <list>
#include <memory>
#include <string>

namespace haloscope::app::viewer {

// What searches found, by snapshot and options, so that who goes back to a snapshot sees it again
// without a search. The oldest go first where they are many or memory is short.
class KeptFindings {
 public:
  using Found = std::shared_ptr<const analysis::Finding>;

  void keep(const std::string& snapshot, Found finding);
  // Of exactly this search; null: it is not kept.
  Found of(const std::string& snapshot, const std::string& finder,
           const analysis::AnyOptions& options) const;
  // The same, or else what the finder found last in the snapshot; but for what was withdrawn.
  Found last_of(const std::string& snapshot, const std::string& finder,
                const analysis::AnyOptions& options) const;
  // The newest one of the finder by another search; null: there is none.
  Found before(const std::string& snapshot, const std::string& finder,
               const analysis::AnyOptions& options) const;
  // The newest one that a search with these options can take its work from; null: there is none.
  Found sharing_work(const std::string& snapshot, const analysis::Finder& finder,
                     const analysis::AnyOptions& options) const;
  // last_of() leaves it out from now on, or no longer.
  void withdraw(const analysis::Finding& finding, bool on);
  // Gives up those of a snapshot whose files have changed since.
  void forget_changed(const std::string& snapshot);

 private:
  struct Entry {
    std::string snapshot;
    Found finding;
    analysis::FileStamps stamps;
    bool withdrawn = false;
  };
  void make_room();

  std::list<Entry> entries_;  // the newest first
};

}  // namespace haloscope::app::viewer
