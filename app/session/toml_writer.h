#pragma once

#include "app/session/state.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::app::session {

// A text in quotes as TOML and the commands read it.
std::string quoted(const std::string& text);

// Writes what state_fields.h names; see there. Numbers are as short as they come back the same.
class TomlWriter {
 public:
  template <class T>
  using Names = std::vector<std::pair<const char*, T>>;

  const std::string& text() const { return text_; }
  void line(const std::string& line) { text_ += line + "\n"; }

  void flag(const char* name, bool value) { put(name, value ? "true" : "false"); }
  void flag(const char* name, const std::optional<bool>& value) {
    if (value) flag(name, *value);
  }
  void number(const char* name, double value) { put(name, fmt::format("{}", value)); }
  void positive(const char* name, double value) { number(name, value); }
  void positive(const char* name, const std::optional<double>& value) {
    if (value) number(name, *value);
  }
  void within(const char* name, double value, double, double) { number(name, value); }
  template <class T>
  void count(const char* name, T value, int) {
    put(name, fmt::format("{}", value));
  }
  void count(const char* name, const std::optional<std::uint64_t>& value) {
    if (value) put(name, fmt::format("{}", *value));
  }
  // What is not UTF-8: see text_bytes.h.
  void text(const char* name, const std::string& value);
  void texts(const char* name, const std::vector<std::string>& values);
  void text_if_any(const char* name, const std::string& value) {
    if (!value.empty()) text(name, value);
  }
  void texts_if_any(const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) texts(name, values);
  }
  // As the commands take it.
  void color(const char* name, const std::optional<std::array<double, 3>>& value) {
    text(name, value ? analysis::color_text(*value) : "own");
  }
  template <std::size_t N>
  void numbers(const char* name, const std::array<double, N>& values) {
    std::string list;
    for (const double value : values) list += fmt::format("{}{}", list.empty() ? "" : ", ", value);
    put(name, "[" + list + "]");
  }
  void rotation(const char* name, const Rotation& q) {
    numbers(name, std::array<double, 4>{q.w, q.x, q.y, q.z});
  }
  void limits(const char* name, const std::optional<Limits>& value) {
    if (value) numbers(name, *value);
  }
  template <class T>
  void choice(const char* name, const T& value, const Names<T>& names) {
    for (const auto& [word, meaning] : names)
      if (meaning == value) put(name, quoted(word));
  }
  template <class T>
  void optional_choice(const char* name, const std::optional<T>& value, const Names<T>& names) {
    if (value) choice(name, *value, names);
  }

  template <class T>
  void section(const char* name, T& value) {
    inside(name, "[", "]", value);
  }
  template <class T>
  void section(const char* name, std::optional<T>& value) {
    if (value) section(name, *value);
  }
  template <class T>
  void numbered_sections(const char* name, std::map<int, T>& values) {
    for (auto& [number, value] : values)
      inside(fmt::format("{}.{}", name, number), "[", "]", value);
  }
  template <class T>
  void list(const char* name, std::vector<T>& values) {
    for (auto& value : values) inside(name, "[[", "]]", value);
  }

 private:
  void put(const std::string& name, const std::string& value) { line(name + " = " + value); }

  template <class T>
  void inside(const std::string& name, const char* open, const char* close, T& value) {
    const std::string outer = path_;
    path_ = outer.empty() ? name : outer + "." + name;
    line("");
    line(open + path_ + close);
    visit(*this, value);
    path_ = outer;
  }

  std::string text_, path_;
};

}  // namespace haloscope::app::session
