#pragma once

#include "analysis/finder.h"
#include "app/viewer/kept_findings.h"
#include "app/viewer/tasks/task.h"
#include "render/scene/render_request.h"

#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

// What was found in the snapshot that is open, by finder, and the searches for more: one after
// another, on a thread of their own. A search that can take its pieces from what was found before
// (Finder::shares_work) does so first, on another thread, and is measured by measure().
// What was found in other snapshots is kept, and is there again when the user goes back to them.
class OpenFindings final : public TaskBase {
 public:
  using Found = std::shared_ptr<const analysis::Finding>;
  struct Search {
    std::string snapshot;
    analysis::SnapshotOptions said;
    std::string finder;
    analysis::AnyOptions options;
    render::ComputeRequest compute;
    // Where the snapshot's positions are, if it is open; null: they are read.
    std::shared_ptr<const analysis::ResidentPoints> points = nullptr;
    Found known = nullptr;  // that it shares work with; find() seeks it
  };

  // `wake` is called from the searching thread, `failed` by receive().
  OpenFindings(std::function<void()> wake, std::function<void(const std::string&)> failed)
      : again_(wake, failed), task_(std::move(wake), std::move(failed)) {}

  // Null: this finder has found nothing that is shown.
  Found of(const std::string& finder) const;
  // What was found before by exactly this search, else null: then the search has begun, in place of
  // another one of the same finder. What is shown stays until there is more where they share work.
  // Throws OptionError, and changes nothing, where that tells that there is nothing to find.
  Found find(const Search& search);
  // What a search has just found; null: nothing. It is kept, and not shown yet.
  Found receive();
  // What was taken from former findings, and is not measured; null: nothing. It is not kept.
  Found receive_unmeasured();
  // Measures what was taken so and is the newest, unless it may soon be another: while the mouse
  // drags a cut.
  void set_dragging(bool on) { dragging_ = on; }
  void measure();
  // What is being taken for a finder, and not measured yet, is not wanted any more.
  void forget_unmeasured(const std::string& finder);
  void show(Found finding);
  // Nothing of a finder is shown.
  void hide(const std::string& finder) { shown_.erase(finder); }
  // It does not come back with the snapshot, though it is kept: its search was undone.
  void withdraw(const std::string& snapshot, const std::string& finder,
                const analysis::AnyOptions& options);

  // Of exactly this search, whatever is shown; null: it is not kept.
  Found kept(const std::string& snapshot, const std::string& finder,
             const analysis::AnyOptions& options) const {
    return kept_.of(snapshot, finder, options);
  }
  // What the finder found by the newest other search; null: there is none.
  Found before(const std::string& snapshot, const std::string& finder,
               const analysis::AnyOptions& options) const {
    return kept_.before(snapshot, finder, options);
  }
  // Keeps what was found elsewhere. It is not shown when its snapshot comes back.
  void keep(const std::string& snapshot, const Found& finding) {
    if (kept_.of(snapshot, finding->finder, finding->options)) return;
    kept_.keep(snapshot, finding);
    kept_.withdraw(*finding, true);
  }
  // Whether a search shares work with something that is kept.
  bool can_take(const std::string& snapshot, const std::string& finder,
                const analysis::AnyOptions& options) const {
    return kept_.sharing_work(snapshot, analysis::require_finder(finder), options) != nullptr;
  }
  // Gives up what was found in files that have changed since.
  void forget_changed(const std::string& snapshot) { kept_.forget_changed(snapshot); }
  // What is to be shown again in a snapshot that was left: this search's, or the last one's.
  Found coming_back(const std::string& snapshot, const std::string& finder,
                    const analysis::AnyOptions& options);

  // Another snapshot is opened: searches end, and what is shown is set aside …
  void leave();
  // Comes when all searches have given up their memory, which may be some time after they were
  // cancelled. Not valid where there was none.
  const std::shared_future<void>& searches_ended() const { return ended_; }
  // … until that snapshot is there, or cannot be read.
  void arrive() { aside_.clear(); }
  void come_back();
  void clear();

  // Whether a search is under way, or its result waits to be received.
  bool busy() const override {
    return task_.busy() || !waiting_.empty() || again_.busy() ||
           (!dragging_ && !unmeasured_.empty());
  }
  bool seeks(const std::string& finder, const analysis::AnyOptions& options) const;
  Worker::Status status() const override { return task_.busy() ? task_.status() : again_.status(); }
  void cancel() override;
  void wait() override {
    again_.wait();
    task_.wait();
  }

 private:
  void begin(const Search& search);
  void begin_in_turn(const Search& search);
  void stop_searches_of(const std::string& finder);

  std::map<std::string, Found> shown_, aside_;
  KeptFindings kept_;
  std::deque<Search> waiting_;
  std::optional<Search> running_;
  struct SearchesEnd;
  std::weak_ptr<SearchesEnd> searches_end_;
  std::shared_future<void> ended_;
  struct Came {
    std::string snapshot;
    Found finding;
  };
  bool dragging_ = false;
  std::map<std::string, Search> unmeasured_;  // by finder
  Task<Found> again_;                         // last, with the next: they end first
  Task<Came> task_;
};

}  // namespace haloscope::app::viewer
