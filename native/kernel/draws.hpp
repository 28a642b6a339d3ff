// Sums over the units that each trial of a randomisation test swaps.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arguments.hpp"
#include "threads.hpp"

#if defined(__GNUC__) && defined(__x86_64__)
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

// Sums are looked up: of four units there are 16 choices, whose sums are made once for many trials (Arlazarov et al. 1970,
// "On economical construction of the transitive closure of an oriented graph"). A block of units is looked up at once, in
// so many columns: what that needs stays in the first cache.
constexpr std::size_t kColumns = 16, kHalves = 8, kBlock = 4 * kHalves;
using Row = std::array<double, kColumns>;
using Choices = std::array<Row, 16>;

// Which units of each block are swapped in each of some trials: a bit for each unit.
class Swaps {
 public:
  // starts: what the counters of each unit are added to; a hash holds the bits of 64 trials. `first` is a multiple of 64.
  Swaps(const std::uint64_t* starts, std::size_t units, std::size_t first, std::size_t trials)
      : blocks((units + kBlock - 1) / kBlock), trials_(trials), bits_(blocks * trials) {
    for (std::size_t unit = 0; unit < units; ++unit) {
      std::uint32_t* const own = bits_.data() + unit / kBlock * trials;
      for (std::size_t trial = 0; trial < trials; trial += 64) {
        std::uint64_t hash = mixed(starts[unit] + (first + trial) / 64 * kGolden);
        for (std::size_t one = trial; one < std::min(trial + 64, trials); ++one, hash >>= 1) {
          own[one] |= static_cast<std::uint32_t>((hash & 1) << unit % kBlock);
        }
      }
    }
  }

  const std::uint32_t* of(std::size_t block) const { return bits_.data() + block * trials_; }

  const std::size_t blocks;

 private:
  std::size_t trials_;
  std::vector<std::uint32_t> bits_;
};

// Add to the sums of each trial those of the units that it swaps, of one block.
RAGAUGE_INLINE void add_block(const std::uint32_t* swapped, const Choices* choices, std::vector<Row>& sums) {
  const std::size_t trials = sums.size();
  Row* const rows = sums.data();
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const std::uint32_t bits = swapped[trial];
    const Row &a = choices[0][bits & 15], &b = choices[1][bits >> 4 & 15], &c = choices[2][bits >> 8 & 15],
              &d = choices[3][bits >> 12 & 15], &e = choices[4][bits >> 16 & 15], &f = choices[5][bits >> 20 & 15],
              &g = choices[6][bits >> 24 & 15], &h = choices[7][bits >> 28];
    double* const all = rows[trial].data();
    for (std::size_t one = 0; one < kColumns; ++one) {
      all[one] += ((a[one] + b[one]) + (c[one] + d[one])) + ((e[one] + f[one]) + (g[one] + h[one]));
    }
  }
}

#if defined(__GNUC__) && defined(__x86_64__)
// The same for processors that add four numbers at once.
__attribute__((target("avx2"))) inline void add_wide_block(const std::uint32_t* swapped, const Choices* choices,
                                                           std::vector<Row>& sums) {
  add_block(swapped, choices, sums);
}
inline bool adds_widely() { return __builtin_cpu_supports("avx2"); }
#else
inline void add_wide_block(const std::uint32_t*, const Choices*, std::vector<Row>&) {}
inline bool adds_widely() { return false; }
#endif

// Return the sums of each choice among the units of a block from `values` on, in `width` columns of a matrix of `stride`.
inline std::array<Choices, kHalves> choices_of(const double* values, std::size_t units, std::size_t stride,
                                               std::size_t width) {
  std::array<Choices, kHalves> choices{};
  for (std::size_t unit = 0; unit < std::min(units, kBlock); ++unit) {
    Choices& own = choices[unit / 4];
    const std::size_t ways = std::size_t{1} << unit % 4;
    for (std::size_t way = 0; way < ways; ++way) {
      for (std::size_t column = 0; column < width; ++column) {
        own[ways + way][column] = own[way][column] + values[unit * stride + column];
      }
    }
  }
  // Choices of units past the last are never looked up.
  return choices;
}

// swapped_sums(columns, starts, trials, threads, out: sums) -> None
// Of the rows of columns (u, c) those are added that a trial swaps: sums (trials, c). All sums must be exact, so that their
// order changes nothing.
inline PyObject* swapped_sums(PyObject*, PyObject* arguments) {
  Buffer columns, starts, out;
  long long trials, threads;
  if (!PyArg_ParseTuple(arguments, "y*y*LLw*", &columns.view, &starts.view, &trials, &threads, &out.view)) return nullptr;
  const bool done = released([&] {
    const std::int64_t rows = starts.count<std::uint64_t>(), numbers = columns.count<double>();
    if (rows < 1 || trials < 1 || !numbers || numbers % rows) throw std::invalid_argument("rows must have one length");
    check_room(out, trials, numbers / rows);
    const auto units = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(numbers / rows);
    const auto* values = columns.as<const double>();
    const auto* keys = starts.as<const std::uint64_t>();
    auto* sums = out.as<double>();
    // So many at once that making choices costs little, and sums and bits stay in the second cache.
    constexpr std::int64_t kTrials = 1 << 10;
    in_threads((trials + kTrials - 1) / kTrials, threads, [&](std::int64_t run) {
      const auto first = static_cast<std::size_t>(run * kTrials);
      const auto some = static_cast<std::size_t>(std::min<std::int64_t>(kTrials, trials - run * kTrials));
      const Swaps swaps(keys, units, first, some);
      std::vector<Row> all(some);
      for (std::size_t column = 0; column < width; column += kColumns) {
        const std::size_t wide = std::min(kColumns, width - column);
        std::fill(all.begin(), all.end(), Row{});
        for (std::size_t block = 0; block < swaps.blocks; ++block) {
          const std::size_t unit = block * kBlock;
          const auto choices = choices_of(values + unit * width + column, units - unit, width, wide);
          (adds_widely() ? add_wide_block : add_block)(swaps.of(block), choices.data(), all);
        }
        for (std::size_t trial = 0; trial < some; ++trial) {
          std::copy_n(all[trial].begin(), wide, sums + (first + trial) * width + column);
        }
      }
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace ragauge
