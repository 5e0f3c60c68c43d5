#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace haloscope::test {

// A variable of the environment with another value, as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* former = std::getenv(name);
    if (former) former_ = former;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { former_ ? setenv(name_, former_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> former_;
};

}  // namespace haloscope::test
