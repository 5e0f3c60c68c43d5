#pragma once

#include "analysis/option_parsing/option_names.h"
#include "analysis/option_parsing/option_visitor.h"

#include <concepts>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace haloscope::analysis {

// Options of one finder, whichever struct they are: a value, that is compared, copied and visited
// like the struct itself. Copies share what they hold until one of them is visited.
class AnyOptions {
 public:
  AnyOptions() = default;  // none
  template <class O>
  requires(!std::same_as<O, AnyOptions>) AnyOptions(O options)
      : held_(std::make_shared<Held<O>>(std::move(options))) {}

  // Throws std::bad_cast where it holds another struct.
  template <class O>
  const O& as() const {
    if (!held_) throw std::bad_cast();
    return dynamic_cast<const Held<O>&>(*held_).options;
  }

  void accept(OptionVisitor& visitor) {
    if (!held_) return;
    auto visited = held_->copy();
    visited->accept(visitor);
    held_ = std::move(visited);
  }

  bool operator==(const AnyOptions& other) const {
    if (held_ == other.held_) return true;
    return held_ && other.held_ && held_->equals(*other.held_);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::shared_ptr<Base> copy() const = 0;
    virtual void accept(OptionVisitor& visitor) = 0;
    virtual bool equals(const Base& other) const = 0;
  };
  template <class O>
  struct Held final : Base {
    explicit Held(O held) : options(std::move(held)) {}
    std::shared_ptr<Base> copy() const override { return std::make_shared<Held>(options); }
    void accept(OptionVisitor& visitor) override { visit(visitor, options); }
    bool equals(const Base& other) const override {
      const auto* same = dynamic_cast<const Held*>(&other);
      return same && same->options == options;
    }
    O options;
  };

  std::shared_ptr<const Base> held_;
};

template <class V>
void visit(V& visitor, AnyOptions& options) {
  AsOptionVisitor<V> as_any(visitor);
  options.accept(as_any);
}

inline std::vector<std::string> names_of(AnyOptions options) {
  OptionNames names;
  visit(names, options);
  return names.names;
}

}  // namespace haloscope::analysis
