// The edits of TER: words to insert, delete or replace once blocks of words were shifted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

namespace ragauge {

// The search of ragauge.metrics.text._shifts, step by step: tercom's as sacrebleu 2.6.0 writes it. Distances are exact by
// bits (Myers 1999) where the beam holds all ways of that distance, and those of the beam elsewhere.
class Shifts {
 public:
  // Return the shifts and the other edits that make the reference of the answer. Neither may be negative codes.
  std::int64_t edits(const std::int32_t* answer, std::int64_t m, const std::int32_t* reference, std::int64_t n) {
    if (m == 0 || n == 0) return m + n;
    number(answer, m, reference, n);
    beam_ = beam(m, n);
    std::int64_t distance = distance_of(words_, 0, true);
    const std::int64_t lowest = std::max(m, n) - shared();
    std::int64_t shifts = 0;
    std::size_t seen = 0;
    while (distance > lowest) {
      align();
      look_for_shifts();
      seen += options_.size();
      if (options_.empty() || seen >= kMostShifts) break;
      std::sort(options_.begin(), options_.end());
      options_.erase(std::unique(options_.begin(), options_.end()), options_.end());
      std::int64_t least = kNever;
      Option best{};
      // In this order the first of equal distance has the longest block, then the first place it leaves, then takes.
      for (const Option& option : options_) {
        const std::int64_t found = distance_of(shifted(option), std::min(option.start, option.place), false);
        if (found < least) {
          least = found;
          best = option;
        }
      }
      if (least >= distance) break;
      words_ = shifted(best);
      distance = distance_of(words_, 0, true);
      ++shifts;
    }
    return shifts + distance;
  }

 private:
  // Those of lib_ter.py of sacrebleu 2.6.0.
  static constexpr std::int64_t kLongestShift = 10;
  static constexpr std::int64_t kFarthestShift = 50;
  static constexpr std::int64_t kBeam = 25;
  static constexpr std::size_t kMostShifts = 1000;
  static constexpr std::int64_t kNever = 1 << 29;

  using Words = std::vector<std::uint32_t>;

  struct Option {
    std::int64_t shorter;  // minus the length of the block
    std::int64_t start;
    std::int64_t place;  // before which it goes
    auto key() const { return std::tie(shorter, start, place); }
    bool operator<(const Option& other) const { return key() < other.key(); }
    bool operator==(const Option& other) const { return key() == other.key(); }
  };

  std::int64_t length() const { return static_cast<std::int64_t>(words_.size()); }
  std::int64_t size() const { return static_cast<std::int64_t>(targets_.size()); }

  // Number the words: those of the reference from 0, all others with the next number, which has no place there.
  void number(const std::int32_t* answer, std::int64_t m, const std::int32_t* reference, std::int64_t n) {
    known_.assign(reference, reference + n);
    std::sort(known_.begin(), known_.end());
    known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
    blocks_ = static_cast<std::size_t>((n + 63) / 64);
    masks_.assign((known_.size() + 1) * blocks_, 0);
    times_.assign(known_.size() + 1, 0);
    first_.assign(known_.size() + 1, -1);
    next_.resize(static_cast<std::size_t>(n));
    targets_.resize(static_cast<std::size_t>(n));
    words_.resize(static_cast<std::size_t>(m));
    for (std::int64_t place = n - 1; place >= 0; --place) {
      const std::uint32_t word = number_of(reference[place]);
      targets_[static_cast<std::size_t>(place)] = word;
      masks_[word * blocks_ + static_cast<std::size_t>(place / 64)] |= std::uint64_t{1} << (place % 64);
      next_[static_cast<std::size_t>(place)] = first_[word];
      first_[word] = place;
      ++times_[word];
    }
    for (std::int64_t place = 0; place < m; ++place) words_[static_cast<std::size_t>(place)] = number_of(answer[place]);
  }

  std::uint32_t number_of(std::int32_t code) const {
    const auto found = std::lower_bound(known_.begin(), known_.end(), code);
    const auto place = static_cast<std::uint32_t>(found - known_.begin());
    return found != known_.end() && *found == code ? place : static_cast<std::uint32_t>(known_.size());
  }

  // Return how many words both texts have, each as often as where it comes less often.
  std::int64_t shared() {
    std::int64_t total = 0;
    for (const std::uint32_t word : words_) total += times_[word]-- > 0;
    return total;
  }

  static std::int64_t beam(std::int64_t answer, std::int64_t reference) {
    const double steepness = static_cast<double>(reference) / static_cast<double>(answer);
    return steepness / 2 <= kBeam ? kBeam : static_cast<std::int64_t>(std::ceil(steepness / 2 + kBeam));
  }

  // Return whether the beam holds all ways of this distance: one leaves the diagonal by half of the distance and of the
  // difference in length, and the diagonal is rounded down.
  bool within(std::int64_t distance) const {
    return size() < beam_ || (distance + std::abs(length() - size())) / 2 + 2 <= beam_;
  }

  // Return the distance of a text as long as the answer. Its words before `first` are those of the answer, whose states
  // were kept when `keep` was true.
  std::int64_t distance_of(const Words& words, std::int64_t first, bool keep) {
    const std::int64_t distance = by_bits(words, static_cast<std::size_t>(first), keep);
    exact_ = keep ? within(distance) : exact_;
    return within(distance) ? distance : by_beam(words, keep);
  }

  std::int64_t by_bits(const Words& words, std::size_t first, bool keep) {
    const std::size_t width = 2 * blocks_;
    if (keep) {
      states_.resize(width * (words.size() + 1));
      pairs_.resize(blocks_ * words.size());
      drops_.resize(blocks_ * words.size());
      distances_.resize(words.size() + 1);
      for (std::size_t block = 0; block < blocks_; ++block) {
        states_[2 * block] = ~std::uint64_t{0};
        states_[2 * block + 1] = 0;
      }
      distances_[0] = size();
    }
    state_.assign(states_.begin() + static_cast<std::ptrdiff_t>(width * first),
                  states_.begin() + static_cast<std::ptrdiff_t>(width * (first + 1)));
    std::int64_t distance = distances_[first];
    const auto last = static_cast<unsigned>((size() - 1) % 64);
    for (std::size_t row = first; row < words.size(); ++row) {
      const std::uint64_t* masks = masks_.data() + words[row] * blocks_;
      std::uint64_t carry = 0, above_more = 1, above_less = 0;
      for (std::size_t block = 0; block < blocks_; ++block) {
        std::uint64_t& up = state_[2 * block];
        std::uint64_t& down = state_[2 * block + 1];
        const std::uint64_t match = masks[block], common = match & up;
        const std::uint64_t sum = common + up, total = sum + carry;
        carry = static_cast<std::uint64_t>(sum < up) | static_cast<std::uint64_t>(total < sum);
        const std::uint64_t level = (total ^ up) | match | down;
        const std::uint64_t more = down | ~(level | up), less = level & up;
        if (keep) {
          pairs_[row * blocks_ + block] = match | ~level;
          drops_[row * blocks_ + block] = more;
        }
        if (block + 1 == blocks_) {
          distance += static_cast<std::int64_t>(more >> last & 1) - static_cast<std::int64_t>(less >> last & 1);
        }
        const std::uint64_t raised = more << 1 | above_more, lowered = less << 1 | above_less;
        above_more = more >> 63;
        above_less = less >> 63;
        up = lowered | ~(level | raised);
        down = raised & level;
      }
      if (keep) {
        std::copy(state_.begin(), state_.end(), states_.begin() + static_cast<std::ptrdiff_t>(width * (row + 1)));
        distances_[row + 1] = distance;
      }
    }
    return distance;
  }

  // Return the distance within the beam; cells outside keep what they had, as where the search was defined.
  std::int64_t by_beam(const Words& words, bool keep) {
    const auto n = static_cast<std::size_t>(size());
    cells_.resize(n + 1);
    for (std::size_t cell = 0; cell <= n; ++cell) cells_[cell] = static_cast<std::int32_t>(cell);
    const double slope = static_cast<double>(size()) / static_cast<double>(length());
    if (keep) steps_.assign(words.size() * n, 0);
    for (std::int64_t row = 1; row <= length(); ++row) {
      if (keep) before_ = cells_;
      const std::uint32_t word = words[static_cast<std::size_t>(row - 1)];
      const auto middle = static_cast<std::int64_t>(static_cast<double>(row) * slope);
      const std::int64_t first = std::max<std::int64_t>(0, middle - beam_);
      const std::int64_t end = row == length() ? size() + 1 : std::min(size() + 1, middle + beam_);
      const std::int64_t lower = std::max<std::int64_t>(first, 1);
      std::int32_t diagonal = cells_[static_cast<std::size_t>(lower - 1)];
      cells_[static_cast<std::size_t>(lower - 1)] = static_cast<std::int32_t>(first == 0 ? row : kNever);
      for (std::int64_t cell = lower; cell < end; ++cell) {
        const auto place = static_cast<std::size_t>(cell);
        const std::int32_t old = cells_[place];
        const std::int32_t pair = diagonal + (word != targets_[place - 1]);
        cells_[place] = std::min({pair, old + 1, cells_[place - 1] + 1});
        diagonal = old;
      }
      if (row == 1) std::fill(cells_.begin() + end, cells_.end(), static_cast<std::int32_t>(kNever));
      if (keep) {
        for (std::size_t place = 1; place <= n; ++place) {
          const bool pair = cells_[place] == before_[place - 1] + (word != targets_[place - 1]);
          const bool drop = cells_[place] == before_[place] + 1;
          steps_[static_cast<std::size_t>(row - 1) * n + place - 1] = static_cast<std::uint8_t>(pair | drop << 1);
        }
      }
    }
    return cells_[n];
  }

  bool is_pair(std::size_t row, std::size_t cell) const {
    return exact_ ? pairs_[row * blocks_ + cell / 64] >> (cell % 64) & 1 : steps_[row * targets_.size() + cell] & 1;
  }
  bool is_drop(std::size_t row, std::size_t cell) const {
    return exact_ ? drops_[row * blocks_ + cell / 64] >> (cell % 64) & 1 : steps_[row * targets_.size() + cell] >> 1 & 1;
  }

  // Find the place in the answer beside each word of the reference, and which words of each side are wrong. Of ways of
  // equal cost it is the one that, from the end, takes a pair of words first, then a word of the answer.
  void align() {
    std::size_t row = words_.size(), cell = targets_.size();
    beside_.assign(cell, -1);
    answer_wrong_.assign(row, 1);
    reference_wrong_.assign(cell, 1);
    while (row && cell) {
      if (is_pair(row - 1, cell - 1)) {
        --row;
        --cell;
        const bool wrong = words_[row] != targets_[cell];
        beside_[cell] = static_cast<std::int64_t>(row);
        answer_wrong_[row] = reference_wrong_[cell] = wrong;
      } else if (is_drop(row - 1, cell - 1)) {
        --row;
      } else {
        --cell;
        beside_[cell] = static_cast<std::int64_t>(row) - 1;
      }
    }
    // What is left of the reference stands before the answer, and what is left of the answer behind that.
  }

  // Collect the shifts to look at, one as often as blocks of the reference ask for it.
  void look_for_shifts() {
    options_.clear();
    for (std::int64_t start = 0; start < length(); ++start) {
      std::int64_t target = first_[words_[static_cast<std::size_t>(start)]];
      for (; target >= 0; target = next_[static_cast<std::size_t>(target)]) {
        if (std::abs(target - start) > kFarthestShift) continue;
        const std::int64_t longest = std::min({kLongestShift, length() - start, size() - target});
        bool moves = false, wrong = false;
        for (std::int64_t last = 0; last < longest; ++last) {
          const auto own = static_cast<std::size_t>(start + last), other = static_cast<std::size_t>(target + last);
          if (words_[own] != targets_[other]) break;
          moves |= answer_wrong_[own] != 0;
          wrong |= reference_wrong_[other] != 0;
          const std::int64_t beside = beside_[static_cast<std::size_t>(target)];
          if (!(moves && wrong) || (start <= beside && beside <= start + last)) continue;
          std::int64_t before = -1;
          for (std::int64_t place = target - 1; place <= target + last; ++place) {
            const std::int64_t taken = place < 0 ? 0 : beside_[static_cast<std::size_t>(place)] + 1;
            if (taken != before) options_.push_back({-(last + 1), start, taken});
            before = taken;
          }
          if (options_.size() >= kMostShifts) return;
        }
      }
    }
  }

  // Return the answer with a block at another place; where that is within the block itself, as many words beyond it as
  // the place is far from the beginning.
  const Words& shifted(const Option& option) {
    shifted_ = words_;
    const std::int64_t block = -option.shorter, end = option.start + block;
    const auto at = [&](std::int64_t place) { return shifted_.begin() + static_cast<std::ptrdiff_t>(place); };
    if (option.place < option.start) {
      std::rotate(at(option.place), at(option.start), at(end));
    } else {
      const std::int64_t until = option.place > end ? option.place : std::min(block + option.place, length());
      std::rotate(at(option.start), at(end), at(until));
    }
    return shifted_;
  }

  std::vector<std::int32_t> known_;                 // the words of the reference, in order
  std::vector<std::int64_t> times_;                 // of each word in the reference
  std::vector<std::int64_t> first_, next_;          // the first place of each word there, and the next of each place
  std::vector<std::uint64_t> masks_;                // the same as bits
  std::size_t blocks_ = 0;                          // of 64 bits in a mask
  Words words_, targets_, shifted_;                 // the answer as it is by now, the reference, the answer once shifted
  std::int64_t beam_ = 0;
  bool exact_ = true;                               // the way of the answer is among the bits
  std::vector<std::uint64_t> state_, states_;       // up and down of each block; before each word of the answer
  std::vector<std::uint64_t> pairs_, drops_;        // the cells that a pair, or a word of the answer, reaches at least cost
  std::vector<std::int64_t> distances_;             // of the reference to each beginning of the answer
  std::vector<std::int32_t> cells_, before_;
  std::vector<std::uint8_t> steps_;                 // a bit for a pair, one for a word of the answer
  std::vector<std::int64_t> beside_;
  std::vector<std::uint8_t> answer_wrong_, reference_wrong_;
  std::vector<Option> options_;
};

}  // namespace ragauge
