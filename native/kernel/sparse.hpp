// Sparse vectors: products of pairs, which n-grams stand in which texts, and how near evidence is.
#pragma once

#include <algorithm>
#include <cstddef>
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

// The sums of one claim after the other: its n-grams add to them in and near the segments that have them.
class NearSums {
 public:
  explicit NearSums(const Neighbours& neighbours) : neighbours_(neighbours) {}

  // Add to `sums` from now on; those before are whole then.
  void start(std::uint64_t* sums) {
    finish();
    sums_ = sums;
  }

  // Add the weight of an n-gram, times `window` less the distance, in and near each of the `count` segments that have it,
  // `segments`, rising: half-way to the next one that has it in the same run. sums[0] is that of the segment `zero`;
  // there are `room` of them.
  void add(const std::int64_t* segments, std::int64_t count, std::uint64_t weight, std::int64_t zero, std::int64_t room) {
    for (std::int64_t match = 0; match < count; ++match) {
      const std::int64_t segment = segments[match];
      const std::int64_t begin = neighbours_.begins[segment], end = neighbours_.ends[segment];
      std::int64_t left = std::max(begin, segment - neighbours_.window + 1);
      std::int64_t right = std::min(end, segment + neighbours_.window - 1);
      if (match > 0 && neighbours_.begins[segments[match - 1]] == begin) {
        left = std::max(left, (segments[match - 1] + segment - 2 * zero) / 2 + zero + 1);
      }
      if (match + 1 < count && neighbours_.begins[segments[match + 1]] == begin) {
        right = std::min(right, (segment + segments[match + 1] - 2 * zero) / 2 + zero);
      }
      // Segments that rise within their runs lie between both.
      if (left < zero || right >= zero + room || left > segment || right < segment) {
        throw std::invalid_argument("segments must be those of their sample");
      }
      if (right - left < kWide) {
        for (std::int64_t place = left; place <= right; ++place) {
          sums_[place - zero] += weight * static_cast<std::uint64_t>(neighbours_.window - std::abs(place - segment));
        }
      } else {
        slant(weight, static_cast<std::size_t>(left - zero), static_cast<std::size_t>(segment - zero),
              static_cast<std::size_t>(right - zero));
      }
    }
  }

  // Make the sums whole.
  void finish() {
    Change now{0, 0};
    for (std::size_t place = 0; place < changes_.size(); ++place) {
      now.level += changes_[place].level;
      now.slope += changes_[place].slope;
      // The last change is where the last sum ends.
      if (place + 1 < changes_.size()) sums_[place] += now.level + now.slope * place;
    }
    changes_.clear();
  }

 private:
  // What is added to sum i: level + slope * i.
  struct Change {
    std::uint64_t level, slope;
  };

  // Where an n-gram reaches further than this, only where its slope changes is noted.
  static constexpr std::int64_t kWide = 64;

  void slant(std::uint64_t weight, std::size_t left, std::size_t peak, std::size_t right) {
    if (changes_.size() < right + 2) changes_.resize(right + 2, {0, 0});
    const auto window = static_cast<std::uint64_t>(neighbours_.window);
    changes_[left].level += weight * (window - peak);
    changes_[left].slope += weight;
    changes_[peak].level += weight * 2 * peak;
    changes_[peak].slope -= weight * 2;
    changes_[right + 1].level -= weight * (window + peak);
    changes_[right + 1].slope += weight;
  }

  const Neighbours& neighbours_;
  std::uint64_t* sums_ = nullptr;
  std::vector<Change> changes_;
};

}  // namespace ragauge
