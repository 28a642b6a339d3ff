// The forms under which tokens are compared, as ragauge.tokenizers.forms makes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cutting.hpp"
#include "hashing.hpp"
#include "lists.hpp"
#include "unicode.hpp"

namespace ragauge {

// The form of each code point, with its marks; those past the end have that of the last entry.
struct PointForms {
  static constexpr std::uint32_t kCode = (1 << 21) - 1, kSilent = 1 << 21, kKnown = 1 << 22;

  const std::uint32_t* points;
  std::int64_t size;

  std::uint32_t operator[](std::uint32_t code) const { return points[std::min<std::int64_t>(code, size - 1)]; }
};

// What is known of forms: that of each code point, and that of words whose form is not that of their code points, one
// after the other; `KnownForms` in ragauge.tokenizers.forms.
class Forms {
 public:
  // articles: English articles are dropped, too.
  Forms(PointForms points, const Lists<std::uint8_t>& words, const Lists<std::uint8_t>& forms, bool articles)
      : points_(points), articles_(articles) {
    if (points.size < 1 || words.n != forms.n) throw std::invalid_argument("no code point, or not a form for each word");
    lowers_ = (points_['A'] & kCode) == 'a';
    by_word_ = !(points_['a'] & kKnown);
    for (std::uint32_t code = 0; code < 0x80; ++code) silent_ |= (points_[code] & kSilent) != 0;
    known_.reserve(static_cast<std::size_t>(words.n));
    for (std::int64_t word = 0; word < words.n; ++word) known_.emplace(text_of(words, word), text_of(forms, word));
  }

  // Take a token; it is added in its form, or left out where that is dropped or not known.
  void take(std::uint32_t start, std::uint32_t end, Scratch& scratch, Tokens& tokens) const {
    const std::uint8_t* at = scratch.bytes.data() + start;
    if (by_word_ || is_wide(at, end - start)) {
      if (written(scratch, start, end)) tokens.add(start, end);
    } else {
      take_plain(start, end, scratch, tokens);
    }
  }

  // Take a token of ASCII.
  void take_plain(std::uint32_t start, std::uint32_t end, Scratch& scratch, Tokens& tokens) const {
    if (by_word_) return take(start, end, scratch, tokens);
    const std::uint8_t* at = scratch.bytes.data() + start;
    tokens.add(start, end);
    // Without branches where a token has one character, because none could be foreseen.
    bool dropped = points_[*at] & kSilent;
    if (dropped & (end - start > 1)) dropped = is_silent(at, end - start);
    if (articles_) dropped |= is_article(at, end - start);
    tokens.used -= dropped ? 2 : 0;
  }

  // Take so many code points of three bytes, of which the first stands at `start`.
  void take_characters(std::uint32_t start, std::uint32_t count, Scratch& scratch, Tokens& tokens) const {
    const PointForms points = points_;
    const std::uint32_t end = start + 3 * count;
    for (; start < end; start += 3) {
      std::uint32_t* edge = tokens.more((end - start) / 3);
      const std::uint32_t* const first = edge;
      for (const std::uint8_t* at = scratch.bytes.data() + start; start < end; start += 3, at += 3) {
        const std::uint32_t form = points[low_bits(at)], kept = form & kCode;
        if (!(form & kKnown) || (kept - 0x80 < 0x780) || kept >= 0x10000) break;
        edge[0] = kept;
        edge[1] = 0;
        edge += form & kSilent ? 0 : 2;
      }
      tokens.used += static_cast<std::size_t>(edge - first);
      if (start == end) return;
      take(start, start + 3, scratch, tokens);
    }
  }

  // Take the tokens from edge `edge` on anew, in their forms; their bytes begin at `begin`.
  void take_all(std::size_t edge, std::size_t begin, Scratch& scratch, Tokens& tokens) const {
    const std::size_t end = scratch.size, last = tokens.used;
    if (by_word_ || silent_ || articles_ || is_wide(scratch.bytes.data() + begin, end - begin)) {
      tokens.used = edge;
      for (; edge < last; edge += 2) take(tokens.edges[edge], tokens.edges[edge + 1], scratch, tokens);
    }
    lower(begin, end, scratch);
  }

  // Write the letters of ASCII of a text in their form. Tokens of ASCII stand there; the bytes of all others have been
  // written anew, or stay.
  void lower(std::size_t begin, std::size_t end, Scratch& scratch) const {
    if (!lowers_) return;
    std::uint8_t* const bytes = scratch.bytes.data();
    for (std::size_t byte = begin; byte < end; ++byte) {
      const bool upper = static_cast<std::uint8_t>(bytes[byte] - 'A') < 26;
      bytes[byte] = static_cast<std::uint8_t>(bytes[byte] | (upper ? 0x20 : 0));
    }
  }

 private:
  static constexpr std::uint32_t kCode = PointForms::kCode, kSilent = PointForms::kSilent, kKnown = PointForms::kKnown;
  // The form of a word that is dropped: no byte of a text.
  static constexpr std::string_view kDropped = "\xFF";

  struct Hash {
    std::size_t operator()(std::string_view text) const {
      std::uint64_t hash = text.size() * multiplier();
      for (std::size_t done = 0; done < text.size(); done += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + done, std::min<std::size_t>(8, text.size() - done));
        hash = ((hash ^ (hash >> 32)) + bytes) * multiplier();
      }
      return static_cast<std::size_t>(hash ^ (hash >> 32));
    }
  };

  static std::string_view text_of(const Lists<std::uint8_t>& texts, std::int64_t text) {
    return {reinterpret_cast<const char*>(texts.begin(text)), static_cast<std::size_t>(texts.length(text))};
  }

  static bool is_wide(const std::uint8_t* bytes, std::size_t size) {
    std::uint8_t all = 0;
    for (std::size_t byte = 0; byte < size; ++byte) all |= bytes[byte];
    return all >= 0x80;
  }

  static bool is_article(const std::uint8_t* word, std::size_t size) {
    if ((word[0] | 0x20) == 'a') return size == 1 || (size == 2 && (word[1] | 0x20) == 'n');
    return size == 3 && (word[0] | 0x20) == 't' && (word[1] | 0x20) == 'h' && (word[2] | 0x20) == 'e';
  }

  bool is_silent(const std::uint8_t* word, std::size_t size) const {
    return std::all_of(word, word + size, [&](std::uint8_t byte) { return points_[byte] & kSilent; });
  }

  // Set where the form of a token stands; return whether it has one.
  bool written(Scratch& scratch, std::uint32_t& start, std::uint32_t& stop) const {
    const std::size_t size = stop - start;
    std::uint8_t* const begin = scratch.more(4 * size);  // no code point takes more bytes than four
    std::uint8_t* here = begin;
    const std::uint8_t* const word = scratch.bytes.data() + start;
    std::uint32_t silent = kSilent;
    bool same = true;
    for (const std::uint8_t *at = word, *const end = word + size; at < end;) {
      const Point read = point_at(at, end);
      const std::uint32_t form = points_[read.code];
      if (!(form & kKnown)) return looked_up(scratch, start, stop);
      silent &= form;
      same &= (form & kCode) == read.code;
      here = put(here, form & kCode);
      at += read.width;
    }
    if (silent) return false;
    if (!same) move(scratch, static_cast<std::size_t>(here - begin), start, stop);
    return true;
  }

  bool looked_up(Scratch& scratch, std::uint32_t& start, std::uint32_t& stop) const {
    const std::string_view word{reinterpret_cast<const char*>(scratch.bytes.data() + start), stop - start};
    const auto found = known_.find(word);
    if (found == known_.end()) {
      scratch.unknown.emplace(word);
      return false;
    }
    const std::string_view form = found->second;
    if (form == kDropped) return false;
    std::memcpy(scratch.more(form.size()), form.data(), form.size());
    move(scratch, form.size(), start, stop);
    return true;
  }

  // Take the next `size` bytes for the token.
  static void move(Scratch& scratch, std::size_t size, std::uint32_t& start, std::uint32_t& stop) {
    if (scratch.size + size > UINT32_MAX) throw std::length_error("a sample has too long texts");
    start = static_cast<std::uint32_t>(scratch.size);
    scratch.size += size;
    stop = static_cast<std::uint32_t>(scratch.size);
  }

  static std::uint8_t* put(std::uint8_t* here, std::uint32_t code) {
    const auto byte = [&](std::uint32_t bits) { *here++ = static_cast<std::uint8_t>(bits); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xC0 | code >> 6);
      byte(0x80 | (code & 0x3F));
    } else {
      if (code < 0x10000) {
        byte(0xE0 | code >> 12);
      } else {
        byte(0xF0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3F));
      }
      byte(0x80 | (code >> 6 & 0x3F));
      byte(0x80 | (code & 0x3F));
    }
    return here;
  }

  PointForms points_;
  bool articles_;
  bool lowers_;          // letters of ASCII
  bool by_word_;         // words of ASCII are looked up, too
  bool silent_ = false;  // some character of ASCII is dropped where it stands alone
  std::unordered_map<std::string_view, std::string_view, Hash> known_;
};

// Tokens by other rules, in their forms.
template <class Rules>
class Folded {
 public:
  Folded(const Rules& rules, const Forms& forms) : rules_(rules), forms_(forms) {}

  void cut(const std::uint8_t* text, std::int64_t length, Scratch& scratch, Marks& marks, Tokens& tokens) const {
    const std::size_t edge = tokens.used, begin = scratch.size;
    if constexpr (requires(Sink sink) { rules_.cut(text, 0, 0, sink); }) {
      scratch.keep(text, length);
      const std::size_t end = scratch.size;
      Sink sink{forms_, scratch, tokens};
      rules_.cut(text, static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(begin), sink);
      forms_.lower(begin, end, scratch);
    } else {
      rules_.cut(text, length, scratch, marks, tokens);
      forms_.take_all(edge, begin, scratch, tokens);
    }
  }

 private:
  // What takes tokens as they are cut, where rules can give them so.
  struct Sink {
    const Forms& forms;
    Scratch& scratch;
    Tokens& tokens;

    void add(std::uint32_t start, std::uint32_t end) { forms.take(start, end, scratch, tokens); }
    void add_plain(std::uint32_t start, std::uint32_t end) { forms.take_plain(start, end, scratch, tokens); }
    void add_characters(std::uint32_t start, std::uint32_t count) { forms.take_characters(start, count, scratch, tokens); }
  };

  const Rules& rules_;
  const Forms& forms_;
};

}  // namespace ragauge
