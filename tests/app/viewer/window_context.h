#pragma once

#include "core/error.h"
#include "render/gl/gl_context.h"
#include "tests/skip.h"

#include <memory>

namespace haloscope::test {

// A context without a display, or null where the machine has none, which is told.
inline std::unique_ptr<render::gl::Context> gl_context() {
  try {
    return render::gl::make_headless_context();
  } catch (const Error& error) {
    skip(Needs::Window, error.what());
    return nullptr;
  }
}

}  // namespace haloscope::test
