// Counts of the n-grams that two short texts share, by tables of their numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ragauge {

// An n-gram that both texts have gets a number from 1; one that is a token longer is the cell of that number and of the
// number of its last token. A place is left out for all further lengths once its n-gram is not shared.
//
// A cell holds how many of its n-gram the left text has beyond the right one, below kNumber, and its number. Almost
// without branches, because whether an n-gram is shared cannot be foreseen.
class PairTables {
 public:
  // Set counts[n - 1] for n = 1 to order; return whether the texts are short, and their tokens small numbers.
  bool count(const std::int32_t* left, std::int64_t m, const std::int32_t* right, std::int64_t n, std::int64_t order,
             std::int64_t* counts) {
    if (m == 0 || n == 0 || m > kLongest || n > kLongest || order > kMostOrders) return false;
    const auto largest = static_cast<std::uint32_t>(*std::max_element(left, left + m));
    if (largest >= 4 * kLongest) return false;
    make_room(largest + 2);
    left_.begin(left, m, largest);
    right_.begin(right, n, largest + 1);  // all that the left text lacks share one cell, which stays 0
    std::uint32_t width = 1, numbers = 0;
    std::fill(counts, counts + order, 0);
    for (std::int64_t length = 1; length <= order && left_.size && right_.size; ++length) {
      if (length > 1) {
        make_room((numbers + 1) * width);
        left_.lengthen(width, static_cast<std::size_t>(length - 1));
        right_.lengthen(width, static_cast<std::size_t>(length - 1));
      }
      counts[length - 1] = shared(numbers);
      if (length == 1) {
        width = numbers + 1;
        left_.keep_tokens(static_cast<std::size_t>(m));
        right_.keep_tokens(static_cast<std::size_t>(n));
      }
      left_.keep_shared();
      right_.keep_shared();
    }
    return true;
  }

 private:
  static constexpr std::int64_t kLongest = 255, kMostOrders = 8;
  static constexpr std::uint32_t kNumber = 1 << 16;

  // The n-grams of a text that are left.
  struct Side {
    std::vector<std::uint32_t> places, cells, numbers;  // of each n-gram; its number is 0 where it is not shared
    std::vector<std::uint32_t> tokens;                  // the number of the token at each place; behind the last 0
    std::size_t size = 0;

    void begin(const std::int32_t* codes, std::int64_t length, std::uint32_t largest) {
      size = static_cast<std::size_t>(length);
      for (auto* column : {&places, &cells, &numbers}) column->resize(kLongest);
      for (std::uint32_t place = 0; place < size; ++place) {
        places[place] = place;
        cells[place] = std::min(static_cast<std::uint32_t>(codes[place]), largest);
      }
    }

    void keep_tokens(std::size_t length) {
      tokens.assign(kLongest + kMostOrders, 0);
      std::copy_n(numbers.begin(), length, tokens.begin());
    }

    void keep_shared() {
      std::size_t kept = 0;
      std::uint32_t *const place = places.data(), *const number = numbers.data();
      for (std::size_t gram = 0; gram < size; ++gram) {
        place[kept] = place[gram];
        number[kept] = number[gram];
        kept += number[gram] != 0;
      }
      size = kept;
    }

    // Make each n-gram a token longer, those left out that end with a token which is not shared.
    void lengthen(std::uint32_t width, std::size_t ahead) {
      std::size_t kept = 0;
      std::uint32_t *const place = places.data(), *const cell = cells.data();
      for (std::size_t gram = 0; gram < size; ++gram) {
        const std::uint32_t token = tokens[place[gram] + ahead];
        cell[kept] = numbers[gram] * width + token;
        place[kept] = place[gram];
        kept += token != 0;
      }
      size = kept;
    }
  };

  // Cells for so many: at most kLongest numbers and none, beside as many.
  void make_room(std::size_t cells) {
    if (cells_.size() < cells) cells_.resize(cells);
  }

  // Number the n-grams that both sides have; return how many they share, and set how many kinds.
  std::int64_t shared(std::uint32_t& kinds) {
    std::uint32_t* const cells = cells_.data();
    for (std::size_t gram = 0; gram < left_.size; ++gram) ++cells[left_.cells[gram]];
    std::uint32_t next = 0, total = 0;
    for (std::size_t gram = 0; gram < right_.size; ++gram) {
      std::uint32_t& cell = cells[right_.cells[gram]];
      const std::uint32_t old = cell, both = old % kNumber != 0, fresh = (old < kNumber) & (old != 0);
      next += fresh;
      total += both;
      const std::uint32_t now = old - both + fresh * next * kNumber;
      cell = now;
      right_.numbers[gram] = now / kNumber;
    }
    for (std::size_t gram = 0; gram < left_.size; ++gram) left_.numbers[gram] = cells[left_.cells[gram]] / kNumber;
    for (std::size_t gram = 0; gram < left_.size; ++gram) cells[left_.cells[gram]] = 0;
    kinds = next;
    return total;
  }

  Side left_, right_;
  std::vector<std::uint32_t> cells_;  // 0, but for those in use
};

}  // namespace ragauge
