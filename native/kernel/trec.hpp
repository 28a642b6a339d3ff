// Lines of runs and of judgements: fields with one delimiter between them.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "threads.hpp"
#include "unicode.hpp"

namespace ragauge {

// The fields of a line: how many, and which of them are the document and the number; the first is the query.
struct LineRules {
  std::int64_t width;
  std::int64_t document;
  std::int64_t number;
  std::uint8_t delimiter;

  // The bytes of the shortest line: each field has a letter, and an end.
  std::int64_t shortest() const { return 2 * width; }

  void check() const {
    if (width < 2 || width > 1 << 20 || document < 1 || document >= width || number < 1 || number >= width) {
      throw std::invalid_argument("document and number must be fields of the line after its first");
    }
  }
};

// Return the end of the first line that ends at `least` or later; `size` where there is none.
inline std::int64_t end_of_line(const std::uint8_t* data, std::int64_t least, std::int64_t size) {
  const void* last = least < size ? std::memchr(data + least, '\n', static_cast<std::size_t>(size - least)) : nullptr;
  return last ? static_cast<const std::uint8_t*>(last) - data + 1 : size;
}

// Return runs of whole lines; bytes after the last end of a line are a line of their own.
inline std::vector<Run> runs_of_lines(const std::uint8_t* data, std::int64_t size) {
  std::vector<Run> runs;
  for (std::int64_t begin = 0, end; begin < size; begin = end) {
    end = end_of_line(data, begin + kRunSize, size);
    runs.emplace_back(begin, end);
  }
  return runs;
}

// Read digits, at most one point and an exponent; false where a number has another form, or is too large or too small.
// The value is the double that is nearest to what is written.
inline bool read_number(const std::uint8_t* text, const std::uint8_t* end, double& value) {
  static constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const std::uint8_t* here = text;
  const bool negative = *here == '-';
  if (negative) ++here;
  std::uint64_t digits = 0;
  const std::uint8_t* first = here;
  auto read_digits = [&] {
    const std::uint8_t* from = here;
    for (; here < end && static_cast<unsigned>(*here - '0') < 10u; ++here) {
      digits = digits * 10 + static_cast<std::uint64_t>(*here - '0');
    }
    return here - from;
  };
  std::int64_t count = read_digits(), after = 0;
  if (!count) return false;
  if (here < end && *here == '.') {
    ++here;
    after = read_digits();
    if (!after) return false;
    count += after;
  }
  // Both numbers are exact as doubles, so their quotient is rounded once (Clinger 1990).
  if (here == end && count <= 15) {
    value = static_cast<double>(digits) / kTens[after];
    if (negative) value = -value;
    return true;
  }
  if (here < end) {
    if (*here != 'e' && *here != 'E') return false;
    if (++here < end && (*here == '-' || *here == '+')) ++here;
    if (!read_digits() || here != end) return false;
  }
#if defined(__cpp_lib_to_chars)
  const char* whole = reinterpret_cast<const char*>(first);
  const auto [stop, problem] = std::from_chars(whole, reinterpret_cast<const char*>(end), value);
  if (problem != std::errc{} || stop != reinterpret_cast<const char*>(end)) return false;
  if (negative) value = -value;
  return std::isfinite(value);
#else
  // This library cannot read doubles (libc++ before 20), so Arrow reads these lines.
  static_cast<void>(first);
  return false;
#endif
}

// Memory for what is cut of a number of bytes: it is used again and again, since new memory costs more than to cut.
class Room {
 public:
  Room(std::uint8_t* memory, std::int64_t size, std::int64_t bytes, std::int64_t runs, const LineRules& rules)
      : lines_(bytes / rules.shortest()), numbers_(reinterpret_cast<double*>(memory)), shortest_(rules.shortest()) {
    const std::int64_t room = lines_ * 8 + (lines_ + runs) * 4 + bytes;
    if (size < room || reinterpret_cast<std::uintptr_t>(memory) % alignof(double)) {
      throw std::invalid_argument("there is too little room, or it is not aligned");
    }
    offsets_ = reinterpret_cast<std::int32_t*>(numbers_ + lines_);
    letters_ = reinterpret_cast<std::uint8_t*>(offsets_ + lines_ + runs);
  }

  // Where a run that begins at this byte has its numbers, offsets and letters.
  double* numbers(std::int64_t begin) const { return numbers_ + begin / shortest_; }
  std::int32_t* offsets(std::int64_t begin, std::int64_t run) const { return offsets_ + begin / shortest_ + run; }
  std::uint8_t* letters(std::int64_t begin) const { return letters_ + begin; }

 private:
  std::int64_t lines_;
  double* numbers_;
  std::int64_t shortest_;
  std::int32_t* offsets_;
  std::uint8_t* letters_;
};

// Some lines: a document and a number each, and the queries where they change, with the lines of each.
class LinePart {
 public:
  std::vector<std::uint8_t> queries;
  std::vector<std::int32_t> query_offsets{0};
  std::vector<std::int64_t> lengths;
  std::int64_t lines = 0;
  double* numbers;
  std::int32_t* offsets;
  std::uint8_t* letters;

  LinePart(const Room& room, std::int64_t begin, std::int64_t run)
      : numbers(room.numbers(begin)), offsets(room.offsets(begin, run)), letters(room.letters(begin)) {
    offsets[0] = 0;
  }

  // Cut whole lines; false where one is not plain, and then the part is of no use.
  bool cut(const std::uint8_t* data, const std::uint8_t* end, const LineRules& rules) {
    std::vector<std::int32_t> gaps;
    for (std::int64_t first = 0, last; first < end - data; first = last) {
      last = end_of_line(data, first + kWindow, end - data);
      if (gaps.size() < static_cast<std::size_t>(last - first)) gaps.resize(static_cast<std::size_t>(last - first));
      const std::int64_t count = read_gaps(data + first, last - first, gaps.data());
      if (count <= 0 || count % rules.width) return false;
      const std::uint8_t* begin = data + first;
      for (const std::int32_t* ends = gaps.data(); ends != gaps.data() + count; ends += rules.width) {
        begin = cut_line(begin, data + first, ends, rules);
        if (!begin) return false;
      }
      if (begin != data + last) return false;
    }
    return true;
  }

 private:
  static constexpr std::int64_t kWindow = 1 << 13;

  const std::uint8_t* query_ = nullptr;
  std::int64_t length_ = 0;

  // Cut the line at `begin`, whose fields end at `data + ends`; return where the next one begins, or null.
  const std::uint8_t* cut_line(const std::uint8_t* begin, const std::uint8_t* data, const std::int32_t* ends,
                               const LineRules& rules) {
    const std::uint8_t* field = begin;
    for (std::int64_t place = 0; place < rules.width; ++place) {
      const std::uint8_t* gap = data + ends[place];
      if (gap == field || *gap != (place + 1 < rules.width ? rules.delimiter : '\n')) return nullptr;
      field = gap + 1;
    }
    const std::int64_t length = data + ends[0] - begin;
    if (!query_ || length != length_ || std::memcmp(query_, begin, static_cast<std::size_t>(length)) != 0) {
      if (*begin == '#') return nullptr;
      queries.insert(queries.end(), begin, begin + length);
      query_offsets.push_back(static_cast<std::int32_t>(queries.size()));
      lengths.push_back(0);
      length_ = length;
    }
    query_ = begin;
    ++lengths.back();
    const std::int32_t from = ends[rules.document - 1] + 1, size = ends[rules.document] - from, used = offsets[lines];
    std::memcpy(letters + used, data + from, static_cast<std::size_t>(size));
    offsets[lines + 1] = used + size;
    if (!read_number(data + ends[rules.number - 1] + 1, data + ends[rules.number], numbers[lines])) return nullptr;
    ++lines;
    return field;
  }

  // Find all bytes up to a blank, and return how many there are; -1 where the bytes are not UTF-8.
  static std::int64_t read_gaps(const std::uint8_t* data, std::int64_t size, std::int32_t* gaps) {
    constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7Fu, kToBlank = 0x5F5F5F5F5F5F5F5Fu;
    std::int32_t* out = gaps;
    std::uint64_t all = 0;
    std::int64_t place = 0;
    if constexpr (std::endian::native == std::endian::little) {
      for (; place + 8 <= size; place += 8) {
        std::uint64_t word;
        std::memcpy(&word, data + place, 8);
        all |= word;
        // The upper bit of each byte is set where the byte is a blank or less.
        std::uint64_t marks = ~(((word & kLow) + kToBlank) | word) & ~kLow;
        for (; marks; marks &= marks - 1) *out++ = static_cast<std::int32_t>(place + (std::countr_zero(marks) >> 3));
      }
    }
    for (; place < size; ++place) {
      all |= data[place];
      if (data[place] <= ' ') *out++ = static_cast<std::int32_t>(place);
    }
    return (all & ~kLow) && !is_utf8(data, data + size) ? -1 : out - gaps;
  }
};

}  // namespace ragauge
