#pragma once

#include "core/atomic_file.h"
#include "core/snapshot_info.h"
#include "io/hdf5/hdf5_handle.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// An HDF5 file in the making, which appears whole at commit() or not at all. Every function throws
// Error in one sentence when the file cannot be written, after which nothing but the destructor may
// be called, and is safe to call from several threads. Read by HDF5 1.8 and later.
class Hdf5Writer {
 public:
  // Throws Error where the file cannot be written, or the disk has not `expected_bytes` left: a
  // library that runs into a full disk can neither flush nor close its file.
  Hdf5Writer(const std::string& path, std::uint64_t expected_bytes);

  hid_t file() const { return file_.id(); }

  // A new group, with those above it.
  Hdf5Handle group(const std::string& name);

  // Attributes of a group or dataset: scalars and, where given as a vector, arrays.
  void number(hid_t object, const std::string& name, double value);
  void whole(hid_t object, const std::string& name, std::int32_t value);
  void count(hid_t object, const std::string& name, std::uint64_t value);
  void signed_count(hid_t object, const std::string& name, std::int64_t value);
  void numbers(hid_t object, const std::string& name, const std::vector<double>& values);
  void counts(hid_t object, const std::string& name, const std::vector<std::uint64_t>& values);
  // UTF-8 of variable length: unlike a fixed one it may be empty or exceed 64 KiB.
  void text(hid_t object, const std::string& name, const std::string& value);
  // As GADGET-4 and AREPO note it: to_cgs, a_scaling, h_scaling, …
  void scaling(hid_t dataset, const FieldScaling& scaling);

  // A new dataset of `rows` (x `components` where above 1), with the groups above it; it is filled
  // by write_rows(). Zero rows are allowed. `compress`: gzip and shuffle.
  Hdf5Handle dataset(const std::string& name, ScalarType scalar, std::uint64_t rows, int components,
                     bool compress = false);

  // Rows first … first + rows - 1 of a dataset from memory that holds values of type `memory`.
  void write_rows(hid_t dataset, const std::string& name, ScalarType memory, std::uint64_t first,
                  std::uint64_t rows, int components, const void* data);

  // A new dataset of any shape, of one of HDF5's native types; it is filled by write_planes().
  Hdf5Handle array(const std::string& name, hid_t type, const std::vector<std::uint64_t>& shape);

  // A part of such a dataset from memory: all of its last axes, of its first one what lies from
  // `first` on. `shape` is that of the part.
  void write_planes(hid_t dataset, const std::string& name, hid_t type, std::uint64_t first,
                    const std::vector<std::uint64_t>& shape, const void* data);

  // A second name for a dataset, which takes no space.
  void link(const std::string& existing, const std::string& name);

  // All handles from here must be closed before.
  void commit();
  // All of it but the file's name, which commit() gives: for files that appear together.
  void finish();

 private:
  [[noreturn]] void failed(const std::string& what);
  Hdf5Handle checked(hid_t id, Hdf5Handle::Close close, const std::string& what);
  Hdf5Handle with_parents(const std::string& what);
  void attribute(hid_t object, const std::string& name, hid_t type, const Hdf5Handle& space,
                 const void* values);
  Hdf5Handle scalar_space(const std::string& what);
  Hdf5Handle array_space(std::size_t size, const std::string& what);

  AtomicFile output_;
  Hdf5Handle file_;
};

}  // namespace haloscope::io
