// Lists of values as flat arrays with offsets, as Arrow has them, and samples: a left list and any number of right ones.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace ragauge {

// n lists: list i holds values[offsets[i]] to before values[offsets[i + 1]].
template <class Value>
struct Lists {
  const Value* values;
  const std::int64_t* offsets;
  std::int64_t n;

  const Value* begin(std::int64_t list) const { return values + offsets[list]; }
  std::int64_t length(std::int64_t list) const { return offsets[list + 1] - offsets[list]; }
  std::int64_t size() const { return n; }
  std::int64_t work(std::int64_t first, std::int64_t last) const { return offsets[last] - offsets[first]; }

  // Offsets come from outside: they must rise and stay inside the values, or memory would be read that is not ours.
  void check(std::int64_t size) const {
    if (n < 0 || offsets[0] < 0 || offsets[n] > size) throw std::invalid_argument("offsets must stay within the values");
    for (std::int64_t list = 0; list < n; ++list) {
      if (offsets[list] > offsets[list + 1]) throw std::invalid_argument("offsets must not fall");
    }
  }
};

// Samples: sample i has the left list i, and the right lists first[i] to before first[i + 1].
template <class Value>
struct Samples {
  Lists<Value> left;
  Lists<Value> right;
  const std::int64_t* first;

  std::int64_t size() const { return left.n; }

  // What a sample takes, roughly: its values on both sides.
  std::int64_t work(std::int64_t begin, std::int64_t end) const {
    return left.offsets[end] - left.offsets[begin] + right.offsets[first[end]] - right.offsets[first[begin]];
  }

  void check() const {
    if (first[0] != 0 || first[left.n] != right.n) throw std::invalid_argument("right lists must belong to samples");
    for (std::int64_t sample = 0; sample < left.n; ++sample) {
      if (first[sample] > first[sample + 1]) throw std::invalid_argument("first right lists must not fall");
    }
  }
};

}  // namespace ragauge
