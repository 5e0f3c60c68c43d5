#include "app/viewer/open_findings.h"

#include <algorithm>
#include <utility>

namespace haloscope::app::viewer {

// Lives as long as one of the searches that share it holds anything.
struct OpenFindings::SearchesEnd {
  std::promise<void> ended;
  ~SearchesEnd() { ended.set_value(); }
};

OpenFindings::Found OpenFindings::of(const std::string& finder) const {
  const auto found = shown_.find(finder);
  return found == shown_.end() ? nullptr : found->second;
}

OpenFindings::Found OpenFindings::find(const Search& asked) {
  forget_changed(asked.snapshot);
  Search search = asked;
  Found before = kept(search.snapshot, search.finder, search.options);
  if (!before) {
    const analysis::Finder& finder = analysis::require_finder(search.finder);
    search.known = kept_.sharing_work(search.snapshot, finder, search.options);
    if (search.known) finder.check_again(*search.known, search.options);
  }
  stop_searches_of(search.finder);
  if (!search.known) hide(search.finder);
  if (before) return before;
  if (!search.known ||
      analysis::require_finder(search.finder).needs_reading(*search.known, search.options)) {
    begin_in_turn(search);
    return nullptr;
  }
  unmeasured_[search.finder] = search;
  // One that is under way is finished: else a drag would never show any.
  again_.submit(
      "taking " + search.finder,
      [search](const std::shared_ptr<Progress>&) {
        return analysis::take_again(*search.known, search.options);
      },
      false);
  return nullptr;
}

// What a finder searches for is not wanted any more. Pieces that are being taken for it may come
// still, and are overtaken by the next ones.
void OpenFindings::stop_searches_of(const std::string& finder) {
  std::erase_if(waiting_, [&](const Search& one) { return one.finder == finder; });
  unmeasured_.erase(finder);
  if (!running_ || running_->finder != finder) return;
  task_.cancel();
  running_.reset();
}

// A result that nobody has received yet would be overtaken.
void OpenFindings::begin_in_turn(const Search& search) {
  if (running_ && task_.busy())
    waiting_.push_back(search);
  else
    begin(search);
}

void OpenFindings::measure() {
  if (dragging_ || again_.busy()) return;
  for (const auto& [finder, search] : std::exchange(unmeasured_, {})) begin_in_turn(search);
}

OpenFindings::Found OpenFindings::receive_unmeasured() {
  auto came = again_.receive();
  return came ? std::move(*came) : nullptr;
}

void OpenFindings::begin(const Search& search) {
  running_ = search;
  auto end = searches_end_.lock();
  if (!end) {
    end = std::make_shared<SearchesEnd>();
    ended_ = end->ended.get_future().share();
    searches_end_ = end;
  }
  struct Held {
    std::shared_ptr<SearchesEnd> end;  // first: ends last
    Search search;
  };
  const auto held = std::make_shared<Held>(Held{std::move(end), search});
  task_.submit("finding " + search.finder, [held](const std::shared_ptr<Progress>& progress) {
    const Search& asked = held->search;
    analysis::FindRequest request;
    request.device = asked.compute.choose();
    request.resident = asked.points;
    request.known = asked.known;
    return Came{asked.snapshot, analysis::find_in(asked.snapshot, asked.said, asked.finder,
                                                  asked.options, request, *progress)};
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

void OpenFindings::forget_unmeasured(const std::string& finder) {
  if (unmeasured_.erase(finder) > 0) again_.cancel();
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
         std::any_of(waiting_.begin(), waiting_.end(), same) ||
         std::any_of(unmeasured_.begin(), unmeasured_.end(),
                     [&](const auto& one) { return same(one.second); });
}

void OpenFindings::cancel() {
  waiting_.clear();
  unmeasured_.clear();
  again_.cancel();
  running_.reset();
  task_.cancel();
}

}  // namespace haloscope::app::viewer
