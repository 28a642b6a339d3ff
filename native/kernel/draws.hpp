// Sums over the units that each trial of a randomisation test swaps, and by the weights of each replicate of a bootstrap.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
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

// Replicates whose weights are drawn at once.
constexpr std::size_t kReplicates = 1 << 8;
using Draws = std::array<std::uint16_t, kReplicates>;

// Draw the weights of a unit from its counter on: of each 16-bit draw, how many limits it reaches.
RAGAUGE_INLINE void weigh(std::uint64_t counter, const std::uint16_t* limits, std::size_t levels, Draws& weights) {
  Draws draws;
  for (std::size_t one = 0; one < kReplicates; one += 4, counter += kGolden) {
    const std::uint64_t hash = mixed(counter);
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(draws.data() + one, &hash, sizeof hash);
    } else {
      for (std::size_t place = 0; place < 4; ++place) draws[one + place] = static_cast<std::uint16_t>(hash >> 16 * place);
    }
  }
  weights.fill(0);
  for (std::size_t level = 0; level < levels; ++level) {
    const std::uint16_t limit = limits[level];
    for (std::size_t one = 0; one < kReplicates; ++one) {
      weights[one] = static_cast<std::uint16_t>(weights[one] + (draws[one] >= limit ? 1 : 0));
    }
  }
}

// Add the lower two bits of each weight to those of its replicate.
RAGAUGE_INLINE void add_bits(const Draws& weights, std::size_t shift, std::uint32_t* own) {
  for (std::size_t one = 0; one < kReplicates; ++one) own[one] |= static_cast<std::uint32_t>(weights[one] & 3) << shift;
}

#if defined(__GNUC__) && defined(__x86_64__)
// The same for processors that compare sixteen draws at once.
__attribute__((target("avx2"))) inline void weigh_at_once(std::uint64_t counter, const std::uint16_t* limits,
                                                          std::size_t levels, Draws& weights) {
  weigh(counter, limits, levels, weights);
}
__attribute__((target("avx2"))) inline void add_bits_at_once(const Draws& weights, std::size_t shift, std::uint32_t* own) {
  add_bits(weights, shift, own);
}
inline bool adds_widely() { return __builtin_cpu_supports("avx2"); }
#else
inline void weigh_at_once(std::uint64_t, const std::uint16_t*, std::size_t, Draws&) {}
inline void add_bits_at_once(const Draws&, std::size_t, std::uint32_t*) {}
inline bool adds_widely() { return false; }
#endif

// The weights of each unit in each of some replicates: two bits of each weight, and by themselves the few from 4 on.
class Weights {
 public:
  struct Rest {
    std::size_t unit, replicate;
    double weight;
  };
  static constexpr std::size_t kUnits = kBlock / 2;

  // starts: as of Swaps; a hash holds the draws of four replicates. `first` is a multiple of 4.
  Weights(const std::uint64_t* starts, std::size_t units, std::size_t first, std::size_t replicates,
          const std::uint16_t* limits, std::size_t levels)
      : blocks((units + kUnits - 1) / kUnits), bits_(blocks * kReplicates) {
    const bool wide = adds_widely();
    Draws weights;
    for (std::size_t unit = 0; unit < units; ++unit) {
      (wide ? weigh_at_once : weigh)(starts[unit] + first / 4 * kGolden, limits, levels, weights);
      (wide ? add_bits_at_once : add_bits)(weights, unit % kUnits * 2, bits_.data() + unit / kUnits * kReplicates);
      for (std::size_t four = 0; four < replicates; four += 4) {
        if ((weights[four] | weights[four + 1] | weights[four + 2] | weights[four + 3]) < 4) continue;
        for (std::size_t one = four; one < std::min(four + 4, replicates); ++one) {
          if (weights[one] > 3) rest.push_back({unit, one, static_cast<double>(weights[one] & ~3)});
        }
      }
    }
  }

  const std::uint32_t* of(std::size_t block) const { return bits_.data() + block * kReplicates; }

  const std::size_t blocks;
  std::vector<Rest> rest;

 private:
  std::vector<std::uint32_t> bits_;
};

// Add to the sums of each trial those of the units that it swaps, of one block, in the first `kWide` columns.
template <std::size_t kWide>
RAGAUGE_INLINE void add_block(const std::uint32_t* swapped, const Choices* choices, std::vector<Row>& sums) {
  const std::size_t trials = sums.size();
  Row* const rows = sums.data();
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const std::uint32_t bits = swapped[trial];
    const Row &a = choices[0][bits & 15], &b = choices[1][bits >> 4 & 15], &c = choices[2][bits >> 8 & 15],
              &d = choices[3][bits >> 12 & 15], &e = choices[4][bits >> 16 & 15], &f = choices[5][bits >> 20 & 15],
              &g = choices[6][bits >> 24 & 15], &h = choices[7][bits >> 28];
    double* const all = rows[trial].data();
    for (std::size_t one = 0; one < kWide; ++one) {
      all[one] += ((a[one] + b[one]) + (c[one] + d[one])) + ((e[one] + f[one]) + (g[one] + h[one]));
    }
  }
}

#if defined(__GNUC__) && defined(__x86_64__)
// The same for processors that add four numbers at once.
template <std::size_t kWide>
__attribute__((target("avx2"))) inline void add_wide_block(const std::uint32_t* swapped, const Choices* choices,
                                                           std::vector<Row>& sums) {
  add_block<kWide>(swapped, choices, sums);
}
#else
template <std::size_t kWide>
inline void add_wide_block(const std::uint32_t*, const Choices*, std::vector<Row>&) {}
#endif

using Adder = void (*)(const std::uint32_t*, const Choices*, std::vector<Row>&);
inline Adder adder_of(std::size_t width) {
  const bool wide = adds_widely();
  if (width <= 4) return wide ? add_wide_block<4> : add_block<4>;
  if (width <= 8) return wide ? add_wide_block<8> : add_block<8>;
  if (width <= 12) return wide ? add_wide_block<12> : add_block<12>;
  return wide ? add_wide_block<16> : add_block<16>;
}

// Return the sums of each choice among the bits of a block: a unit from `values` on, of a matrix of `stride`, has `planes`
// of them, which count it once, twice, four times and so on. Only `width` columns are made.
inline std::array<Choices, kHalves> choices_of(const double* values, std::size_t units, std::size_t stride,
                                               std::size_t width, std::size_t planes) {
  std::array<Choices, kHalves> choices{};
  for (std::size_t bit = 0; bit < std::min(units * planes, kBlock); ++bit) {
    Choices& own = choices[bit / 4];
    const std::size_t ways = std::size_t{1} << bit % 4;
    const double* const row = values + bit / planes * stride;
    const auto times = static_cast<double>(std::size_t{1} << bit % planes);
    for (std::size_t way = 0; way < ways; ++way) {
      for (std::size_t column = 0; column < width; ++column) own[ways + way][column] = own[way][column] + times * row[column];
    }
  }
  // Choices of units past the last are never looked up.
  return choices;
}

// The columns (u, c), what the counters of the u units are added to, and where the sums of each draw go, (draws, c).
struct Summed {
  Buffer columns, starts, out;
  long long draws = 0, threads = 1;

  // Sum `kDraws` draws at a time, so many that making choices costs little, and sums and bits stay in the second cache.
  // `drawn(starts, units, first, some)` has the bits of some draws, `rest(bits, sum)` what they leave out.
  template <std::size_t kPlanes, std::int64_t kDraws, typename Drawn, typename Rest>
  void sum(const Drawn& drawn, const Rest& rest) {
    const std::int64_t rows = starts.count<std::uint64_t>(), numbers = columns.count<double>();
    if (rows < 1 || draws < 1 || !numbers || numbers % rows) throw std::invalid_argument("rows must have one length");
    check_room(out, draws, numbers / rows);
    const auto units = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(numbers / rows);
    const auto* values = columns.as<const double>();
    const auto* keys = starts.as<const std::uint64_t>();
    auto* sums = out.as<double>();
    in_threads((draws + kDraws - 1) / kDraws, threads, [&](std::int64_t run) {
      const auto first = static_cast<std::size_t>(run * kDraws);
      const auto some = static_cast<std::size_t>(std::min<std::int64_t>(kDraws, draws - run * kDraws));
      const auto bits = drawn(keys, units, first, some);
      std::vector<Row> all(some);
      for (std::size_t column = 0; column < width; column += kColumns) {
        const std::size_t wide = std::min(kColumns, width - column);
        const Adder add = adder_of(wide);
        std::fill(all.begin(), all.end(), Row{});
        for (std::size_t block = 0; block < bits.blocks; ++block) {
          const std::size_t unit = block * kBlock / kPlanes;
          add(bits.of(block), choices_of(values + unit * width + column, units - unit, width, wide, kPlanes).data(), all);
        }
        rest(bits, [&](std::size_t unit, std::size_t one, double times) {
          const double* const row = values + unit * width + column;
          for (std::size_t place = 0; place < wide; ++place) all[one][place] += times * row[place];
        });
        for (std::size_t one = 0; one < some; ++one) {
          std::copy_n(all[one].begin(), wide, sums + (first + one) * width + column);
        }
      }
    });
  }
};

// swapped_sums(columns, starts, trials, threads, out: sums) -> None
// Of the rows of columns (u, c) those are added that a trial swaps: sums (trials, c). All sums must be exact, so that their
// order changes nothing.
inline PyObject* swapped_sums(PyObject*, PyObject* arguments) {
  Summed given;
  if (!PyArg_ParseTuple(arguments, "y*y*LLw*", &given.columns.view, &given.starts.view, &given.draws, &given.threads,
                        &given.out.view)) {
    return nullptr;
  }
  const bool done = released([&] {
    given.sum<1, 1 << 10>(
        [](const std::uint64_t* starts, std::size_t units, std::size_t first, std::size_t trials) {
          return Swaps(starts, units, first, trials);
        },
        [](const Swaps&, const auto&) {});
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// weighted_sums(columns, starts, limits, replicates, threads, out: sums) -> None
// The rows of columns (u, c) are added as often as their weights in a replicate say, which count the limits (at most 15 of
// them, rising) that a draw of 16 bits reaches: sums (replicates, c). All sums must be exact.
inline PyObject* weighted_sums(PyObject*, PyObject* arguments) {
  Summed given;
  Buffer limits;
  if (!PyArg_ParseTuple(arguments, "y*y*y*LLw*", &given.columns.view, &given.starts.view, &limits.view, &given.draws,
                        &given.threads, &given.out.view)) {
    return nullptr;
  }
  const bool done = released([&] {
    const auto levels = static_cast<std::size_t>(limits.count<std::uint16_t>());
    const auto* reached = limits.as<const std::uint16_t>();
    given.sum<2, kReplicates>(
        [&](const std::uint64_t* starts, std::size_t units, std::size_t first, std::size_t replicates) {
          return Weights(starts, units, first, replicates, reached, levels);
        },
        [](const Weights& weights, const auto& add) {
          for (const Weights::Rest& one : weights.rest) add(one.unit, one.replicate, one.weight);
        });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace ragauge
