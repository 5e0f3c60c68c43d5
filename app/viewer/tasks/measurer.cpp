#include "app/viewer/tasks/measurer.h"

#include <utility>

namespace haloscope::app::viewer {

Measurer::Measurer(std::function<void()> wake)
    : task_(std::move(wake), [this](const std::string& fault) { fault_ = fault; }) {}

void Measurer::want(const std::optional<Request>& request) {
  const std::string key = request ? request->key : std::string();
  const bool same = asked_ == key && (!request || request->about == about_);
  if (same && (request || shown_.fault.empty())) return;
  forget();
  if (!request) return;
  asked_ = key;
  snapshot_ = request->snapshot;
  files_ = request->files;
  stamps_ = analysis::stamps_of(files_);
  about_ = request->about;
  task_.submit(request->name,
               [measure = request->measure](const std::shared_ptr<Progress>& progress) {
                 return std::make_shared<const analysis::Measurement>(measure(*progress));
               });
}

void Measurer::refuse(const std::string& why) {
  if (asked_.empty() && shown_.fault == why) return;
  forget();
  shown_.fault = why;
}

void Measurer::forget_changed() {
  if (!asked_.empty() && analysis::stamps_of(files_) != stamps_) forget();
}

void Measurer::forget_others(const std::string& snapshot) {
  if (!asked_.empty() && snapshot_ != snapshot) forget();
}

void Measurer::try_again() {
  forget_changed();

  if (!task_.busy() && !shown_.made) forget();
}

// What is under way is given up too.
void Measurer::forget() {
  task_.cancel();
  asked_.clear();
  about_.reset();
  shown_ = {};
}

std::optional<Measurer::Outcome> Measurer::receive() {
  fault_.clear();
  auto made = task_.receive();
  if (!made && fault_.empty()) return {};
  shown_ = {made ? std::move(*made) : nullptr, fault_};
  return shown_;
}

}  // namespace haloscope::app::viewer
