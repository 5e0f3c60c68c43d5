#include "app/viewer/set_keeper.h"

#include <utility>

namespace haloscope::app::viewer {

SetKeeper::SetKeeper(std::function<void()> wake)
    : ids_(std::make_shared<analysis::KnownIds>()),
      task_(std::move(wake), [this](const std::string& fault) { fault_ = fault; }) {}

void SetKeeper::want(const std::optional<analysis::SetsRequest>& request) {
  if (asked_ && request && asked_->same_as(*request)) return;
  if (!asked_ && !request && !shown_.members) return;
  task_.cancel();
  known_ = false;
  // What is known of one snapshot says nothing of another one.
  if (!request || (shown_.members && shown_.members->snapshot != request->snapshot)) shown_ = {};
  shown_.fault.clear();
  asked_ = request;
  if (!request) return;
  asked_->findings.clear();
  task_.submit("gathering the sets",
               [request = *request, ids = ids_](const std::shared_ptr<Progress>& progress) {
                 return std::make_shared<const analysis::SetMembers>(
                     analysis::members_of_sets(request, *ids, *progress));
               });
}

void SetKeeper::want_nothing() {
  if (!asked_ && !shown_.members && shown_.fault.empty()) return;
  want({});
  // Work that was cancelled may still hold the former ones.
  ids_ = std::make_shared<analysis::KnownIds>();
}

std::optional<SetKeeper::Outcome> SetKeeper::receive() {
  fault_.clear();
  auto members = task_.receive();
  if (!members && fault_.empty()) return {};
  shown_ = {members ? std::move(*members) : nullptr, fault_};
  known_ = shown_.members != nullptr;
  return shown_;
}

}  // namespace haloscope::app::viewer
