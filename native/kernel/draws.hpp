// Sums over the units that each trial of a randomisation test swaps, and by the weights of each replicate of a bootstrap.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "arguments.hpp"
#include "products.hpp"
#include "threads.hpp"

#if defined(RAGAUGE_WIDE)
#define RAGAUGE_INLINE inline __attribute__((always_inline))
#else
#define RAGAUGE_INLINE inline
#endif

namespace ragauge {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;

// As splitmix64 of ragauge.core.hashing.
inline std::uint64_t mixed(std::uint64_t value) {
  value += kGolden;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

// Draw the weights of a unit from its counter on: of each 16-bit draw, how many limits it reaches.
RAGAUGE_INLINE void weigh(std::uint64_t counter, const std::uint16_t* limits, std::size_t levels, Draws& weights) {
  Draws draws;
  for (std::size_t one = 0; one < kDraws; one += 4, counter += kGolden) {
    const std::uint64_t hash = mixed(counter);
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(draws.data() + one, &hash, sizeof hash);
    } else {
      for (std::size_t place = 0; place < 4; ++place) draws[one + place] = static_cast<std::uint16_t>(hash >> 16 * place);
    }
  }
  std::uint16_t largest = 0;
  for (std::size_t one = 0; one < kDraws; ++one) largest = std::max(largest, draws[one]);
  weights.fill(0);
  // The last limits are seldom reached by any of the draws.
  for (std::size_t level = 0; level < levels && limits[level] <= largest; ++level) {
    const std::uint16_t limit = limits[level];
    for (std::size_t one = 0; one < kDraws; ++one) {
      weights[one] = static_cast<std::uint16_t>(weights[one] + (draws[one] >= limit ? 1 : 0));
    }
  }
}

// Draw whether a unit is swapped in each of some trials, from its counter on: a weight of 0 or 1.
inline void toss(std::uint64_t counter, Draws& swapped) {
  for (std::size_t trial = 0; trial < kDraws; trial += 64, counter += kGolden) {
    const std::uint64_t hash = mixed(counter);
    for (std::size_t bit = 0; bit < 64; ++bit) swapped[trial + bit] = hash >> bit & 1;
  }
}

#if defined(RAGAUGE_WIDE)
// The same for processors that have AVX2.
RAGAUGE_WIDE inline void weigh_widely(std::uint64_t counter, const std::uint16_t* limits, std::size_t levels, Draws& weights) {
  weigh(counter, limits, levels, weights);
}
RAGAUGE_WIDE inline void toss_widely(std::uint64_t counter, Draws& swapped) {
  for (std::size_t trial = 0; trial < kDraws; trial += 64, counter += kGolden) {
    const std::uint64_t hash = mixed(counter);
    for (std::size_t part = 0; part < 64; part += 16) spread(static_cast<std::uint16_t>(hash >> part), &swapped[trial + part]);
  }
}
#else
constexpr auto weigh_widely = weigh;
constexpr auto toss_widely = toss;
#endif

// The columns (u, c), what the counters of the u units are added to, and where the sums of each draw go, (c, draws).
struct Summed {
  Buffer columns, starts, out;
  long long draws = 0, threads = 1;

  // `draw(start, first, weights)` makes the weights of one unit in some draws.
  template <typename Draw>
  void sum(const Draw& draw) {
    const std::int64_t rows = starts.count<std::uint64_t>(), numbers = columns.count<double>();
    if (rows < 1 || draws < 1 || !numbers || numbers % rows) throw std::invalid_argument("rows must have one length");
    check_room(out, draws, numbers / rows);
    const auto units = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(numbers / rows);
    const auto* keys = starts.as<const std::uint64_t>();
    auto* sums = out.as<double>();
    const PairedRows paired(columns.as<const double>(), units, width);
    constexpr auto kOnce = static_cast<std::int64_t>(kDraws);
    in_threads((draws + kOnce - 1) / kOnce, threads, [&](std::int64_t run) {
      const auto first = static_cast<std::size_t>(run * kOnce);
      const auto some = static_cast<std::size_t>(std::min<std::int64_t>(kOnce, draws - run * kOnce));
      const std::vector<double> found =
          products(paired, units, width, [&](std::size_t unit, Draws& weights) { draw(keys[unit], first, weights); });
      for (std::size_t column = 0; column < width; ++column) {
        std::copy_n(found.data() + column * kDraws, some, sums + column * static_cast<std::size_t>(draws) + first);
      }
    });
  }
};

// swapped_sums(columns, starts, trials, threads, out: sums) -> None
// Of the rows of columns (u, c) those are added that a trial swaps: sums (c, trials). All sums must be exact, so that their
// order changes nothing.
inline PyObject* swapped_sums(PyObject*, PyObject* arguments) {
  Summed given;
  if (!PyArg_ParseTuple(arguments, "y*y*LLw*", &given.columns.view, &given.starts.view, &given.draws, &given.threads,
                        &given.out.view)) {
    return nullptr;
  }
  const auto tossed = is_wide() ? toss_widely : toss;
  const bool done = released([&] {
    given.sum([&](std::uint64_t start, std::size_t first, Draws& swapped) { tossed(start + first / 64 * kGolden, swapped); });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// weighted_sums(columns, starts, limits, replicates, threads, out: sums) -> None
// The rows of columns (u, c) are added as often as their weights in a replicate say, which count the limits (at most 15 of
// them, rising) that a draw of 16 bits reaches: sums (c, replicates). All sums must be exact.
inline PyObject* weighted_sums(PyObject*, PyObject* arguments) {
  Summed given;
  Buffer limits;
  if (!PyArg_ParseTuple(arguments, "y*y*y*LLw*", &given.columns.view, &given.starts.view, &limits.view, &given.draws,
                        &given.threads, &given.out.view)) {
    return nullptr;
  }
  const auto weighed = is_wide() ? weigh_widely : weigh;
  const bool done = released([&] {
    const auto levels = static_cast<std::size_t>(limits.count<std::uint16_t>());
    if (levels > kLargestWeight) throw std::invalid_argument("there must be at most 15 limits");
    const auto* reached = limits.as<const std::uint16_t>();
    given.sum([&](std::uint64_t start, std::size_t first, Draws& weights) {
      weighed(start + first / 4 * kGolden, reached, levels, weights);
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace ragauge
