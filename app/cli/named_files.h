#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace haloscope::app::cli {

// The files that a command line names, as they were when it began. Tells a command that was stopped
// what it has written: an output appears by a rename, and is another file then.
class NamedFiles {
 public:
  explicit NamedFiles(const std::vector<std::string>& words);

  // What there is of the outputs, in words: "nothing was written".
  std::string written_in_words() const;
  // Removes the hidden files of this process in the folders of these files. What is written there
  // meanwhile cannot get its name any more: its writer is told that there is no such file.
  void remove_unfinished() const noexcept;

 private:
  struct File {
    std::string name;
    dev_t device = 0;
    ino_t number = 0;  // both 0: there was none
  };
  static File look_at(const std::string& name);

  std::vector<File> files_;
  std::vector<std::string> folders_;
};

}  // namespace haloscope::app::cli
