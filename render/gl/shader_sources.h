#pragma once

// The files of shaders/, compiled in so that the program finds them anywhere (cmake/window.cmake).
namespace haloscope::render::gl {

extern const char* const kPictureVertexShader;
extern const char* const kPictureFragmentShader;
extern const char* const kLayerFragmentShader;

}  // namespace haloscope::render::gl
