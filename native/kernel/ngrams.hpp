// Counts of the n-grams that a text shares with others, clipped: exact, for all lengths up to an order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "hashing.hpp"
#include "pairs.hpp"
#include "tables.hpp"

namespace ragauge {

// Counts as `clipped_matches` in ragauge.metrics.text defines it: an n-gram counts as often as the left text has it, but
// no more often than that right text which has the most of it.
//
// The n-gram at a place is a number: the slot, in the table of its length, of the pair of numbers of the two
// (n-1)-grams that it consists of. A place is dead for all further lengths once its n-gram is not shared.
//
// Key holds two numbers; Half holds one, and any count up to the length of the left text.
template <class Key, class Half>
class SharedNgrams {
 public:
  // Texts must be shorter than this, so that half of a key can number twice as many slots.
  static constexpr std::int64_t kLongest = std::int64_t{1} << (4 * sizeof(Key) - 1);

  // Set counts[n - 1] for n = 1 to order; right texts stand one after the other in `right`, and end at `ends`.
  void count(const std::int32_t* left, std::int64_t left_length, const std::int32_t* right,
             const std::vector<std::int64_t>& ends, std::int64_t order, std::int64_t* counts) {
    std::fill(counts, counts + order, 0);
    left_.resize(static_cast<std::size_t>(left_length));
    right_.resize(static_cast<std::size_t>(ends.empty() ? 0 : ends.back()));
    if (left_.empty() || right_.empty()) return;
    counts[0] = first(left, right, ends);
    for (std::int64_t n = 2; n <= order && counts[n - 2] > 0; ++n) counts[n - 1] = longer(n, ends);
  }

 private:
  struct Slot {
    Key key;
    Half times;  // in the left text; 0 where the slot is empty
    Half taken;  // in that right text which has the most of it, no more than `times`
  };

  // A number no n-gram has: its highest bit is set.
  static constexpr std::uint32_t kDead = std::uint32_t{1} << 31;

  std::int64_t first(const std::int32_t* left, const std::int32_t* right, const std::vector<std::int64_t>& ends) {
    const auto largest = static_cast<std::size_t>(*std::max_element(left, left + left_.size()));
    if (largest < 256 || largest < 2 * left_.size()) return direct(left, right, largest, ends);
    clear(left_.size());
    for (std::size_t place = 0; place < left_.size(); ++place) {
      left_[place] = put(static_cast<Key>(static_cast<std::uint32_t>(left[place])));
    }
    for (std::size_t place = 0; place < right_.size(); ++place) {
      right_[place] = find(static_cast<Key>(static_cast<std::uint32_t>(right[place])));
    }
    return taken(1, ends);
  }

  // Tokens of small numbers are their own slots.
  std::int64_t direct(const std::int32_t* left, const std::int32_t* right, std::size_t largest,
                      const std::vector<std::int64_t>& ends) {
    slots_.assign(largest + 1, Slot{});
    for (std::size_t place = 0; place < left_.size(); ++place) {
      left_[place] = static_cast<std::uint32_t>(left[place]);
      ++slots_[left_[place]].times;
    }
    for (std::size_t place = 0; place < right_.size(); ++place) {
      const auto number = static_cast<std::uint32_t>(right[place]);
      right_[place] = number <= largest && slots_[number].times ? number : kDead;
    }
    return taken(1, ends);
  }

  std::int64_t longer(std::int64_t n, const std::vector<std::int64_t>& ends) {
    const std::int64_t last = static_cast<std::int64_t>(left_.size()) - n + 1;
    std::size_t alive = 0;
    for (std::int64_t place = 0; place < last; ++place) alive += !(dead(left_, place) | dead(left_, place + 1));
    if (alive == 0) return 0;
    clear(alive);
    join(left_, 0, last, [this](Key key) { return put(key); });
    std::int64_t start = 0;
    for (const std::int64_t end : ends) {
      join(right_, start, end - n + 1, [this](Key key) { return find(key); });
      start = end;
    }
    return taken(n, ends);
  }

  static std::uint32_t dead(const std::vector<std::uint32_t>& numbers, std::int64_t place) {
    return numbers[static_cast<std::size_t>(place)] >> 31;
  }

  // Replace each number by that of the n-gram which begins there.
  template <class Number>
  static void join(std::vector<std::uint32_t>& numbers, std::int64_t start, std::int64_t end, const Number& number) {
    for (std::int64_t place = start; place < end; ++place) {
      std::uint32_t& here = numbers[static_cast<std::size_t>(place)];
      const std::uint32_t next = numbers[static_cast<std::size_t>(place + 1)];
      if ((here | next) & kDead) {
        here = kDead;
      } else {
        here = number(static_cast<Key>(static_cast<Key>(here) << (4 * sizeof(Key)) | next));
      }
    }
  }

  // Count what each right text has of the n-grams of the left, then let die what none of them has.
  std::int64_t taken(std::int64_t n, const std::vector<std::int64_t>& ends) {
    std::int64_t shared = 0, start = 0;
    for (const std::int64_t end : ends) {
      shared += ends.size() == 1 ? of_only_text(start, end - n + 1) : of_one_text(start, end - n + 1);
      start = end;
    }
    const std::int64_t last = static_cast<std::int64_t>(left_.size()) - n + 1;
    for (std::int64_t place = 0; place < last; ++place) {
      std::uint32_t& here = left_[static_cast<std::size_t>(place)];
      if (!(here & kDead) && slots_[here].taken == 0) here = kDead;
    }
    return shared;
  }

  std::int64_t of_only_text(std::int64_t start, std::int64_t end) {
    std::int64_t shared = 0;
    for (std::int64_t place = start; place < end; ++place) {
      const std::uint32_t here = right_[static_cast<std::size_t>(place)];
      if (here & kDead) continue;
      Slot& slot = slots_[here];
      const bool more = slot.taken < slot.times;
      slot.taken = static_cast<Half>(slot.taken + more);
      shared += more;
    }
    return shared;
  }

  std::int64_t of_one_text(std::int64_t start, std::int64_t end) {
    std::int64_t shared = 0;
    times_.resize(std::max(times_.size(), slots_.size()));
    for (std::int64_t place = start; place < end; ++place) {
      const std::uint32_t here = right_[static_cast<std::size_t>(place)];
      if (here & kDead) continue;
      Slot& slot = slots_[here];
      const std::int64_t times = ++times_[here];
      if (times <= slot.taken || times > slot.times) continue;
      slot.taken = static_cast<Half>(times);
      ++shared;
    }
    for (std::int64_t place = start; place < end; ++place) {
      const std::uint32_t here = right_[static_cast<std::size_t>(place)];
      if (!(here & kDead)) times_[here] = 0;
    }
    return shared;
  }

  void clear(std::size_t keys) {
    bits_ = bits_for(keys);
    slots_.assign(std::size_t{1} << bits_, Slot{});
  }

  // Return the slot of a key: its own, or the empty one where it would stand.
  std::uint32_t slot_of(Key key) const {
    const std::size_t mask = slots_.size() - 1;
    auto slot = static_cast<std::size_t>((static_cast<std::uint64_t>(key) * multiplier()) >> (64 - bits_));
    while (slots_[slot].times != 0 && slots_[slot].key != key) slot = (slot + 1) & mask;
    return static_cast<std::uint32_t>(slot);
  }

  std::uint32_t put(Key key) {
    const std::uint32_t slot = slot_of(key);
    slots_[slot].key = key;
    ++slots_[slot].times;
    return slot;
  }

  std::uint32_t find(Key key) const {
    const std::uint32_t slot = slot_of(key);
    return slots_[slot].times ? slot : kDead;
  }

  std::vector<std::uint32_t> left_;   // the number of the n-gram at each place
  std::vector<std::uint32_t> right_;  // the same
  std::vector<Slot> slots_;
  std::vector<std::int64_t> times_;
  unsigned bits_ = 4;
};

// Counts what the two texts of a pair share of tokens of small numbers.
class SharedTokens {
 public:
  // Set counts[0]; return whether that can be done.
  bool count(const std::int32_t* left, std::int64_t m, const std::int32_t* right, std::int64_t n, std::int64_t* counts) {
    if (m == 0 || n == 0) return false;
    const std::int64_t largest = *std::max_element(left, left + m);
    if (largest >= 256 && largest >= 4 * m) return false;
    times_.assign(static_cast<std::size_t>(largest) + 2, 0);
    for (std::int64_t place = 0; place < m; ++place) ++times_[static_cast<std::size_t>(left[place])];
    std::int64_t shared = 0;
    for (std::int64_t place = 0; place < n; ++place) {
      // All that the left text lacks share the last entry, which stays 0.
      std::int64_t& times = times_[static_cast<std::size_t>(std::min<std::int64_t>(right[place], largest + 1))];
      const bool both = times > 0;
      times -= both;
      shared += both;
    }
    counts[0] = shared;
    return true;
  }

 private:
  std::vector<std::int64_t> times_;
};

// Chooses the way: n-grams of pairs of short texts are cells of a table, others are sorted where they fit into a number;
// else tables of hashes. The tables of short texts have half the size, so they stay in the processor's cache.
class Shared {
 public:
  void count(const std::int32_t* left, std::int64_t length, const std::int32_t* right,
             const std::vector<std::int64_t>& ends, std::int64_t order, std::int64_t* counts) {
    if (ends.size() == 1 && order == 1 && tokens_.count(left, length, right, ends[0], counts)) return;
    if (ends.size() == 1 && tables_.count(left, length, right, ends[0], order, counts)) return;
    if (ends.size() == 1 && sorted(left, length, right, ends[0], order, counts)) return;
    if (length >= kLongest) throw std::length_error("a text has too many tokens to count");
    if (length < Short::kLongest) {
      short_.count(left, length, right, ends, order, counts);
    } else {
      long_.count(left, length, right, ends, order, counts);
    }
  }

 private:
  using Short = SharedNgrams<std::uint32_t, std::uint16_t>;
  using Long = SharedNgrams<std::uint64_t, std::uint32_t>;

  // Count a pair by sorting; return whether that can be done.
  bool sorted(const std::int32_t* left, std::int64_t m, const std::int32_t* right, std::int64_t n, std::int64_t order,
              std::int64_t* counts) {
    if (order > kMostLanes) return false;
    const std::uint32_t size = numbers_.number(left, m, right, n);
    const auto bits = static_cast<unsigned>(std::bit_width(size - 1));
    const unsigned total = bits * static_cast<unsigned>(order);
    if (total > 63) return false;
    const auto lengths = static_cast<int>(order);
    if (total < 32 && order <= 4) {
      small_few_.count(numbers_, bits, lengths, counts);
    } else if (total < 32) {
      small_.count(numbers_, bits, lengths, counts);
    } else if (order <= 4) {
      large_few_.count(numbers_, bits, lengths, counts);
    } else {
      large_.count(numbers_, bits, lengths, counts);
    }
    return true;
  }

  static constexpr std::int64_t kMostLanes = 8;
  // Half as many as `Long` could hold, because the highest bit of a number says that its place is dead.
  static constexpr std::int64_t kLongest = Long::kLongest / 2;
  SharedTokens tokens_;
  PairTables tables_;
  SharedNumbers numbers_;
  PairNgrams<std::uint32_t, 4> small_few_;
  PairNgrams<std::uint32_t, kMostLanes> small_;
  PairNgrams<std::uint64_t, 4> large_few_;
  PairNgrams<std::uint64_t, kMostLanes> large_;
  Short short_;
  Long long_;
};

}  // namespace ragauge
