// Sparse vectors: products of pairs, which n-grams stand in which texts, and how near evidence is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hashing.hpp"
#include "lists.hpp"

namespace ragauge {

// n vectors: the entries of each are the keys of a list, rising, and the weights at the same places.
struct SparseColumn {
  Lists<std::uint32_t> keys;
  const std::uint16_t* weights;

  void check(std::int64_t vector) const {
    if (vector < 0 || vector >= keys.n) throw std::invalid_argument("a number must be that of a vector");
  }

  // Return the sum of products of what two vectors share, from the lowest key on: exact below 2^53.
  double dot(std::int64_t one, std::int64_t other) const {
    if (keys.length(one) > keys.length(other)) std::swap(one, other);
    const std::uint32_t *first = keys.begin(one), *end = first + keys.length(one);
    const std::uint32_t *place = keys.begin(other), *last = place + keys.length(other);
    const std::uint16_t *weight = weights + keys.offsets[one], *others = weights + keys.offsets[other];
    const std::uint32_t* const begin = place;
    const bool few = keys.length(one) * kFew < keys.length(other);
    double sum = 0;
    for (; first < end && place < last; ++first, ++weight) {
      if (few) {
        place = std::lower_bound(place, last, *first);
      } else {
        while (place < last && *place < *first) ++place;
      }
      if (place < last && *place == *first) sum += static_cast<double>(*weight) * others[place - begin];
    }
    return sum;
  }

 private:
  // A vector with so many times fewer entries than another is looked up, entry by entry.
  static constexpr std::int64_t kFew = 8;
};

// The n-grams of the claims of one sample, numbered; most n-grams of evidence are none of them.
class Wanted {
 public:
  // Enter `count` distinct keys, in place of those before: number i is keys[i]'s lower half.
  void enter(const std::uint64_t* keys, std::int64_t count) {
    bits_ = bits_for(2 * static_cast<std::size_t>(count));
    slots_.assign(std::size_t{1} << bits_, {0, -1});
    for (std::int64_t number = 0; number < count; ++number) {
      const auto key = static_cast<std::uint32_t>(keys[number]);
      std::size_t slot = slot_of(key);
      while (slots_[slot].number >= 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = {key, number};
    }
  }

  // Return the number of a key, or -1.
  std::int64_t find(std::uint32_t key) const {
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].number < 0 || slots_[slot].key == key) return slots_[slot].number;
    }
  }

 private:
  struct Slot {
    std::uint32_t key;
    std::int64_t number;
  };

  std::size_t slot_of(std::uint32_t key) const { return static_cast<std::size_t>(key * multiplier() >> (64 - bits_)); }

  std::vector<Slot> slots_;
  unsigned bits_ = 4;
};

// Segments of evidence: of each, the first and the last segment of its run, between which evidence reaches.
struct Neighbours {
  const std::int64_t* begins;
  const std::int64_t* ends;
  std::int64_t window;
};

// Add to `near` the weight of an n-gram, times `window` less the distance, in and near each of the `count` segments
// that have it, `segments`, rising: half-way to the next one that has it in the same run.
// near[0] is that of the segment `zero`; there are `room` of them.
inline void add_near(const std::int64_t* segments, std::int64_t count, std::int64_t weight, const Neighbours& neighbours,
                     std::int64_t zero, std::int64_t* near, std::int64_t room) {
  for (std::int64_t match = 0; match < count; ++match) {
    const std::int64_t segment = segments[match];
    const std::int64_t begin = neighbours.begins[segment], end = neighbours.ends[segment];
    std::int64_t left = std::max(begin, segment - neighbours.window + 1);
    std::int64_t right = std::min(end, segment + neighbours.window - 1);
    if (match > 0 && neighbours.begins[segments[match - 1]] == begin) {
      left = std::max(left, (segments[match - 1] + segment - 2 * zero) / 2 + zero + 1);
    }
    if (match + 1 < count && neighbours.begins[segments[match + 1]] == begin) {
      right = std::min(right, (segment + segments[match + 1] - 2 * zero) / 2 + zero);
    }
    if (left < zero || right >= zero + room) throw std::invalid_argument("segments must be those of their sample");
    for (std::int64_t place = left; place <= right; ++place) {
      near[place - zero] += weight * (neighbours.window - std::abs(place - segment));
    }
  }
}

}  // namespace ragauge
