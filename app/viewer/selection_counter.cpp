#include "app/viewer/selection_counter.h"

#include <utility>

namespace haloscope::app::viewer {

SelectionCounter::SelectionCounter(std::function<void()> wake)
    : task_(std::move(wake), [this](const std::string& fault) { fault_ = fault; }) {}

void SelectionCounter::want(const std::optional<analysis::SelectionRequest>& request) {
  if (asked_ && request && asked_->same_as(*request)) return;
  if (!asked_ && !request) return;
  forget();
  if (!request) return;
  if (known_ && !known_->same_ids_as(*request)) drop_ids();
  asked_ = request;
  asked_->finding.reset();
  asked_->ids.reset();
  analysis::SelectionRequest with_ids = *request;
  with_ids.ids = ids_of(*request);
  task_.submit("counting the selection", [with_ids](const std::shared_ptr<Progress>& progress) {
    return std::make_shared<const analysis::SelectionCount>(
        analysis::count_selection(with_ids, *progress));
  });
}

void SelectionCounter::want_nothing() {
  want({});
  drop_ids();
}

// A count under way is given up too.
void SelectionCounter::forget() {
  task_.cancel();
  shown_ = {};
  asked_.reset();
}

void SelectionCounter::drop_ids() {
  ids_.reset();
  known_.reset();
}

std::optional<SelectionCounter::Outcome> SelectionCounter::receive() {
  fault_.clear();
  auto count = task_.receive();
  if (!count && fault_.empty()) return {};
  shown_ = {count ? std::move(*count) : nullptr, fault_};
  if (shown_.count && shown_.count->ids) {
    ids_ = shown_.count->ids;
    known_ = asked_;
  }
  return shown_;
}

std::shared_ptr<const analysis::FollowedIds> SelectionCounter::ids_of(
    const analysis::SelectionRequest& request) const {
  return known_ && known_->same_ids_as(request) ? ids_ : nullptr;
}

}  // namespace haloscope::app::viewer
