#pragma once

#include <stdexcept>
#include <string>

namespace haloscope {

// A fault in the user's world (file, memory, driver, argument). The message is one sentence:
// what happened, where (file, dataset, particle type), and what can be done.
// Caught in main (one line on stderr, exit code 2) and at the job boundary, nowhere else.
class Error : public std::runtime_error {
 public:
  // Joins the three parts; `where` and `remedy` may be empty.
  Error(const std::string& what, const std::string& where = {}, const std::string& remedy = {});
};

// The file is of another format: the registry tries the next reader.
class NotThisFormat : public Error {
 public:
  using Error::Error;
};

// The file is of this format but damaged or incomplete: stop and say.
class BadFile : public Error {
 public:
  using Error::Error;
};

// Parts of a set of files are not there. Whoever allows missing files may go on without them, which
// the caller tells in its own words (an option, a button).
class MissingFiles : public BadFile {
 public:
  using BadFile::BadFile;
};

// Somebody asked a long job to stop; nothing half-written is left behind.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace haloscope
