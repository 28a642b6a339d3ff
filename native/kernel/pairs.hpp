// Counts of the n-grams that two texts share, for all lengths from one sort of the longest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "hashing.hpp"

namespace ragauge {

// Numbers the tokens that two texts share, from kFirst; all others of the left text are kLeftOnly, all others of the
// right text kRightOnly, because they change no count.
class SharedNumbers {
 public:
  static constexpr std::uint32_t kLeftOnly = 0, kRightOnly = 1, kFirst = 2;

  // Return one more than the highest number.
  std::uint32_t number(const std::int32_t* left, std::int64_t m, const std::int32_t* right, std::int64_t n) {
    left_.resize(static_cast<std::size_t>(m));
    right_.resize(static_cast<std::size_t>(n));
    if (m == 0 || n == 0) return kFirst;
    const auto largest = static_cast<std::size_t>(*std::max_element(left, left + m));
    const auto few = 4 * static_cast<std::size_t>(m);
    return largest < 256 || largest < few ? direct(left, right, largest) : hashed(left, right);
  }

  const std::vector<std::uint32_t>& left() const { return left_; }
  const std::vector<std::uint32_t>& right() const { return right_; }

 private:
  // In tables: that the left text has the token.
  static constexpr std::uint32_t kSeen = 1;

  // Tokens of small numbers are their own slots. Tokens above all of the left text share one slot, which stays empty.
  std::uint32_t direct(const std::int32_t* left, const std::int32_t* right, std::size_t largest) {
    numbers_.assign(largest + 2, 0);
    for (std::size_t place = 0; place < left_.size(); ++place) numbers_[static_cast<std::size_t>(left[place])] = kSeen;
    std::uint32_t next = kFirst;
    for (std::size_t place = 0; place < right_.size(); ++place) {
      right_[place] = found(numbers_[std::min(static_cast<std::size_t>(right[place]), largest + 1)], next);
    }
    for (std::size_t place = 0; place < left_.size(); ++place) {
      left_[place] = of_left(numbers_[static_cast<std::size_t>(left[place])]);
    }
    return next;
  }

  std::uint32_t hashed(const std::int32_t* left, const std::int32_t* right) {
    bits_ = bits_for(left_.size());
    numbers_.assign(std::size_t{1} << bits_, 0);
    tokens_.resize(numbers_.size());
    for (std::size_t place = 0; place < left_.size(); ++place) {
      const std::size_t slot = slot_of(left[place]);
      tokens_[slot] = left[place];
      numbers_[slot] = kSeen;
      left_[place] = static_cast<std::uint32_t>(slot);
    }
    std::uint32_t next = kFirst;
    for (std::size_t place = 0; place < right_.size(); ++place) {
      right_[place] = found(numbers_[slot_of(right[place])], next);
    }
    for (std::uint32_t& number : left_) number = of_left(numbers_[number]);
    return next;
  }

  // Return the number of a token of the right text; `entry` is what its table has for it. Without branches, because
  // none could be foreseen.
  static std::uint32_t found(std::uint32_t& entry, std::uint32_t& next) {
    const std::uint32_t old = entry;
    const std::uint32_t fresh = old == kSeen;
    const std::uint32_t now = fresh ? next : old;
    next += fresh;
    entry = now;
    return now + (now == 0) * kRightOnly;
  }

  static std::uint32_t of_left(std::uint32_t entry) { return entry == kSeen ? kLeftOnly : entry; }

  // Return the slot of a token: its own, or the empty one where it would stand.
  std::size_t slot_of(std::int32_t token) const {
    const std::size_t mask = numbers_.size() - 1;
    const std::uint64_t key = static_cast<std::uint32_t>(token);
    auto slot = static_cast<std::size_t>((key * multiplier()) >> (64 - bits_));
    while (numbers_[slot] != 0 && tokens_[slot] != token) slot = (slot + 1) & mask;
    return slot;
  }

  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> right_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::int32_t> tokens_;
  unsigned bits_ = 4;
};

// Sorts whole numbers of so many bits, digit by digit, the last digit first.
template <class Key>
class Sort {
 public:
  // `skipped`: the lowest bits, which do not count.
  void sort(std::vector<Key>& keys, unsigned skipped, unsigned bits) {
    const unsigned widest = std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(keys.size())), 6, kWidest);
    const unsigned digits = (bits + widest - 1) / widest;
    const unsigned width = (bits + digits - 1) / digits;
    const std::size_t size = std::size_t{1} << width;
    const Key mask = static_cast<Key>(size - 1);
    counts_.assign(digits * size, 0);
    for (const Key key : keys) {
      for (unsigned digit = 0; digit < digits; ++digit) {
        ++counts_[digit * size + ((key >> (skipped + digit * width)) & mask)];
      }
    }
    other_.resize(keys.size());
    for (unsigned digit = 0; digit < digits; ++digit) {
      std::uint32_t* counts = counts_.data() + digit * size;
      std::uint32_t before = 0;
      for (std::size_t value = 0; value < size; ++value) before += std::exchange(counts[value], before);
      const unsigned shift = skipped + digit * width;
      for (const Key key : keys) other_[counts[(key >> shift) & mask]++] = key;
      keys.swap(other_);
    }
  }

 private:
  static constexpr unsigned kWidest = 11;
  std::vector<Key> other_;
  std::vector<std::uint32_t> counts_;
};

// The two texts of a pair as n-grams of the longest length, in which their first token is the foremost. Once they are
// sorted, equal n-grams of every length stand together, because a shorter one is the beginning of a longer one.
template <class Key, int kLanes>
class PairNgrams {
 public:
  // Set counts[n - 1] for n = 1 to order, at most kLanes, from numbers of `bits` bits.
  void count(const SharedNumbers& numbers, unsigned bits, int order, std::int64_t* counts) {
    keys_.clear();
    append(numbers.left(), SharedNumbers::kLeftOnly, bits, order, 1);
    append(numbers.right(), SharedNumbers::kRightOnly, bits, order, 0);
    sort_.sort(keys_, 1, bits * static_cast<unsigned>(order));
    scan(bits, order, counts);
  }

 private:
  // Append the n-grams of a text that begin with a shared token; behind its end stand tokens that are its alone.
  void append(const std::vector<std::uint32_t>& numbers, std::uint32_t alone, unsigned bits, int order, Key left) {
    Key key = 0;
    for (int token = 0; token < order; ++token) key = static_cast<Key>(key << bits | alone);
    const Key kept = static_cast<Key>((Key{1} << (bits * static_cast<unsigned>(order) - bits)) - 1);
    const unsigned foremost = bits * static_cast<unsigned>(order - 1);
    std::size_t size = keys_.size();
    keys_.resize(size + numbers.size());
    // From the last token to the first: each n-gram is the one behind it, a token further.
    for (std::size_t place = numbers.size(); place-- > 0;) {
      key = static_cast<Key>((key >> bits & kept) | static_cast<Key>(numbers[place]) << foremost);
      keys_[size] = static_cast<Key>(key << 1 | left);
      size += numbers[place] != alone;
    }
    keys_.resize(size);
  }

  // Within a group of equal n-grams each new one is shared if the other text was ahead: then its difference, left minus
  // right, comes nearer to 0. One lane for each length.
  void scan(unsigned bits, int order, std::int64_t* counts) const {
    std::array<std::uint8_t, 65> equal{};  // highest bit that differs -> equal tokens before it
    const unsigned total = bits * static_cast<unsigned>(order);
    for (unsigned width = 0; width <= total; ++width) equal[width] = static_cast<std::uint8_t>((total - width) / bits);
    std::array<std::array<std::int32_t, kLanes>, kLanes + 1> kept{};
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int tokens = lane + 1; tokens <= kLanes; ++tokens) kept[tokens][lane] = -1;
    }
    alignas(32) std::array<std::int32_t, kLanes> ahead{}, shared{};
    Key before = 0;
    for (const Key key : keys_) {
      const auto& mask = kept[equal[static_cast<std::size_t>(std::bit_width(static_cast<Key>((key ^ before) >> 1)))]];
      const std::int32_t sign = static_cast<std::int32_t>(key & 1) - 1;  // 0 for the left text, -1 for the right
      for (int lane = 0; lane < kLanes; ++lane) {
        const std::int32_t now = ahead[lane] & mask[lane];
        shared[lane] -= ((now ^ sign) - sign) >> 31;
        ahead[lane] = now + (sign | 1);
      }
      before = key;
    }
    for (int n = 0; n < order; ++n) counts[n] = shared[static_cast<std::size_t>(n)];
  }

  std::vector<Key> keys_;
  Sort<Key> sort_;
};

}  // namespace ragauge
