#include "app/viewer/open_findings.h"

#include <algorithm>
#include <utility>

namespace haloscope::app::viewer {

OpenFindings::Found OpenFindings::of(const std::string& finder) const {
  const auto found = shown_.find(finder);
  return found == shown_.end() ? nullptr : found->second;
}

OpenFindings::Found OpenFindings::find(const Search& search) {
  hide(search.finder);
  std::erase_if(waiting_, [&](const Search& one) { return one.finder == search.finder; });
  if (running_ && running_->finder == search.finder) {
    task_.cancel();
    running_.reset();
  }
  forget_changed(search.snapshot);
  if (Found before = kept(search.snapshot, search.finder, search.options)) return before;
  // A result that nobody has received yet would be overtaken.
  if (running_ && task_.busy())
    waiting_.push_back(search);
  else
    begin(search);
  return nullptr;
}

void OpenFindings::begin(const Search& search) {
  running_ = search;
  task_.submit("finding " + search.finder, [search](const std::shared_ptr<Progress>& progress) {
    analysis::FindRequest request;
    request.device = search.compute.choose();
    request.resident = search.points;
    return Came{search.snapshot, analysis::find_in(search.snapshot, search.said, search.finder,
                                                   search.options, request, *progress)};
  });
}

OpenFindings::Found OpenFindings::receive() {
  auto came = task_.receive();
  if (!task_.busy()) {
    running_.reset();
    if (!waiting_.empty()) {
      begin(waiting_.front());
      waiting_.pop_front();
    }
  }
  if (!came) return nullptr;
  kept_.keep(came->snapshot, came->finding);
  return came->finding;
}

void OpenFindings::show(Found finding) {
  kept_.withdraw(*finding, false);
  shown_[finding->finder] = std::move(finding);
}

void OpenFindings::withdraw(const std::string& snapshot, const std::string& finder,
                            const analysis::AnyOptions& options) {
  if (const Found found = kept_.of(snapshot, finder, options)) kept_.withdraw(*found, true);
}

OpenFindings::Found OpenFindings::coming_back(const std::string& snapshot,
                                              const std::string& finder,
                                              const analysis::AnyOptions& options) {
  kept_.forget_changed(snapshot);
  return kept_.last_of(snapshot, finder, options);
}

void OpenFindings::leave() {
  cancel();
  // A second opening before the first is done finds most of them aside already.
  for (auto& [finder, finding] : std::exchange(shown_, {})) aside_[finder] = std::move(finding);
}

void OpenFindings::come_back() {
  for (auto& [finder, finding] : std::exchange(aside_, {})) shown_[finder] = std::move(finding);
}

void OpenFindings::clear() {
  cancel();
  shown_.clear();
  aside_.clear();
}

bool OpenFindings::seeks(const std::string& finder, const analysis::AnyOptions& options) const {
  const auto same = [&](const Search& one) {
    return one.finder == finder && one.options == options;
  };
  return (running_ && same(*running_) && task_.busy()) ||
         std::any_of(waiting_.begin(), waiting_.end(), same);
}

void OpenFindings::cancel() {
  waiting_.clear();
  running_.reset();
  task_.cancel();
}

}  // namespace haloscope::app::viewer
