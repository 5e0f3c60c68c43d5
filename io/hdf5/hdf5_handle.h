#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace haloscope::io {

// Serializes every HDF5 call of this program: distributions differ in whether libhdf5 is
// thread-safe, and where it is, it does the same internally. Recursive, so that a handle may be
// closed while its user holds the lock. Also silences the library's own error printing, a setting
// that a thread-safe libhdf5 keeps per thread.
class Hdf5Lock {
 public:
  Hdf5Lock();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

// Owns one HDF5 identifier of any kind; closes it under the lock.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle();

  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// Whether the path is a file that begins as HDF5 does.
bool is_hdf5_file(const std::string& path);

// Opens a file for reading, without HDF5's file locks (network file systems often lack them).
// Throws Error when the file cannot be read at all, NotThisFormat when it is not HDF5, BadFile when
// it is truncated or damaged.
Hdf5Handle open_hdf5_file(const std::string& path);

// The same, or an empty handle where there is no such HDF5 file. (libhdf5 1.10 leaves a part of a
// failed H5Fopen behind, and complains when the program ends.)
Hdf5Handle open_if_hdf5(const std::string& path);

// The group at `name`, or an empty handle where there is none.
Hdf5Handle open_hdf5_group(hid_t parent, const std::string& name);

// The dataset at `name`, or an empty handle where there is none.
Hdf5Handle open_hdf5_dataset(hid_t parent, const std::string& name);

// True where every link of the path exists and leads to an object (a soft link may dangle).
bool hdf5_exists(hid_t parent, const std::string& path);

// What the library says of the last failed call on this thread, innermost reason; may be empty.
std::string hdf5_last_error();

}  // namespace haloscope::io
