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

// AddressSanitizer guesses how large the thread-local memory of a loaded library is by the words
// before it. Of Mesa's drivers it read some that are no sizes, and LeakSanitizer crashed at exit in
// a third of the runs.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "intercept_tls_get_addr=0";
}
