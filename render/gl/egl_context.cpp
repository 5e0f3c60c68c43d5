#include "core/error.h"
#include "render/gl/gl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace haloscope::render::gl {

namespace {

constexpr const char* kRemedy =
    "install a driver with EGL (Debian: libegl1, libegl-mesa0 and libgl1-mesa-dri), or draw with "
    "haloscope render, which needs none";

bool names(const char* list, const char* word) {
  return list && std::strstr(list, word) != nullptr;
}

// libEGL is opened when it is asked for and not linked: a node without any OpenGL still renders and
// searches. It is never closed, for drivers leave threads and handlers behind.
template <class Function>
Function find_exported(const char* name) {
  static void* const library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

// The functions of EGL 1.4 that are needed, under their own names.
struct Egl {
#define HALOSCOPE_EGL(name) decltype(&::egl##name) name = find_exported<decltype(name)>("egl" #name)
  HALOSCOPE_EGL(GetProcAddress);
  HALOSCOPE_EGL(QueryString);
  HALOSCOPE_EGL(Initialize);
  HALOSCOPE_EGL(BindAPI);
  HALOSCOPE_EGL(ChooseConfig);
  HALOSCOPE_EGL(CreateContext);
  HALOSCOPE_EGL(DestroyContext);
  HALOSCOPE_EGL(MakeCurrent);
#undef HALOSCOPE_EGL

  bool complete() const {
    return GetProcAddress && QueryString && Initialize && BindAPI && ChooseConfig &&
           CreateContext && DestroyContext && MakeCurrent;
  }
};

const Egl& egl() {
  static const Egl functions;
  return functions;
}

template <class Function>
Function find_function(const char* name) {
  return reinterpret_cast<Function>(egl().GetProcAddress(name));
}

// Displays that need no screen, the fastest first: GPUs, Mesa without a surface, Mesa's software.
std::vector<EGLDisplay> displays() {
  const char* client = egl().QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const auto open = find_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  std::vector<EGLDisplay> fast, slow;
  if (!open) return fast;
  const auto list = find_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const auto tell = find_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
  std::array<EGLDeviceEXT, 16> devices{};
  EGLint count = 0;
  if (names(client, "EGL_EXT_platform_device") && list && tell)
    list(EGLint(devices.size()), devices.data(), &count);
  for (EGLint i = 0; i < count; ++i) {
    EGLDeviceEXT device = devices[std::size_t(i)];
    const bool software = names(tell(device, EGL_EXTENSIONS), "EGL_MESA_device_software");
    (software ? slow : fast).push_back(open(EGL_PLATFORM_DEVICE_EXT, device, nullptr));
  }
  if (names(client, "EGL_MESA_platform_surfaceless"))
    fast.push_back(open(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr));
  fast.insert(fast.end(), slow.begin(), slow.end());
  return fast;
}

class EglContext final : public Context {
 public:
  EglContext() {
    if (!egl().complete())
      throw Error("no picture can be drawn by OpenGL without a display: there is no libEGL.so.1",
                  {}, kRemedy);
    for (EGLDisplay display : displays())
      if (display != EGL_NO_DISPLAY && try_display(display)) {
        load(egl().GetProcAddress, "a picture without a window");
        return;
      }
    throw Error("no OpenGL 4.5 can be had here without a display", {}, kRemedy);
  }

  ~EglContext() override { close(); }

 private:
  bool try_display(EGLDisplay display) {
    if (!egl().Initialize(display, nullptr, nullptr)) return false;
    display_ = display;
    if (make_current()) return true;
    close();
    return false;
  }

  bool make_current() {
    const std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                       EGL_NONE};
    EGLConfig config{};
    EGLint found = 0;
    if (!egl().BindAPI(EGL_OPENGL_API) ||
        !egl().ChooseConfig(display_, wanted.data(), &config, 1, &found) || found < 1)
      return false;
    const std::array<EGLint, 9> version{EGL_CONTEXT_MAJOR_VERSION,
                                        4,
                                        EGL_CONTEXT_MINOR_VERSION,
                                        5,
                                        EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                        EGL_CONTEXT_OPENGL_DEBUG,
                                        EGL_TRUE,
                                        EGL_NONE};
    context_ = egl().CreateContext(display_, config, EGL_NO_CONTEXT, version.data());
    return context_ != EGL_NO_CONTEXT &&
           egl().MakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_);
  }

  void close() {
    if (display_ == EGL_NO_DISPLAY) return;
    egl().MakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT) egl().DestroyContext(display_, context_);
    // The display stays initialized: EGL hands out the same one to every caller of the process.
    context_ = EGL_NO_CONTEXT;
    display_ = EGL_NO_DISPLAY;
  }

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

}  // namespace

std::unique_ptr<Context> make_headless_context() {
  return std::make_unique<EglContext>();
}

}  // namespace haloscope::render::gl
