// Levenshtein distances: exact, 64 tokens of one text at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "pairs.hpp"

namespace ragauge {

// Source: Myers 1999, "A fast bit-vector algorithm for approximate string matching based on dynamic programming", in the
// form of Hyyro 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances". Bits of a block say
// where the distance rises, or falls, from one place to the next. A few blocks are computed together; they leave, for
// each token of the other text, what the next ones need, so memory grows with the texts and not with their product.
class Distances {
 public:
  // Return the fewest tokens to insert, delete or replace, which make the right text of the left.
  std::int64_t distance(const std::int32_t* left, std::int64_t m, const std::int32_t* right, std::int64_t n) {
    for (; m && n && *left == *right; ++left, ++right) --m, --n;
    for (; m && n && left[m - 1] == right[n - 1];) --m, --n;
    if (m == 0 || n == 0) return m + n;
    if (m > n) {
      std::swap(left, right);
      std::swap(m, n);
    }
    const std::uint32_t kinds = numbers_.number(left, m, right, n);
    return m <= 64 ? by_blocks<1>(kinds) : by_blocks<4>(kinds);
  }

 private:
  // What the place below a block does: the distance falls there, or rises.
  static constexpr std::uint8_t kFalls = 1, kRises = 2;

  template <std::size_t kBlocks>
  std::int64_t by_blocks(std::uint32_t kinds) {
    const std::vector<std::uint32_t>&left = numbers_.left(), &right = numbers_.right();
    masks_.assign(kinds * kBlocks, 0);
    below_.assign(right.size(), kRises);
    std::int64_t distance = 0;
    for (std::size_t begin = 0; begin < left.size(); begin += 64 * kBlocks) {
      const std::size_t end = std::min(begin + 64 * kBlocks, left.size());
      for (std::size_t place = begin; place < end; ++place) {
        masks_[left[place] * kBlocks + (place - begin) / 64] |= std::uint64_t{1} << ((place - begin) % 64);
      }
      distance = blocks<kBlocks>(right, end - begin - 1, static_cast<std::int64_t>(left.size()));
      for (std::size_t place = begin; place < end; ++place) std::fill_n(&masks_[left[place] * kBlocks], kBlocks, 0);
    }
    return distance;
  }

  // Return the distance at place `last` of the blocks behind the last token, where it is `distance` before the first.
  template <std::size_t kBlocks>
  std::int64_t blocks(const std::vector<std::uint32_t>& right, std::size_t last, std::int64_t distance) {
    std::array<std::uint64_t, kBlocks> up, down{};
    up.fill(~std::uint64_t{0});
    for (std::size_t place = 0; place < right.size(); ++place) {
      const std::uint64_t* const masks = masks_.data() + right[place] * kBlocks;
      std::uint64_t falls = below_[place] & kFalls, rises = below_[place] / kRises;
      for (std::size_t block = 0; block < kBlocks; ++block) {
        const std::uint64_t match = masks[block] | falls;
        const std::uint64_t level = (((match & up[block]) + up[block]) ^ up[block]) | match | down[block];
        const std::uint64_t more = down[block] | ~(level | up[block]), less = level & up[block];
        if (block == last / 64) {
          distance += static_cast<std::int64_t>(more >> (last % 64) & 1) - static_cast<std::int64_t>(less >> (last % 64) & 1);
        }
        const std::uint64_t raised = more << 1 | rises, lowered = less << 1 | falls;
        rises = more >> 63;
        falls = less >> 63;
        up[block] = lowered | ~(level | raised);
        down[block] = raised & level;
      }
      below_[place] = static_cast<std::uint8_t>(falls * kFalls | rises * kRises);
    }
    return distance;
  }

  SharedNumbers numbers_;
  std::vector<std::uint64_t> masks_;  // the places of each token of the left text in the present blocks
  std::vector<std::uint8_t> below_;   // of each token of the right text
};

}  // namespace ragauge
