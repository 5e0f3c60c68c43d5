#pragma once

#include <string>
#include <vector>

// The files that this process is writing and has written (atomic_file.h), so that a thread which
// ends the process can stop them, and can say what there is.
namespace haloscope::outputs {

// A hidden file is being written. False where outputs were stopped: the caller removes it.
bool begin(const std::string& hidden);
// It is gone.
void end(const std::string& hidden);
// Renames it. Returns 0 or the errno, ECANCELED where outputs were stopped. `shown`: as the user
// called it, to be told by written(); empty: it is not told.
int give_name(const std::string& hidden, const std::string& name, const std::string& shown);

// Removes the hidden files; from now on no output begins or gets its name. While an AllOrNone lives
// nothing is removed or refused: that comes when the last one ends.
void stop() noexcept;
// Ends that.
void resume();

// Files that got their names, in that order.
std::vector<std::string> written();
// "nothing was written", or "a.hdf5 and b.csv were written, nothing else".
std::string written_in_words();

// While one lives, files get their names together, although outputs are stopped meanwhile.
class AllOrNone {
 public:
  AllOrNone();
  ~AllOrNone();
  AllOrNone(const AllOrNone&) = delete;
  AllOrNone& operator=(const AllOrNone&) = delete;
};

}  // namespace haloscope::outputs
