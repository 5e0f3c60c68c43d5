#pragma once

#include "app/viewer/remote/descriptor.h"

#include <string>

namespace haloscope::app::viewer {

// A socket of this machine with a name in a folder, at which programs of the same user may knock.
// The name goes when this ends.
class LocalSocket {
 public:
  // Takes the place of a socket that a program left behind which has ended. Throws Error where
  // something else stands there, a program listens there, or no socket can be made.
  explicit LocalSocket(const std::string& path);
  ~LocalSocket();
  LocalSocket(const LocalSocket&) = delete;
  LocalSocket& operator=(const LocalSocket&) = delete;

  int number() const { return socket_.number(); }
  // Whoever knocks; none: nobody does, or they have gone again.
  Descriptor accept() const;

 private:
  std::string path_;
  Descriptor socket_;
  unsigned long device_ = 0, inode_ = 0;  // of the name
};

// Whether the program at the other end is of the user who runs this one.
bool is_of_this_user(const Descriptor& client);

}  // namespace haloscope::app::viewer
