// Sums of rows of numbers by the weights of draws: whole numbers of 16 bits, sixteen products at a time on processors that
// have them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define RAGAUGE_WIDE __attribute__((target("avx2")))
#endif

namespace ragauge {

// Draws whose weights are made at once, and of each the weight of one unit.
constexpr std::size_t kDraws = 1 << 8;
using Draws = std::array<std::uint16_t, kDraws>;
constexpr std::size_t kLargestWeight = 15;

// Rows as digits of 15 bits: each number of a column is a whole multiple of one power of two, and its digits have its sign.
// The digits of two units are beside each other in one word, since two products are summed at once.
class PairedRows {
 public:
  struct Digit {
    std::size_t column;
    int exponent;
  };

  // Of a matrix (units, width) whose columns add without error, so that none has numbers of more than 53 bits in all.
  PairedRows(const double* values, std::size_t units, std::size_t width) : pairs((units + 1) / 2) {
    for (std::size_t column = 0; column < width; ++column) {
      if (is_small(values + column, units, width)) {
        digits.push_back({column, 0});
        continue;
      }
      int low = INT_MAX, high = INT_MIN;
      for (std::size_t unit = 0; unit < units; ++unit) {
        const double value = values[unit * width + column];
        if (!std::isfinite(value)) throw std::invalid_argument("numbers must be finite");
        if (value == 0) continue;
        int exponent;
        const auto whole = static_cast<std::uint64_t>(std::ldexp(std::fabs(std::frexp(value, &exponent)), 53));
        low = std::min(low, exponent - 53 + std::countr_zero(whole));
        high = std::max(high, exponent);
      }
      if (low < high && high - low > 60) throw std::invalid_argument("columns must add without error");
      for (; low < high; low += kBits) digits.push_back({column, low});
    }
    words_.resize(pairs * digits.size());
    for (std::size_t at = 0; at < digits.size(); ++at) {
      const int exponent = digits[at].exponent;
      // A product with a power of two is exact where the power has a number.
      const double scale = std::abs(exponent) < 1000 ? std::ldexp(1.0, -exponent) : 0;
      for (std::size_t unit = 0; unit < units; ++unit) {
        const double value = values[unit * width + digits[at].column];
        const auto scaled = static_cast<std::int64_t>(scale ? value * scale : std::ldexp(value, -exponent));
        const auto digit = static_cast<std::uint16_t>(scaled % (1 << kBits));
        words_[unit / 2 * digits.size() + at] |= static_cast<std::uint32_t>(digit) << unit % 2 * 16;
      }
    }
  }

  const std::uint32_t* of(std::size_t pair) const { return words_.data() + pair * digits.size(); }

  std::size_t pairs;
  std::vector<Digit> digits;

 private:
  static constexpr int kBits = 15;

  // Whether all numbers of a column are whole and of one digit, as counts are.
  static bool is_small(const double* values, std::size_t units, std::size_t stride) {
    bool small = true;
    for (std::size_t unit = 0; unit < units; ++unit) {
      const double value = values[unit * stride];
      small &= std::fabs(value) < 1 << kBits && value == static_cast<std::int32_t>(value);
    }
    return small;
  }

  std::vector<std::uint32_t> words_;
};

// A number of 32 bits for each draw: the weights of two units beside each other, or a sum.
using Words = std::array<std::int32_t, kDraws>;

inline void pair_up(const Draws& one, const Draws& other, Words& paired) {
  for (std::size_t draw = 0; draw < kDraws; ++draw) paired[draw] = one[draw] | other[draw] << 16;
}

// Add the products of some pairs of units with one digit, whose words are `stride` apart, to the sum of each draw.
inline void add_products(const Words* weights, const std::uint32_t* words, std::size_t stride, std::size_t pairs, Words& sums) {
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const auto left = static_cast<std::int16_t>(words[pair * stride]), right = static_cast<std::int16_t>(words[pair * stride] >> 16);
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      sums[draw] += (weights[pair][draw] & 0xFFFF) * left + (weights[pair][draw] >> 16) * right;
    }
  }
}

#if defined(RAGAUGE_WIDE)
RAGAUGE_WIDE inline __m256i read(const void* words) { return _mm256_loadu_si256(static_cast<const __m256i*>(words)); }
RAGAUGE_WIDE inline void write(void* words, __m256i values) { _mm256_storeu_si256(static_cast<__m256i*>(words), values); }

// The same for processors that have AVX2.
RAGAUGE_WIDE inline void pair_up_widely(const Draws& one, const Draws& other, Words& paired) {
  for (std::size_t at = 0; at < kDraws; at += 16) {
    const __m256i left = read(one.data() + at), right = read(other.data() + at);
    const __m256i low = _mm256_unpacklo_epi16(left, right), high = _mm256_unpackhi_epi16(left, right);
    write(paired.data() + at, _mm256_permute2x128_si256(low, high, 0x20));
    write(paired.data() + at + 8, _mm256_permute2x128_si256(low, high, 0x31));
  }
}

RAGAUGE_WIDE inline void add_products_widely(const Words* weights, const std::uint32_t* words, std::size_t stride,
                                             std::size_t pairs, Words& sums) {
  // So many sums stay in registers.
  constexpr std::size_t kOnce = 8;
  for (std::size_t from = 0; from < kDraws; from += 8 * kOnce) {
    __m256i own[kOnce];
    for (std::size_t one = 0; one < kOnce; ++one) own[one] = read(sums.data() + from + 8 * one);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const __m256i values = _mm256_set1_epi32(static_cast<int>(words[pair * stride]));
      const std::int32_t* const drawn = weights[pair].data() + from;
      for (std::size_t one = 0; one < kOnce; ++one) {
        own[one] = _mm256_add_epi32(own[one], _mm256_madd_epi16(read(drawn + 8 * one), values));
      }
    }
    for (std::size_t one = 0; one < kOnce; ++one) write(sums.data() + from + 8 * one, own[one]);
  }
}

// Write each of sixteen bits as a number.
RAGAUGE_WIDE inline void spread(std::uint16_t bits, std::uint16_t* numbers) {
  const __m256i each = _mm256_set_epi16(-32768, 16384, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1);
  const __m256i found = _mm256_and_si256(_mm256_set1_epi16(static_cast<std::int16_t>(bits)), each);
  write(numbers, _mm256_srli_epi16(_mm256_cmpeq_epi16(found, each), 15));
}

inline bool is_wide() { return __builtin_cpu_supports("avx2"); }
#else
constexpr auto pair_up_widely = pair_up;
constexpr auto add_products_widely = add_products;
inline bool is_wide() { return false; }
#endif

// Sum rows by the weights that `draw(unit, weights)` makes for some draws: sums (width, kDraws).
template <typename Draw>
std::vector<double> products(const PairedRows& rows, std::size_t units, std::size_t width, const Draw& draw) {
  // So many pairs that their weights stay in the first cache; and so many that sums of 32 bits hold all.
  constexpr std::size_t kPairs = 16, kCarried = (std::size_t{1} << 31) / (2 * 32767 * kLargestWeight) / kPairs * kPairs;
  const auto paired = is_wide() ? pair_up_widely : pair_up;
  const auto add = is_wide() ? add_products_widely : add_products;
  const std::size_t count = rows.digits.size();
  std::vector<double> sums(width * kDraws);
  std::vector<Words> some(count), weights(kPairs);
  Draws one, other{};
  for (std::size_t first = 0; first < rows.pairs; first += kPairs) {
    const std::size_t pairs = std::min(kPairs, rows.pairs - first);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const std::size_t unit = 2 * (first + pair);
      draw(unit, one);
      if (unit + 1 < units) draw(unit + 1, other);  // Past the last unit the digits are 0.
      paired(one, other, weights[pair]);
    }
    const bool carries = first + pairs == rows.pairs || (first + kPairs) % kCarried == 0;
    for (std::size_t digit = 0; digit < count; ++digit) {
      add(weights.data(), rows.of(first) + digit, count, pairs, some[digit]);
      if (!carries) continue;
      const double scale = std::ldexp(1.0, rows.digits[digit].exponent);
      double* const own = sums.data() + rows.digits[digit].column * kDraws;
      for (std::size_t place = 0; place < kDraws; ++place) own[place] += some[digit][place] * scale;
      some[digit].fill(0);
    }
  }
  return sums;
}

}  // namespace ragauge
