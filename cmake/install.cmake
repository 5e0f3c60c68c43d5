# `cmake --install`, and packages made by `cpack -G DEB`: the program with its assets, what a desktop
# shows of it, the manual page and the shells' completions. Include it from the top level, after app.
include(GNUInstallDirs)
set(haloscope_desktop ${PROJECT_SOURCE_DIR}/assets/desktop)

install(TARGETS haloscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(HALOSCOPE_HAS_MPI)
  # Also where the program alone is built. compute/exec/mpi/mpi_ranks.cpp looks there.
  add_dependencies(haloscope haloscope_mpi)
  install(TARGETS haloscope_mpi LIBRARY DESTINATION lib/haloscope)
endif()
# core/assets.cpp looks there, beside the program's own folder.
if(NOT CMAKE_INSTALL_BINDIR STREQUAL "bin" OR NOT CMAKE_INSTALL_DATADIR STREQUAL "share")
  message(STATUS "Not bin/ and share/: an installed haloscope needs HALOSCOPE_ASSETS")
endif()
install(DIRECTORY assets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/haloscope PATTERN desktop EXCLUDE)
install(FILES LICENSE CHANGELOG.md README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN dev EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)  # where Debian looks

install(FILES ${haloscope_desktop}/haloscope.svg
  DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
foreach(size 48 128 256)
  install(FILES ${haloscope_desktop}/haloscope-${size}.png RENAME haloscope.png
    DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps)
endforeach()
if(HALOSCOPE_HAS_WINDOW)
  install(FILES ${haloscope_desktop}/haloscope.desktop
    DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  # The date of this version's entry in the changelog.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md)
  file(STRINGS CHANGELOG.md released REGEX "^## \\[${PROJECT_VERSION}\\] - ")
  string(REGEX MATCH "[0-9]+-[0-9]+-[0-9]+" HALOSCOPE_RELEASE_DATE "${released}")
  set(metainfo ${PROJECT_BINARY_DIR}/org.haloscope.haloscope.metainfo.xml)
  configure_file(${haloscope_desktop}/haloscope.metainfo.xml.in ${metainfo} @ONLY)
  install(FILES ${metainfo} DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
endif()

# The program writes these itself, when it is installed: they can tell of no option that it has not.
foreach(pair man:man1/haloscope.1 bash:bash-completion/completions/haloscope
    zsh:zsh/site-functions/_haloscope fish:fish/vendor_completions.d/haloscope.fish)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 kind)
  list(GET pair 1 file)
  set(folder ${CMAKE_INSTALL_DATADIR})
  if(kind STREQUAL "man")
    set(folder ${CMAKE_INSTALL_MANDIR})
  endif()
  set(made ${PROJECT_BINARY_DIR}/shell_files/${file})
  get_filename_component(made_folder ${made} DIRECTORY)
  get_filename_component(within ${file} DIRECTORY)
  install(CODE "
    file(MAKE_DIRECTORY \"${made_folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:haloscope>\" --generate ${kind}
      OUTPUT_FILE \"${made}\" COMMAND_ERROR_IS_FATAL ANY)")
  if(NOT kind STREQUAL "zsh")
    install(FILES ${made} DESTINATION ${folder}/${within})
    continue()
  endif()
  # Debian's zsh looks for what packages bring elsewhere.
  install(CODE "
    set(within ${within})
    if(\"\${CMAKE_INSTALL_PREFIX}\" MATCHES \"/usr$\" AND EXISTS /etc/debian_version)
      set(within zsh/vendor-completions)
    endif()
    file(INSTALL \"${made}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${folder}/\${within}\")")
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME haloscope)
set(CPACK_PACKAGE_VENDOR "The haloscope authors")
set(CPACK_PACKAGE_CONTACT "The haloscope authors <haloscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "pictures and measurements of particle simulations")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Of the libraries that the program is linked with; EGL and OpenGL are opened when a window is, and
# the letters are read then.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libegl1, libgl1, libgl1-mesa-dri, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"haloscope draws snapshots of particle simulations, flies through them, and
finds and measures their halos: on an NVIDIA GPU where there is one and the
package was built for it, else on the processor.")
include(CPack)
