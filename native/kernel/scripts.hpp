// N-grams of characters, cut by script: what the embedder `lexical` makes vectors of.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tabulation.hpp"
#include "unicode.hpp"

namespace ragauge {

// How one script is cut, as `ragauge.embedders.ngrams.Shape`: six numbers of 64 bits in the memory of Python.
struct Shape {
  std::uint64_t orders;  // bit n - 1: n-grams of n characters are taken
  std::uint64_t whole;   // 1: the run of letters counts too
  std::uint64_t edged;   // 1: its begin and end count as characters
  std::uint64_t letters;  // 1: Hangul syllables are also written as letters, and cut by the shape that comes last
  std::uint64_t weight;
  std::uint64_t salt;
};

struct ShapeRules {
  Table kinds;          // of each code point the number of its shape, or one of those below
  const Shape* shapes;  // the last one is for letters of Hangul
  std::int64_t count;
  std::uint8_t ignored;  // the character is as if it were not there

  void check() const {
    if (kinds.size < 1 || count < 1) throw std::invalid_argument("tables must not be empty");
    for (std::int64_t place = 0; place < count; ++place) {
      if (shapes[place].orders >> 16) throw std::invalid_argument("n-grams have at most 16 characters");
    }
  }
};

// Sorts keys that are hashes, so that as many buckets by their upper bits hold about one key each. Keys that crowd into
// one bucket, as those of a word that a text repeats, are sorted there by comparison.
class KeySorting {
 public:
  void sort(std::vector<std::uint32_t>& keys) {
    if (keys.size() < kFew) {
      std::sort(keys.begin(), keys.end());
      return;
    }
    if (keys.size() >> 32) throw std::invalid_argument("a text must have fewer than 2^32 n-grams");
    const auto bits = static_cast<unsigned>(std::min<std::size_t>(std::bit_width(keys.size()), 20));
    const unsigned shift = 32 - bits;
    ends_.assign((std::size_t{1} << bits) + 1, 0);
    for (const std::uint32_t key : keys) ++ends_[(key >> shift) + 1];
    for (std::size_t bucket = 1; bucket < ends_.size(); ++bucket) ends_[bucket] += ends_[bucket - 1];
    sorted_.resize(keys.size());
    for (const std::uint32_t key : keys) sorted_[ends_[key >> shift]++] = key;
    // Each bucket now ends where the next one began.
    std::uint32_t first = 0;
    for (const std::uint32_t last : ends_) {
      if (last - first > kCrowd) {
        std::sort(sorted_.begin() + first, sorted_.begin() + last);
      } else {
        insert(sorted_.data() + first, sorted_.data() + last);
      }
      first = last;
    }
    keys.swap(sorted_);
  }

 private:
  static constexpr std::size_t kFew = 64;
  static constexpr std::uint32_t kCrowd = 24;
  std::vector<std::uint32_t> sorted_, ends_;

  static void insert(std::uint32_t* begin, const std::uint32_t* end) {
    if (end - begin < 2) return;
    for (std::uint32_t* place = begin + 1; place < end; ++place) {
      const std::uint32_t key = *place;
      std::uint32_t* to = place;
      for (; to > begin && to[-1] > key; --to) *to = to[-1];
      *to = key;
    }
  }
};

// Cuts texts, one after the other.
class ScriptCutting {
 public:
  explicit ScriptCutting(const ShapeRules& rules) : rules_(rules) {}

  // Append the distinct n-grams of a text to `keys`, rising, and how often each occurs to `counts`; return how many.
  std::int64_t cut(const std::uint32_t* points, std::int64_t length, std::vector<std::uint32_t>& keys,
                   std::vector<std::int64_t>& counts) {
    if (length >= std::int64_t{1} << 28) throw std::invalid_argument("a text must have fewer than 2^28 characters");
    own_.clear();
    run_.clear();
    std::uint8_t kind = rules_.ignored;
    for (std::int64_t place = 0; place < length; ++place) {
      const std::uint8_t here = rules_.kinds[points[place]];
      if (here == rules_.ignored) continue;
      if (here != kind) {
        take(kind);
        kind = here;
      }
      run_.push_back(points[place]);
    }
    take(kind);
    sorting_.sort(own_);
    const std::size_t before = keys.size();
    for (std::size_t first = 0, last; first < own_.size(); first = last) {
      for (last = first + 1; last < own_.size() && own_[last] == own_[first];) ++last;
      keys.push_back(own_[first]);
      counts.push_back(static_cast<std::int64_t>(last - first));
    }
    return static_cast<std::int64_t>(keys.size() - before);
  }

 private:
  static constexpr std::uint32_t kEdge = 0x110000, kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7;
  static constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;

  const ShapeRules& rules_;
  std::vector<std::uint32_t> run_, edged_, letters_, own_;
  KeySorting sorting_;

  // Take the n-grams of the run of letters, and empty it.
  void take(std::uint8_t kind) {
    if (kind < rules_.count - 1 && !run_.empty()) {
      const Shape& shape = rules_.shapes[kind];
      if (shape.whole) own_.push_back(key(sum_of_points(), shape));
      if (shape.edged) {
        edged_.assign(1, kEdge);
        edged_.insert(edged_.end(), run_.begin(), run_.end());
        edged_.push_back(kEdge);
        windows(edged_, shape);
      } else {
        windows(run_, shape);
      }
      if (shape.letters) {
        spell();
        windows(letters_, rules_.shapes[rules_.count - 1]);
      }
    }
    run_.clear();
  }

  std::uint64_t sum_of_points() const {
    std::uint64_t sum = 0;
    for (std::size_t place = 0; place < run_.size(); ++place) {
      sum += splitmix64(run_[place] + (static_cast<std::uint64_t>(place) << 21));
    }
    return sum;
  }

  void windows(const std::vector<std::uint32_t>& run, const Shape& shape) {
    const auto longest = static_cast<std::size_t>(std::bit_width(shape.orders));
    for (std::size_t first = 0; first < run.size(); ++first) {
      std::uint64_t hash = 0;
      const std::size_t most = std::min(longest, run.size() - first);
      for (std::size_t order = 1; order <= most; ++order) {
        hash = hash * kMultiplier + run[first + order - 1];
        if (shape.orders >> (order - 1) & 1) own_.push_back(key(hash + order, shape));
      }
    }
  }

  // Write each syllable as its letters, other letters as they are.
  void spell() {
    letters_.clear();
    for (const std::uint32_t point : run_) {
      const std::uint32_t index = point - kSyllables;
      if (point < kSyllables || index >= 11172) {
        letters_.push_back(point);
        continue;
      }
      letters_.push_back(index / 588 + kLeads);
      letters_.push_back(index % 588 / 28 + kVowels);
      if (index % 28) letters_.push_back(index % 28 + kTails);
    }
  }

  static std::uint32_t key(std::uint64_t hash, const Shape& shape) {
    return static_cast<std::uint32_t>(splitmix64(hash ^ shape.salt) >> 35 << 3 | shape.weight);
  }
};

}  // namespace ragauge
