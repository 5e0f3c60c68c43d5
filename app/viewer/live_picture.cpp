#include "app/viewer/live_picture.h"

#include "core/error.h"

#include <utility>

namespace haloscope::app::viewer {

namespace {

// So long must nothing change before a picture in full is begun, s: a little more than a frame of a
// moving mouse.
constexpr double kRest = 0.02;
constexpr std::uint64_t kNotAsked = ~std::uint64_t(0);  // nothing more will come

}  // namespace

void LivePicture::set_scene(std::shared_ptr<OpenScene> scene) {
  scene_ = std::move(scene);
  drawer_.set_scene(scene_);
  wanted_.reset();
  complete_serial_ = 0;
  busy_ = false;
}

void LivePicture::clear() {
  set_scene({});
  shown_.reset();
}

void LivePicture::want(const Wanted& wanted, double now, bool patient) {
  if (!scene_) return;
  const bool changed = !wanted_ || !(*wanted_ == wanted);
  // Of a scene that was just opened nothing is seen yet, so that a coarse picture would only delay.
  const bool first = !wanted_;
  if (changed) {
    wanted_ = wanted;
    changed_at_ = now;
    asked_in_full_ = false;
    complete_serial_ = 0;
    if (!patient && !first) return ask(true);
  }
  if (asked_in_full_ || (!patient && !first && now - changed_at_ < kRest)) return;
  ask(false);
}

void LivePicture::ask(bool moving) {
  asked_in_full_ = !moving;
  busy_ = true;
  if (!moving) complete_serial_ = kNotAsked;
  session::State looks;
  looks.types = wanted_->types;
  try {
    drawer_.draw({wanted_->camera,
                  wanted_->width,
                  wanted_->height,
                  {appearances_of(scene_->model, looks), wanted_->colors}},
                 moving, failed_);
  } catch (const Error& error) {
    return failed_(error.what());
  }
  if (!moving) complete_serial_ = drawer_.serial();
}

std::optional<Light> LivePicture::receive() {
  // Asked before the taking: what is finished in between comes next time.
  busy_ = drawer_.busy();
  auto drawn = drawer_.take();
  if (!drawn) return {};
  shown_ = Shown{drawn->camera, drawn->coarseness, drawn->milliseconds,
                 drawn->counts, drawn->curve,      drawn->has_light};
  // A picture of a moving camera that was fast enough to be drawn in full is final.
  if (drawn->coarseness.full() && drawn->serial == drawer_.serial()) {
    asked_in_full_ = true;
    complete_serial_ = drawn->serial;
  }
  return std::move(drawn->light);
}

bool LivePicture::complete() const {
  if (!scene_) return true;
  return wanted_ && complete_serial_ != 0 && !busy_;
}

std::optional<double> LivePicture::refine_at() const {
  if (!scene_ || !wanted_ || asked_in_full_) return {};
  return changed_at_ + kRest;
}

}  // namespace haloscope::app::viewer
