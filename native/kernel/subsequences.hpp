// Lengths of longest common subsequences: exact, 64 tokens of one text at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "hashing.hpp"

namespace ragauge {

// Source: Hyyro 2004, "Bit-parallel LCS-length computation revisited". Bit i of a block is 0 where the table of lengths
// grows from place i to i + 1. Blocks of 64 places are computed one after the other; each leaves a carry per token of
// the other text for the next block, so memory grows with the texts and not with their product.
class Subsequences {
 public:
  std::int64_t length(const std::int32_t* left, std::int64_t m, const std::int32_t* right, std::int64_t n) {
    std::int64_t same = 0;
    for (; m && n && *left == *right; ++left, ++right, --m, --n) ++same;
    for (; m && n && left[m - 1] == right[n - 1]; --m, --n) ++same;
    if (m == 0 || n == 0) return same;
    if (m > n) {
      std::swap(left, right);
      std::swap(m, n);
    }
    number(left, m);
    keep_shared(right, n);
    if (m <= 64) return same + one_block(static_cast<unsigned>(m));
    for (std::int64_t begin = 0; begin < m && !kept_.empty(); begin += 64 * kBlocks) same += blocks(begin, m);
    return same;
  }

 private:
  // Blocks that are computed together: each waits for the one below, a step behind it.
  static constexpr std::int64_t kBlocks = 4;

  // Number the tokens of the text whose places are bits, so that the masks of a few numbers are a short table. Small
  // numbers stay as they are.
  void number(const std::int32_t* text, std::int64_t length) {
    const auto largest = static_cast<std::size_t>(*std::max_element(text, text + length));
    const auto places = static_cast<std::size_t>(length);
    numbers_.resize(places);
    direct_ = largest < 256 || largest < 4 * places;
    if (direct_) {
      known_.assign(largest + 2, 0);
      masks_.assign((largest + 1) * (length > 64 ? kBlocks : 1), 0);
      for (std::size_t place = 0; place < places; ++place) {
        numbers_[place] = static_cast<std::uint32_t>(text[place]);
        known_[numbers_[place]] = 1;
      }
      return;
    }
    bits_ = bits_for(places);
    slots_.assign(std::size_t{1} << bits_, Slot{0, kNone});
    std::uint32_t next = 0;
    for (std::size_t place = 0; place < places; ++place) {
      Slot& slot = slots_[slot_of(text[place])];
      if (slot.number == kNone) slot = {text[place], next++};
      numbers_[place] = slot.number;
    }
    masks_.assign(next * (length > 64 ? kBlocks : 1), 0);
  }

  // Keep the tokens of the other text that have a number: the rest change no length.
  void keep_shared(const std::int32_t* text, std::int64_t length) {
    kept_.resize(static_cast<std::size_t>(length));
    std::size_t size = 0;
    for (std::int64_t place = 0; place < length; ++place) {
      if (direct_) {
        const auto number = std::min(static_cast<std::size_t>(text[place]), known_.size() - 1);
        kept_[size] = static_cast<std::uint32_t>(number);
        size += known_[number];
      } else {
        kept_[size] = slots_[slot_of(text[place])].number;
        size += kept_[size] != kNone;
      }
    }
    kept_.resize(size);
    carries_.assign(size, 0);
  }

  std::int64_t one_block(unsigned places) {
    for (unsigned place = 0; place < places; ++place) masks_[numbers_[place]] |= std::uint64_t{1} << place;
    std::uint64_t state = ~std::uint64_t{0};
    for (const std::uint32_t number : kept_) {
      const std::uint64_t hit = state & masks_[number];
      state = (state + hit) | (state - hit);
    }
    return grown(state, places);
  }

  // Compute the blocks from place `begin` on; their last carries stay in `carries_`.
  std::int64_t blocks(std::int64_t begin, std::int64_t m) {
    const std::int64_t end = std::min(begin + 64 * kBlocks, m);
    for (std::int64_t place = begin; place < end; ++place) {
      const std::int64_t bit = place - begin;
      mask(place)[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    std::array<std::uint64_t, kBlocks> state;
    state.fill(~std::uint64_t{0});
    for (std::size_t place = 0; place < kept_.size(); ++place) {
      const std::uint64_t* masks = masks_.data() + static_cast<std::size_t>(kBlocks) * kept_[place];
      std::uint64_t carry = carries_[place];
      for (std::size_t block = 0; block < kBlocks; ++block) {
        const std::uint64_t hit = state[block] & masks[block];
        const std::uint64_t sum = state[block] + hit;
        const std::uint64_t total = sum + carry;
        carry = static_cast<std::uint64_t>(sum < hit) | static_cast<std::uint64_t>(total < sum);
        state[block] = total | (state[block] - hit);
      }
      carries_[place] = static_cast<std::uint8_t>(carry);
    }
    std::int64_t length = 0;
    for (std::int64_t block = 0; begin + 64 * block < end; ++block) {
      const auto places = static_cast<unsigned>(std::min<std::int64_t>(64, end - begin - 64 * block));
      length += grown(state[static_cast<std::size_t>(block)], places);
    }
    for (std::int64_t place = begin; place < end; ++place) std::fill_n(mask(place), kBlocks, 0);
    return length;
  }

  std::uint64_t* mask(std::int64_t place) {
    return masks_.data() + static_cast<std::size_t>(kBlocks) * numbers_[static_cast<std::size_t>(place)];
  }

  // Return how many of the places are 0 in the state.
  static std::int64_t grown(std::uint64_t state, unsigned places) {
    const std::uint64_t used = places == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << places) - 1;
    return std::popcount(~state & used);
  }

  struct Slot {
    std::int32_t token;
    std::uint32_t number;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Return the slot of a token: its own, or the empty one where it would stand.
  std::size_t slot_of(std::int32_t token) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t key = static_cast<std::uint32_t>(token);
    auto slot = static_cast<std::size_t>((key * multiplier()) >> (64 - bits_));
    while (slots_[slot].number != kNone && slots_[slot].token != token) slot = (slot + 1) & mask;
    return slot;
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> numbers_;  // of each place of the text whose places are bits
  std::vector<std::uint32_t> kept_;     // numbers of the other text's tokens
  std::vector<std::uint8_t> known_;     // 1 for each small number that the text has; the last is 0
  std::vector<std::uint64_t> masks_;    // the places of each number in the present blocks
  std::vector<std::uint8_t> carries_;   // of the blocks before, at each kept token
  bool direct_ = false;                 // tokens are small, and their own numbers
  unsigned bits_ = 4;
};

}  // namespace ragauge
