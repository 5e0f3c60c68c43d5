// Linked into the program and the tests where LeakSanitizer is: what it finds that is not ours.

// libhdf5 1.10 forgets memory of its own when it meets some damaged files. Mesa's drivers keep the
// options that they have read.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5\n"
         "leak:libGLX_mesa\n"
         "leak:libEGL_mesa\n"
         "leak:swrast_dri\n"
         "leak:libgallium\n";
}

// LeakSanitizer looks up at exit whose code asked for a block; of a driver that was unloaded
// before, it finds nothing to name.
extern "C" int dlclose(void* library);
extern "C" int dlclose(void*) {
  return 0;
}
