#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace haloscope::io {

// What parts the cells of a line; Blanks: any number of blanks and tabs.
enum class CellDelimiter : char { Comma = ',', Semicolon = ';', Tab = '\t', Blanks = ' ' };

// The parts of a line, one after the other; blanks around a cell do not belong to it.
class CellCursor {
 public:
  CellCursor(std::string_view line, CellDelimiter delimiter)
      : at_(line.data()), end_(line.data() + line.size()), delimiter_(delimiter) {
    trim();
    more_ = at_ != end_;
  }

  // False when there are no more.
  bool next(std::string_view& cell) {
    if (!more_) return false;
    const char* begin = at_;
    if (delimiter_ == CellDelimiter::Blanks) {
      while (at_ != end_ && !blank(*at_)) ++at_;
      cell = {begin, std::size_t(at_ - begin)};
      while (at_ != end_ && blank(*at_)) ++at_;
      more_ = at_ != end_;
      return true;
    }
    while (at_ != end_ && *at_ != char(delimiter_)) ++at_;
    const char* last = at_;
    while (begin != last && blank(*begin)) ++begin;
    while (last != begin && blank(last[-1])) --last;
    cell = {begin, std::size_t(last - begin)};
    more_ = at_ != end_;
    if (more_) ++at_;
    return true;
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  // Tabs part cells and stay, but for those around the whole line's blanks.
  void trim() {
    const bool tabs = delimiter_ == CellDelimiter::Tab;
    auto outside = [tabs](char c) { return c == ' ' || c == '\r' || (!tabs && c == '\t'); };
    while (at_ != end_ && outside(*at_)) ++at_;
    while (end_ != at_ && outside(end_[-1])) --end_;
  }

  const char* at_;
  const char* end_;
  CellDelimiter delimiter_;
  bool more_ = false;
};

// A cell as a number: decimal point only, "nan" and "inf" in any case, an exponent of e, E, d or D,
// quotes around it allowed. False where it is none, an empty cell included.
bool parse_number(std::string_view cell, double& value);

// A cell as an integer that keeps all 64 bits: what is below 0 as its two's complement, with
// `negative` set. A number such as 12.0 or 1.2e1 counts as far as doubles are exact (2^53).
bool parse_integer(std::string_view cell, std::uint64_t& value, bool& negative);

// A cell as a particle type: 0 to 15, or a name such as gas, dm, stars; -1: neither.
int parse_particle_type(std::string_view cell);

// A cell as it may be shown in a message: short, and without what a terminal would obey.
std::string printable_cell(std::string_view cell);

}  // namespace haloscope::io
