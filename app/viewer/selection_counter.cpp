#include "app/viewer/selection_counter.h"

#include <utility>

namespace haloscope::app::viewer {

SelectionCounter::SelectionCounter(std::function<void()> wake) : worker_(std::move(wake)) {}

void SelectionCounter::want(const std::optional<analysis::SelectionRequest>& request) {
  if (asked_ && request && asked_->same_as(*request)) return;
  if (!asked_ && !request) return;
  forget();
  if (!request) return;
  if (known_ && !known_->same_ids_as(*request)) drop_ids();
  asked_ = request;
  asked_->finding.reset();  // the job alone needs these
  asked_->ids.reset();
  analysis::SelectionRequest with_ids = *request;
  with_ids.ids = ids_of(*request);
  worker_.submit({"counting the selection",
                  [this, with_ids, number = number_](const std::shared_ptr<Progress>& progress) {
                    came_.put({number,
                               {std::make_shared<const analysis::SelectionCount>(
                                    analysis::count_selection(with_ids, *progress)),
                                {}}});
                  },
                  [this, number = number_](const std::string& fault) {
                    came_.put({number, {nullptr, fault}});
                  },
                  true});
}

void SelectionCounter::want_nothing() {
  want({});
  drop_ids();
}

// A count under way is of no use to whoever asks next.
void SelectionCounter::forget() {
  worker_.cancel();
  ++number_;
  shown_ = {};
  asked_.reset();
}

void SelectionCounter::drop_ids() {
  ids_.reset();
  known_.reset();
}

std::optional<SelectionCounter::Outcome> SelectionCounter::receive() {
  auto came = came_.take();
  if (!came || came->first != number_) return {};
  shown_ = std::move(came->second);
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

void SelectionCounter::stop() {
  worker_.cancel();
  worker_.wait();
}

}  // namespace haloscope::app::viewer
