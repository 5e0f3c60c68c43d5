#include "core/error.h"

namespace haloscope {

namespace {

std::string join(const std::string& what, const std::string& where, const std::string& remedy) {
  std::string message = where.empty() ? what : where + ": " + what;
  if (!remedy.empty()) message += "; " + remedy;
  return message;
}

}  // namespace

Error::Error(const std::string& what, const std::string& where, const std::string& remedy)
    : std::runtime_error(join(what, where, remedy)) {}

}  // namespace haloscope
