#include "render/plots/rich_text.h"

#include <cctype>
#include <string_view>

namespace haloscope::render {

namespace {

constexpr const char *kMinus = "\u2212", *kSun = "\u2609";

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Pieces {
 public:
  explicit Pieces(std::string_view text) : text_(text) {}

  std::vector<TextRun> take() {
    while (at_ < text_.size())
      if (!script()) plain();
    return runs_;
  }

 private:
  bool follows(std::size_t at, char c) const { return at < text_.size() && text_[at] == c; }

  // "^{…}", "_{…}" or "^-3" at this place.
  bool script() {
    const char sign = text_[at_];
    if (sign != '^' && sign != '_') return false;
    std::string_view inside;
    std::size_t after = at_ + 1;
    if (follows(after, '{')) {
      const std::size_t end = text_.find('}', after);
      if (end == std::string_view::npos) return false;
      inside = text_.substr(after + 1, end - after - 1);
      after = end + 1;
    } else {
      std::size_t end = after;
      if (follows(end, '-') || follows(end, '+')) ++end;
      const std::size_t digits = end;
      while (end < text_.size() && is_digit(text_[end])) ++end;
      if (sign == '_' || end == digits) return false;
      inside = text_.substr(after, end - after);
      after = end;
    }
    for (std::size_t k = 0; k < inside.size(); ++k) letter(inside, k, sign == '^' ? 1 : -1);
    at_ = after;
    return true;
  }

  void plain() {
    if (text_.substr(at_).starts_with("Msun")) {
      add("M", 0);
      add(kSun, -1);
      at_ += 4;
    } else {
      letter(text_, at_, 0);
      ++at_;
    }
  }

  void letter(std::string_view words, std::size_t k, int level) {
    const bool minus = words[k] == '-' && k + 1 < words.size() && is_digit(words[k + 1]) &&
                       (k == 0 || !std::isalnum(static_cast<unsigned char>(words[k - 1])));
    add(minus ? kMinus : std::string_view(&words[k], 1), level);
  }

  void add(std::string_view words, int level) {
    if (runs_.empty() || runs_.back().level != level) runs_.push_back({{}, level});
    runs_.back().words += words;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<TextRun> runs_;
};

}  // namespace

std::vector<TextRun> text_runs(const std::string& text) {
  return Pieces(text).take();
}

}  // namespace haloscope::render
