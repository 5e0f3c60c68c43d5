#include "compute/splotch/nearest_pieces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

namespace haloscope::compute::splotch {

namespace {

// Ends of a list have no next piece.
constexpr double kNowhere = std::numeric_limits<double>::infinity();

// Adds [begin, end) of a cell; a stretch that goes on with the same cell stays one piece.
void append_piece(std::vector<LinePiece>& pieces, std::size_t first, double begin, double end,
                  std::uint32_t of) {
  if (!(begin < end)) return;
  if (pieces.size() > first && pieces.back().of == of && pieces.back().end == begin)
    pieces.back().end = end;
  else
    pieces.push_back({begin, end, of});
}

// Where the deeper one of two cells becomes the nearer one.
double change_of(const LineCell& near, const LineCell& far) {
  return 0.5 * (near.depth + far.depth) +
         0.5 * (far.distance2 - near.distance2) / (far.depth - near.depth);
}

// Adds [begin, end) of two cells that both reach it: each where it is nearer. Which one is first
// does not depend on the order in which they are given.
void append_nearer(std::vector<LinePiece>& pieces, std::size_t first,
                   const std::vector<LineCell>& cells, double begin, double end, std::uint32_t a,
                   std::uint32_t b) {
  const auto order = [&](std::uint32_t of) {
    return std::make_tuple(cells[of].depth, cells[of].distance2, of);
  };
  if (order(b) < order(a)) std::swap(a, b);
  const LineCell &near = cells[a], &far = cells[b];
  if (!(far.depth > near.depth)) return append_piece(pieces, first, begin, end, a);
  const double at = std::clamp(change_of(near, far), begin, end);
  append_piece(pieces, first, begin, at, a);
  append_piece(pieces, first, at, end, b);
}

}  // namespace

void NearestPieces::merge(const std::vector<LineCell>& cells, std::size_t first, std::size_t middle,
                          std::size_t last) {
  const std::size_t begin_of_list = merged_.size();
  std::size_t i = first, j = middle;
  double at = -kNowhere;  // up to here all is merged
  while (i < middle || j < last) {
    const double i_begin = i < middle ? std::max(pieces_[i].begin, at) : kNowhere;
    const double j_begin = j < last ? std::max(pieces_[j].begin, at) : kNowhere;
    if (i_begin < j_begin) {
      at = std::min(pieces_[i].end, j_begin);
      append_piece(merged_, begin_of_list, i_begin, at, pieces_[i].of);
      if (at == pieces_[i].end) ++i;
    } else if (j_begin < i_begin) {
      at = std::min(pieces_[j].end, i_begin);
      append_piece(merged_, begin_of_list, j_begin, at, pieces_[j].of);
      if (at == pieces_[j].end) ++j;
    } else {
      const LinePiece &one = pieces_[i], &other = pieces_[j];
      at = std::min(one.end, other.end);
      append_nearer(merged_, begin_of_list, cells, i_begin, at, one.of, other.of);
      if (at == one.end) ++i;
      if (at == other.end) ++j;
    }
  }
}

// Each cell begins as a list of its own. Two lists at a time become one, in one pass, until one is
// left: n log n steps for n cells.
void NearestPieces::ask_all(const std::vector<LineCell>& cells, double low, double high) {
  pieces_.clear();
  begins_.assign(1, 0);
  for (std::uint32_t k = 0; k < cells.size(); ++k) {
    const double beyond = std::max({low - cells[k].depth, cells[k].depth - high, 0.});
    if (!(beyond * beyond < cells[k].half2)) continue;
    const double half = std::sqrt(cells[k].half2);
    append_piece(pieces_, begins_.back(), std::max(low, cells[k].depth - half),
                 std::min(high, cells[k].depth + half), k);
    if (pieces_.size() > begins_.back()) begins_.push_back(pieces_.size());
  }
  while (begins_.size() > 2) {
    merged_.clear();
    merged_begins_.assign(1, 0);
    for (std::size_t list = 0; list + 1 < begins_.size(); list += 2) {
      const std::size_t middle = begins_[list + 1];
      merge(cells, begins_[list], middle, list + 2 < begins_.size() ? begins_[list + 2] : middle);
      merged_begins_.push_back(merged_.size());
    }
    pieces_.swap(merged_);
    begins_.swap(merged_begins_);
  }
  for (const LinePiece& piece : pieces_) append_piece(found_, 0, piece.begin, piece.end, piece.of);
}

void NearestPieces::find_hull(const std::vector<LineCell>& cells, double low) {
  hull_.clear();
  for (std::uint32_t k = 0; k < cells.size(); ++k) {
    double begin = low;
    while (!hull_.empty()) {
      const LineCell &last = cells[hull_.back().of], &next = cells[k];
      begin = next.depth > last.depth           ? change_of(last, next)
              : next.distance2 < last.distance2 ? -kNowhere
                                                : kNowhere;
      if (begin > hull_.back().begin) break;
      hull_.pop_back();
      begin = low;
    }
    if (begin < kNowhere) hull_.push_back({begin, kNowhere, k});
  }
}

const std::vector<LinePiece>& NearestPieces::find(const std::vector<LineCell>& cells, double low,
                                                  double high) {
  found_.clear();
  find_hull(cells, low);
  for (std::size_t k = 0; k < hull_.size(); ++k) {
    const LinePiece& piece = hull_[k];
    const double begin = std::max(piece.begin, low);
    const double end = std::min(k + 1 < hull_.size() ? hull_[k + 1].begin : high, high);
    if (!(begin < end)) continue;
    const LineCell& cell = cells[piece.of];
    const double half = std::sqrt(cell.half2);
    const double from = std::clamp(cell.depth - half, begin, end);
    const double to = std::clamp(cell.depth + half, begin, end);
    if (begin < from) ask_all(cells, begin, from);
    append_piece(found_, 0, from, to, piece.of);
    if (to < end) ask_all(cells, to, end);
  }
  return found_;
}

}  // namespace haloscope::compute::splotch
