// Read by LeakSanitizer, where the tests are built with it: libhdf5 1.10 forgets memory of its own
// when it meets some damaged files.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}
