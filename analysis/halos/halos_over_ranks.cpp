#include "analysis/halos/halos_over_ranks.h"

#include "analysis/halos/measure_over_ranks.h"
#include "analysis/option_parsing/option_error.h"
#include "compute/distributed/attach_to_groups.h"
#include "compute/distributed/link_groups.h"
#include "compute/distributed/shared_halos.h"
#include "compute/exec/named_range.h"
#include "compute/halos/halo_finder.h"

#include <algorithm>
#include <list>
#include <span>
#include <string>
#include <vector>

namespace haloscope::analysis {

namespace {

namespace distributed = compute::distributed;
namespace halos = compute::halos;

class SearchOverRanks {
 public:
  SearchOverRanks(compute::Ranks& ranks, const io::SnapshotReader& reader,
                  halos::FinderTools& tools, const HaloSearchRequest& request, HaloSearch& found,
                  Progress& progress)
      : ranks_(ranks),
        tools_(tools),
        request_(request),
        found_(found),
        progress_(progress),
        measure_(ranks, reader, found, request.list_members ? MemberLists::Ids : MemberLists::None,
                 progress),
        kinds_(measure_.kinds()) {}

  void run() {
    require_countable();
    link();
    std::vector<distributed::SharedHalo> shared;
    {
      progress_.report("members", 0);
      const compute::TimedRange timer(found_.timings, "gather");
      const distributed::LinkedNumbers numbers(measure_.rows(), kinds_);
      shared = distributed::share_halos(ranks_, numbers, kinds_, request_.min_members);
    }
    measure_.measure(shared);
    found_.peak_device_memory = most_device_memory();
  }

 private:
  // Numbers of the linked particles of all kinds have 32 bits.
  void require_countable() const {
    std::uint64_t linked = 0;
    for (std::size_t k = 0; k < measure_.rows().kinds(); ++k)
      if (measure_.is_linked(k)) linked += measure_.rows().total(k);
    halos::require_countable(linked, "the linked types");
  }

  // Gives all particles that may be members their groups.
  void link() {
    progress_.report("link", 0);
    const distributed::LinkedNumbers numbers(measure_.rows(), kinds_);
    std::vector<distributed::NumberedPart> parts;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (kinds_[k].linked)
        parts.push_back({{kinds_[k].position, kinds_[k].count}, numbers.first(k)});
    linked_groups_ = distributed::link_groups(
        ranks_, *tools_.clustering, found_.particles.domain, parts,
        {found_.linking_length, request_.min_points, request_.algorithm}, found_.timings);
    std::size_t first = 0;
    for (auto& kind : kinds_) {
      if (!kind.linked) continue;
      kind.groups = std::span(linked_groups_).subspan(first, std::size_t(kind.count));
      first += std::size_t(kind.count);
    }
    if (!found_.attached.empty()) attach(parts);
  }

  void attach(const std::vector<distributed::NumberedPart>& linked) {
    progress_.report("attach", 0);
    const compute::TimedRange timer(found_.timings, "attach");
    const distributed::GroupsInSpace space(ranks_, *tools_.neighbors, found_.particles.domain,
                                           linked, linked_groups_);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (!kinds_[k].members || kinds_[k].linked) continue;
      const auto& radii = found_.particles.types[k].support_radius;
      kinds_[k].groups = attached_groups_.emplace_back(space.attach(
          {kinds_[k].position, kinds_[k].count}, radii.empty() ? nullptr : radii.data(),
          found_.linking_length, {.progress = &progress_}));
    }
  }

  // Of all ranks.
  std::uint64_t most_device_memory() {
    std::uint64_t most = tools_.clustering->peak_device_memory();
    ranks_.all_reduce(std::span(&most, 1),
                      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    return most;
  }

  compute::Ranks& ranks_;
  halos::FinderTools& tools_;
  const HaloSearchRequest& request_;
  HaloSearch& found_;
  Progress& progress_;
  MeasureOverRanks measure_;
  std::vector<distributed::KindPart>& kinds_;
  std::vector<std::uint32_t> linked_groups_;
  std::list<std::vector<std::uint32_t>> attached_groups_;  // places stay
};

}  // namespace

void require_for_ranks(const HaloSearchRequest& request) {
  const auto refuse = [](const char* option, const char* what) {
    throw OptionError(std::string("several ranks or GPUs cannot ") + what + " yet", marked(option),
                      "leave it out, or start one process on one device");
  };
  if (request.sub_spacings) refuse("sub_linking_length", "search inside the halos");
  if (request.sub_epsilon) refuse("sub_epsilon", "search inside the halos");
}

void find_halos_over_ranks(compute::Ranks& ranks, const io::SnapshotReader& reader,
                           compute::halos::FinderTools& tools, const HaloSearchRequest& request,
                           HaloSearch& found, Progress& progress) {
  SearchOverRanks(ranks, reader, tools, request, found, progress).run();
}

}  // namespace haloscope::analysis
