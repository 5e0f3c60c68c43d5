# The window's libraries: GLFW, Dear ImGui, EGL, and glad, which writes OpenGL's loader here (from
# its own copy of the registry: nothing is fetched). Where one is missing, the program is built
# without `view`, for nodes that have no display.
option(HALOSCOPE_WINDOW "Build the window when its libraries are found" ON)
set(HALOSCOPE_HAS_WINDOW OFF)
if(NOT HALOSCOPE_WINDOW)
  return()
endif()

find_path(HALOSCOPE_GLFW_INCLUDE GLFW/glfw3.h)
find_library(HALOSCOPE_GLFW_LIBRARY glfw)
find_path(HALOSCOPE_IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui)
find_library(HALOSCOPE_IMGUI_LIBRARY imgui)
find_library(HALOSCOPE_STB_LIBRARY stb)
find_path(HALOSCOPE_EGL_INCLUDE EGL/egl.h)
find_program(HALOSCOPE_GLAD glad PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HALOSCOPE_GLAD glad)

set(missing "")
foreach(part GLFW_INCLUDE GLFW_LIBRARY IMGUI_INCLUDE IMGUI_LIBRARY STB_LIBRARY EGL_INCLUDE GLAD)
  if(NOT HALOSCOPE_${part})
    list(APPEND missing ${part})
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  message(STATUS "The window is left out: not found: ${missing} (scripts/install_packages)")
  return()
endif()

set(glad_folder ${PROJECT_BINARY_DIR}/glad)
if(NOT EXISTS ${glad_folder}/src/gl.c)
  execute_process(
    COMMAND ${HALOSCOPE_GLAD} --api gl:core=4.5 --extensions "" --reproducible --quiet
      --out-path ${glad_folder} c
    RESULT_VARIABLE glad_failed OUTPUT_QUIET ERROR_VARIABLE glad_said)
  if(glad_failed)
    file(REMOVE_RECURSE ${glad_folder})
    message(FATAL_ERROR "glad failed: ${glad_said}")
  endif()
endif()
add_library(haloscope_glad STATIC ${glad_folder}/src/gl.c)
target_include_directories(haloscope_glad SYSTEM PUBLIC ${glad_folder}/include)

add_library(haloscope_glfw INTERFACE)
target_include_directories(haloscope_glfw SYSTEM INTERFACE ${HALOSCOPE_GLFW_INCLUDE})
target_link_libraries(haloscope_glfw INTERFACE ${HALOSCOPE_GLFW_LIBRARY})
add_library(haloscope_egl INTERFACE)
target_include_directories(haloscope_egl SYSTEM INTERFACE ${HALOSCOPE_EGL_INCLUDE})
target_link_libraries(haloscope_egl INTERFACE ${CMAKE_DL_LIBS})
add_library(haloscope_imgui INTERFACE)
target_include_directories(haloscope_imgui SYSTEM INTERFACE ${HALOSCOPE_IMGUI_INCLUDE}
  ${HALOSCOPE_IMGUI_INCLUDE}/backends)
target_link_libraries(haloscope_imgui INTERFACE ${HALOSCOPE_IMGUI_LIBRARY} ${HALOSCOPE_STB_LIBRARY}
  haloscope_glfw ${CMAKE_DL_LIBS})

# shaders/* as strings.
set(shader_text "#include \"render/gl/shader_sources.h\"\n\nnamespace haloscope::render::gl {\n")
foreach(pair picture.vert:kPictureVertexShader picture.frag:kPictureFragmentShader
    layer.frag:kLayerFragmentShader)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 file)
  list(GET pair 1 constant)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/shaders/${file})
  file(READ ${PROJECT_SOURCE_DIR}/shaders/${file} text)
  string(APPEND shader_text "const char* const ${constant} = R\"glsl(${text})glsl\";\n")
endforeach()
string(APPEND shader_text "}  // namespace haloscope::render::gl\n")
set(HALOSCOPE_SHADER_SOURCES ${PROJECT_BINARY_DIR}/shader_sources.cpp)
file(CONFIGURE OUTPUT ${HALOSCOPE_SHADER_SOURCES} CONTENT "${shader_text}" @ONLY)
set(HALOSCOPE_HAS_WINDOW ON)
