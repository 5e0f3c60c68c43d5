#pragma once

#include "core/atomic_file.h"
#include "core/snapshot_info.h"
#include "io/convert/gadget4_layout.h"
#include "io/hdf5/hdf5_handle.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope::io {

// Writes a snapshot in GADGET-4's layout piece by piece: appears whole or not at all.
class Gadget4File {
 public:
  // `counts` by type. Throws Error where the file cannot be written, or the disk has not
  // `expected_bytes` left.
  Gadget4File(const std::string& path, std::uint64_t expected_bytes);

  void write_header(const SnapshotInfo& info, const Gadget4Layout& layout,
                    const std::map<int, std::uint64_t>& counts);

  // Makes room for `rows` rows; write_rows() writes to it until the next call.
  void begin_field(int type, const OutputField& field, std::uint64_t rows, bool compress);

  // Safe to call from several threads.
  void write_rows(const OutputField& field, std::uint64_t first, std::uint64_t rows,
                  const void* data);

  void commit();

 private:
  [[noreturn]] void failed(const std::string& what);
  Hdf5Handle checked(hid_t id, Hdf5Handle::Close close, const std::string& what);
  template <class T>
  void attribute(hid_t object, const std::string& name, const std::vector<T>& values, bool array);
  void number(hid_t object, const std::string& name, double value);
  void whole(hid_t object, const std::string& name, std::int32_t value);
  Hdf5Handle group(const std::string& name);
  void write_cosmology(hid_t object, const SnapshotInfo& info, const Gadget4Layout& layout);

  AtomicFile output_;
  Hdf5Handle file_, dataset_;
};

}  // namespace haloscope::io
