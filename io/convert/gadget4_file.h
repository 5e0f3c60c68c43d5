#pragma once

#include "core/snapshot_info.h"
#include "io/convert/gadget4_layout.h"
#include "io/hdf5/hdf5_write.h"

#include <cstdint>
#include <map>
#include <string>

namespace haloscope::io {

// Writes a snapshot in GADGET-4's layout piece by piece: appears whole or not at all.
class Gadget4File {
 public:
  // `counts` by type. Throws Error where the file cannot be written, or the disk has not
  // `expected_bytes` left.
  Gadget4File(const std::string& path, std::uint64_t expected_bytes);

  void write_header(const SnapshotInfo& info, const Gadget4Layout& layout,
                    const std::map<int, std::uint64_t>& counts);

  // Where the copy comes from, in attributes of /Provenance: names and texts.
  void write_provenance(const std::map<std::string, std::string>& origin);

  // Makes room for `rows` rows; write_rows() writes to it until the next call.
  void begin_field(int type, const OutputField& field, std::uint64_t rows, bool compress);

  // Safe to call from several threads.
  void write_rows(const OutputField& field, std::uint64_t first, std::uint64_t rows,
                  const void* data);

  void commit();

 private:
  void write_softening(hid_t parameters, const SnapshotInfo& info,
                       const std::map<int, std::uint64_t>& counts);
  void write_cosmology(hid_t object, const SnapshotInfo& info, const Gadget4Layout& layout);

  Hdf5Writer writer_;
  Hdf5Handle dataset_;
};

}  // namespace haloscope::io
