// The module of Python: buffers in, counts out. It uses the stable ABI only, and works without the GIL.
#include "python.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "cutting.hpp"
#include "dictionaries.hpp"
#include "distances.hpp"
#include "draws.hpp"
#include "folding.hpp"
#include "lists.hpp"
#include "matching.hpp"
#include "ngrams.hpp"
#include "numbering.hpp"
#include "shifts.hpp"
#include "subsequences.hpp"
#include "tabulation.hpp"
#include "threads.hpp"
#include "trec.hpp"
#include "vectors.hpp"
#include "words.hpp"

namespace {

using namespace ragauge;

// What the functions of this module take and return. ragauge refuses a module of another number than its own.
constexpr long kAbi = 11;

// The lists of both sides, and for each sample its first list of the right.
struct SampleArguments {
  ListArguments left;
  ListArguments right;
  Buffer first;

  template <class Value>
  Samples<Value> samples() const {
    const Samples<Value> samples{left.lists<Value>(), right.lists<Value>(), first.as<const std::int64_t>()};
    if (first.count<std::int64_t>() != samples.left.n + 1) throw std::invalid_argument("one first right list a sample");
    samples.check();
    return samples;
  }
};

void check_codes(const Lists<std::int32_t>& lists) {
  const std::int32_t* end = lists.values + lists.offsets[lists.n];
  if (std::any_of(lists.begin(0), end, [](std::int32_t code) { return code < 0; })) {
    throw std::invalid_argument("codes must not be negative");
  }
}

// Return the first right text of each of n samples that have one each.
std::vector<std::int64_t> one_each(std::int64_t n) {
  std::vector<std::int64_t> first(static_cast<std::size_t>(n) + 1);
  std::iota(first.begin(), first.end(), 0);
  return first;
}

// The codes of the texts of one side in one run of samples.
using Codes = std::vector<std::int32_t>;

// The tokens of the samples of one run: their codes, and the words whose form is not known; where there are some, the
// codes are of no use.
struct Tokenised {
  Codes left;
  Codes right;
  std::set<std::string> unknown;
};

// Where a thread tokenises.
struct Tokenising {
  Scratch scratch;
  Marks marks;
  Numbering numbering;
  Tokens tokens;
  Codes left, right;
};

// Number the tokens of each sample, and write how many each text has.
template <class Rules>
void tokenise(const Rules& rules, const Samples<std::uint8_t>& samples, const Run& run, Tokenising& own, Tokenised& out,
              std::int64_t* left_lengths, std::int64_t* right_lengths) {
  auto& [scratch, marks, numbering, tokens, left, right] = own;
  left.clear();
  right.clear();
  scratch.unknown.clear();
  for (std::int64_t sample = run.first; sample < run.second; ++sample) {
    scratch.clear();
    tokens.clear();
    rules.cut(samples.left.begin(sample), samples.left.length(sample), scratch, marks, tokens);
    const std::size_t split = tokens.size();
    left_lengths[sample] = static_cast<std::int64_t>(split);
    for (std::int64_t text = samples.first[sample]; text < samples.first[sample + 1]; ++text) {
      const std::size_t before = tokens.size();
      rules.cut(samples.right.begin(text), samples.right.length(text), scratch, marks, tokens);
      right_lengths[text] = static_cast<std::int64_t>(tokens.size() - before);
    }
    if (scratch.unknown.empty()) numbering.number(scratch.bytes.data(), tokens, split, left, right);
  }
  out.left.assign(left.begin(), left.end());
  out.right.assign(right.begin(), right.end());
  out.unknown = std::move(scratch.unknown);
}

// What is known of forms, as `Forms` takes it; without code points, tokens are compared as they are written.
struct FormArguments {
  Buffer points;
  ListArguments words;
  ListArguments forms;
  int articles;
};

// Codes one after the other, and in place of both sides, where forms are not known, those words, parted by a byte that no text has.
PyObject* joined(std::vector<Tokenised>& runs) {
  std::set<std::string> unknown;
  std::vector<Codes> left, right;
  for (Tokenised& run : runs) {
    unknown.merge(run.unknown);
    left.push_back(std::move(run.left));
    right.push_back(std::move(run.right));
  }
  if (unknown.empty()) return both(bytes_of(left), bytes_of(right));
  std::string words;
  for (const std::string& word : unknown) words.append(word).append(1, '\xFF');
  return bytes_of(words.data(), words.size() - 1);
}

// tokens(left values, left offsets, right values, right offsets, first right texts, table or empty, words, padded,
// decoded, stripped, (points or empty, words, their offsets, their forms, offsets, articles), threads, out: left lengths,
// right lengths) -> (left codes, right codes), or words whose form is not known. Without a table: rouge-score's.
PyObject* tokens(PyObject*, PyObject* arguments) {
  SampleArguments in;
  FormArguments known;
  Buffer table, left_lengths, right_lengths;
  int words, padded, decoded, stripped;
  long long threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*pppp(y*y*y*y*y*p)Lw*w*", &in.left.values.view, &in.left.offsets.view,
                        &in.right.values.view, &in.right.offsets.view, &in.first.view, &table.view, &words, &padded,
                        &decoded, &stripped, &known.points.view, &known.words.values.view, &known.words.offsets.view,
                        &known.forms.values.view, &known.forms.offsets.view, &known.articles, &threads,
                        &left_lengths.view, &right_lengths.view)) {
    return nullptr;
  }
  std::vector<Tokenised> parts;
  const bool done = released([&] {
    const auto samples = in.samples<std::uint8_t>();
    check_room(left_lengths, samples.left.n);
    check_room(right_lengths, samples.right.n);
    const std::vector<Run> runs = runs_of(samples);
    parts.resize(runs.size());
    const auto all = [&](const auto& rules) {
      in_threads<Tokenising>(static_cast<std::int64_t>(runs.size()), threads, [&](Tokenising& own, std::int64_t run) {
        const auto place = static_cast<std::size_t>(run);
        tokenise(rules, samples, runs[place], own, parts[place], left_lengths.as<std::int64_t>(),
                 right_lengths.as<std::int64_t>());
      });
    };
    const auto in_forms = [&](const auto& rules) {
      const std::int64_t points = known.points.count<std::uint32_t>();
      if (!points) return all(rules);
      const Forms forms({known.points.as<const std::uint32_t>(), points}, known.words.lists<std::uint8_t>(),
                        known.forms.lists<std::uint8_t>(), known.articles != 0);
      all(Folded(rules, forms));
    };
    const Table classes{table.as<const std::uint8_t>(), table.count<std::uint8_t>()};
    if (!classes.size) {
      in_forms(RougeRules());
    } else if (words) {
      in_forms(AutoRules(classes));
    } else {
      in_forms(MtevalRules(classes, padded != 0, decoded != 0, stripped != 0));
    }
  });
  return done ? joined(parts) : nullptr;
}

// The tokens of some texts: the number of each, and the distinct ones by number.
struct Numbered {
  Codes codes;
  std::vector<std::uint8_t> words;
  std::vector<std::int64_t> lengths;
};

// Cut the texts of one run, and number their tokens from 0.
void number_words(const AutoRules& rules, const Lists<std::uint8_t>& texts, const Run& run, Numbered& out,
                  std::int64_t* counts) {
  Scratch scratch;
  Tokens tokens;
  const std::int64_t first = texts.offsets[run.first];
  const auto size = static_cast<std::size_t>(texts.offsets[run.second] - first);
  std::uint8_t* bytes = scratch.more(size);
  std::copy_n(texts.values + first, size, bytes);
  for (std::int64_t text = run.first; text < run.second; ++text) {
    const std::size_t before = tokens.size();
    rules.cut(texts.begin(text), static_cast<std::uint32_t>(texts.length(text)),
              static_cast<std::uint32_t>(texts.offsets[text] - first), tokens);
    counts[text] = static_cast<std::int64_t>(tokens.size() - before);
  }
  Numbering numbering;
  Codes none;
  numbering.number(bytes, tokens, tokens.size(), out.codes, none);
  numbering.append_distinct(bytes, out.words, out.lengths);
}

// Number the distinct tokens of all runs together, from 0, and write the codes of the runs anew.
Numbered together(std::vector<Numbered>& runs) {
  Scratch scratch;
  Tokens tokens;
  for (const Numbered& run : runs) {
    std::copy(run.words.begin(), run.words.end(), scratch.more(run.words.size()));
    auto start = static_cast<std::uint32_t>(scratch.size);
    for (const std::int64_t length : run.lengths) {
      tokens.add(start, start + static_cast<std::uint32_t>(length));
      start += static_cast<std::uint32_t>(length);
    }
    scratch.size += run.words.size();
  }
  Numbered all;
  Numbering numbering;
  Codes numbers, none;
  scratch.more(0);
  numbering.number(scratch.bytes.data(), tokens, tokens.size(), numbers, none);
  numbering.append_distinct(scratch.bytes.data(), all.words, all.lengths);
  const std::int32_t* own = numbers.data();
  for (Numbered& run : runs) {
    for (std::int32_t& code : run.codes) code = own[code];
    all.codes.insert(all.codes.end(), run.codes.begin(), run.codes.end());
    own += run.lengths.size();
  }
  return all;
}

// words(values, offsets, table, threads, out: tokens of each text) -> (codes, (bytes of distinct tokens, lengths))
PyObject* words(PyObject*, PyObject* arguments) {
  ListArguments in;
  Buffer table, counts;
  long long threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*Lw*", &in.values.view, &in.offsets.view, &table.view, &threads,
                        &counts.view)) {
    return nullptr;
  }
  Numbered all;
  const bool done = released([&] {
    const auto texts = in.lists<std::uint8_t>();
    check_room(counts, texts.n);
    if (!table.count<std::uint8_t>()) throw std::invalid_argument("the table must not be empty");
    const AutoRules rules(Table{table.as<const std::uint8_t>(), table.count<std::uint8_t>()});
    const std::vector<Run> runs = runs_of(texts);
    std::vector<Numbered> parts(runs.size());
    in_threads(static_cast<std::int64_t>(runs.size()), threads, [&](std::int64_t run) {
      const auto place = static_cast<std::size_t>(run);
      number_words(rules, texts, runs[place], parts[place], counts.as<std::int64_t>());
    });
    all = together(parts);
  });
  if (!done) return nullptr;
  return both(bytes_of(all.codes), both(bytes_of(all.words), bytes_of(all.lengths)));
}

// shared(left codes, left offsets, right codes, right offsets, first right texts, order, threads, out: counts) -> None
PyObject* shared(PyObject*, PyObject* arguments) {
  SampleArguments in;
  Buffer counts;
  long long order, threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*LLw*", &in.left.values.view, &in.left.offsets.view, &in.right.values.view,
                        &in.right.offsets.view, &in.first.view, &order, &threads, &counts.view)) {
    return nullptr;
  }
  const bool done = released([&] {
    const auto samples = in.samples<std::int32_t>();
    check_codes(samples.left);
    check_codes(samples.right);
    if (order < 1) throw std::invalid_argument("order must be 1 or more");
    check_room(counts, samples.left.n, order);
    const std::vector<Run> runs = runs_of(samples);
    in_threads<Shared>(static_cast<std::int64_t>(runs.size()), threads, [&](Shared& shared, std::int64_t run) {
      std::vector<std::int64_t> ends;
      const auto [begin, end] = runs[static_cast<std::size_t>(run)];
      for (std::int64_t sample = begin; sample < end; ++sample) {
        const std::int64_t first = samples.first[sample], last = samples.first[sample + 1];
        ends.clear();
        for (std::int64_t text = first; text < last; ++text) {
          ends.push_back(samples.right.offsets[text + 1] - samples.right.offsets[first]);
        }
        shared.count(samples.left.begin(sample), samples.left.length(sample), samples.right.begin(first), ends, order,
                     counts.as<std::int64_t>() + sample * order);
      }
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// The code points of texts in their forms, without those whose class is not 0.
class Characters {
 public:
  // points: the form of each code point, as in `Forms`; none: as they are written.
  Characters(Table gaps, PointForms points, bool written) : gaps_(gaps), points_(points), written_(written) {
    for (std::uint32_t code = 0; code < 0x80; ++code) ascii_[code] = form_of(code);
  }

  // Set the first of `out` to the code points of a text, and return how many there are; kUnknown where a form depends on
  // what stands beside it, or is not known.
  std::int64_t read(const std::uint8_t* text, std::int64_t length, std::vector<std::int32_t>& out) const {
    if (out.size() < static_cast<std::size_t>(length)) out.resize(2 * static_cast<std::size_t>(length));
    std::int32_t* here = out.data();
    for (const std::uint8_t* end = text + length; text < end;) {
      const Point point = *text < 0x80 ? Point{*text, 1} : point_at(text, end);
      const std::int32_t form = point.code < 0x80 ? ascii_[point.code] : form_of(point.code);
      if (form == kUnknown) return kUnknown;
      *here = form;
      here += form != kGap;
      text += point.width;
    }
    return here - out.data();
  }

  static constexpr std::int32_t kUnknown = -1;

 private:
  static constexpr std::int32_t kGap = -2;

  std::int32_t form_of(std::uint32_t code) const {
    if (!written_) {
      const std::uint32_t form = points_[code];
      if (!(form & PointForms::kKnown)) return kUnknown;
      code = form & PointForms::kCode;
    }
    return gaps_[code] == 0 ? static_cast<std::int32_t>(code) : kGap;
  }

  Table gaps_;
  PointForms points_;
  bool written_;
  std::array<std::int32_t, 0x80> ascii_{};
};

// characters(left values, left offsets, right values, right offsets, gaps, points or empty, order, threads, out: left
// lengths, right lengths, counts) -> None. Left text i is compared with right text i; both lengths are -1 where a form
// is not known.
PyObject* characters(PyObject*, PyObject* arguments) {
  ListArguments left, right;
  Buffer table, points, left_lengths, right_lengths, counts;
  long long order, threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*LLw*w*w*", &left.values.view, &left.offsets.view, &right.values.view,
                        &right.offsets.view, &table.view, &points.view, &order, &threads, &left_lengths.view, &right_lengths.view,
                        &counts.view)) {
    return nullptr;
  }
  const bool done = released([&] {
    const auto lefts = left.lists<std::uint8_t>();
    const auto rights = right.lists<std::uint8_t>();
    if (lefts.n != rights.n) throw std::invalid_argument("both sides must have as many texts");
    if (order < 1 || table.count<std::uint8_t>() < 1) throw std::invalid_argument("order or table is empty");
    check_room(left_lengths, lefts.n);
    check_room(right_lengths, lefts.n);
    check_room(counts, lefts.n, order);
    const std::vector<std::int64_t> each = one_each(lefts.n);
    const Samples<std::uint8_t> samples{lefts, rights, each.data()};
    const std::int64_t forms = points.count<std::uint32_t>();
    const Characters characters({table.as<const std::uint8_t>(), table.count<std::uint8_t>()},
                                {points.as<const std::uint32_t>(), forms}, forms == 0);
    const std::vector<Run> runs = runs_of(samples);
    in_threads<Shared>(static_cast<std::int64_t>(runs.size()), threads, [&](Shared& shared, std::int64_t run) {
      std::vector<std::int32_t> one, other;
      std::vector<std::int64_t> ends(1);
      const auto [begin, end] = runs[static_cast<std::size_t>(run)];
      for (std::int64_t sample = begin; sample < end; ++sample) {
        std::int64_t& length = left_lengths.as<std::int64_t>()[sample];
        length = characters.read(lefts.begin(sample), lefts.length(sample), one);
        ends[0] = characters.read(rights.begin(sample), rights.length(sample), other);
        const bool is_known = length >= 0 && ends[0] >= 0;
        if (!is_known) length = ends[0] = Characters::kUnknown;
        right_lengths.as<std::int64_t>()[sample] = ends[0];
        if (!is_known) continue;
        shared.count(one.data(), length, other.data(), ends, order,
                     counts.as<std::int64_t>() + sample * order);
      }
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// subsequences, distances, edits(left codes, left offsets, right codes, right offsets, threads, out: numbers) -> None
// Each thread has a Worker of its own, whose Method measures left text i and right text i; `most` codes are one run.
template <class Worker, auto Method, std::int64_t most>
PyObject* of_pairs(PyObject*, PyObject* arguments) {
  ListArguments left, right;
  Buffer numbers;
  long long threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*y*Lw*", &left.values.view, &left.offsets.view, &right.values.view,
                        &right.offsets.view, &threads, &numbers.view)) {
    return nullptr;
  }
  const bool done = released([&] {
    const auto lefts = left.lists<std::int32_t>();
    const auto rights = right.lists<std::int32_t>();
    if (lefts.n != rights.n) throw std::invalid_argument("both sides must have as many texts");
    check_codes(lefts);
    check_codes(rights);
    check_room(numbers, lefts.n);
    const std::vector<std::int64_t> each = one_each(lefts.n);
    const Samples<std::int32_t> samples{lefts, rights, each.data()};
    const std::vector<Run> runs = runs_of(samples, most);
    in_threads<Worker>(static_cast<std::int64_t>(runs.size()), threads, [&](Worker& worker, std::int64_t run) {
      const auto [begin, end] = runs[static_cast<std::size_t>(run)];
      for (std::int64_t sample = begin; sample < end; ++sample) {
        numbers.as<std::int64_t>()[sample] = (worker.*Method)(lefts.begin(sample), lefts.length(sample),
                                                              rights.begin(sample), rights.length(sample));
      }
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// Few pairs of texts take TER as long as many take the others.
constexpr std::int64_t kRunOfShifts = 1 << 12;

// sums(values, offsets, threads, out: sums) -> None
PyObject* sums(PyObject*, PyObject* arguments) {
  ListArguments in;
  Buffer out;
  long long threads;
  if (!PyArg_ParseTuple(arguments, "y*y*Lw*", &in.values.view, &in.offsets.view, &threads, &out.view)) return nullptr;
  const bool done = released([&] {
    const auto texts = in.lists<std::uint8_t>();
    check_room(out, texts.n);
    const std::vector<Run> runs = runs_of(texts);
    in_threads(static_cast<std::int64_t>(runs.size()), threads, [&](std::int64_t run) {
      const auto [begin, end] = runs[static_cast<std::size_t>(run)];
      for (std::int64_t text = begin; text < end; ++text) {
        out.as<std::uint64_t>()[text] = sum_of_words(texts.begin(text), texts.length(text));
      }
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// lines(data, fields of a line, place of the document, place of the number, delimiter, threads, room) -> list of parts,
// or None where a line is not plain. A part: letters and offsets of queries, lines of each, the same of documents,
// numbers. The room is memory to work in, of at least 6 bytes for each one of data.
PyObject* lines(PyObject*, PyObject* arguments) {
  Buffer data, memory;
  long long width, document, number, delimiter, threads;
  if (!PyArg_ParseTuple(arguments, "y*LLLLLw*", &data.view, &width, &document, &number, &delimiter, &threads,
                        &memory.view)) {
    return nullptr;
  }
  std::vector<LinePart> parts;
  std::atomic<bool> plain{true};
  const bool done = released([&] {
    const LineRules rules{width, document, number, static_cast<std::uint8_t>(delimiter)};
    rules.check();
    const std::uint8_t* begin = data.as<const std::uint8_t>();
    const std::vector<Run> runs = runs_of_lines(begin, data.view.len);
    const auto count = static_cast<std::int64_t>(runs.size());
    const Room room(memory.as<std::uint8_t>(), memory.view.len, data.view.len, count, rules);
    for (std::int64_t run = 0; run < count; ++run) {
      parts.emplace_back(room, runs[static_cast<std::size_t>(run)].first, run);
    }
    in_threads(count, threads, [&](std::int64_t run) {
      const auto [first, last] = runs[static_cast<std::size_t>(run)];
      if (plain && !parts[static_cast<std::size_t>(run)].cut(begin + first, begin + last, rules)) plain = false;
    });
  });
  if (!done) return nullptr;
  if (!plain) Py_RETURN_NONE;
  PyObject* list = PyList_New(0);
  for (std::size_t place = 0; list && place < parts.size(); ++place) {
    const LinePart& part = parts[place];
    const auto count = static_cast<std::size_t>(part.lines);
    PyObject* tuple = Py_BuildValue(
        "(NNNNNN)", bytes_of(part.queries), bytes_of(part.query_offsets), bytes_of(part.lengths),
        bytes_of(part.letters, static_cast<std::size_t>(part.offsets[count])),
        bytes_of(part.offsets, (count + 1) * sizeof(std::int32_t)), bytes_of(part.numbers, count * sizeof(double)));
    if (!tuple || PyList_Append(list, tuple) < 0) Py_CLEAR(list);
    Py_XDECREF(tuple);
  }
  return list;
}

// Texts as Arrow has them: letters, and offsets of 32 or of 64 bits.
struct TextArguments {
  Buffer letters, offsets;
  int wide = 0;

  TextColumn column() const {
    const void* starts = wide ? static_cast<const void*>(offsets.as<const std::int64_t>()) : offsets.as<const std::int32_t>();
    TextColumn column{letters.as<const std::uint8_t>(), letters.view.len, starts, wide != 0, 0};
    column.count = (wide ? offsets.count<std::int64_t>() : offsets.count<std::int32_t>()) - 1;
    column.check();
    return column;
  }
};

// matches(retrieved letters, offsets, wide, rows; judged letters, offsets, wide, rows; threads; out: places, repeated)
PyObject* matches(PyObject*, PyObject* arguments) {
  TextArguments retrieved, judged;
  Buffer rows, judged_rows, places, repeated;
  long long threads;
  if (!PyArg_ParseTuple(arguments, "y*y*py*y*y*py*Lw*w*", &retrieved.letters.view, &retrieved.offsets.view,
                        &retrieved.wide, &rows.view, &judged.letters.view, &judged.offsets.view, &judged.wide,
                        &judged_rows.view, &threads, &places.view, &repeated.view)) {
    return nullptr;
  }
  const bool done = released([&] {
    const TextColumn documents = retrieved.column(), wanted = judged.column();
    const Lists<std::uint8_t> lists{nullptr, rows.as<const std::int64_t>(), rows.count<std::int64_t>() - 1};
    const Lists<std::uint8_t> others{nullptr, judged_rows.as<const std::int64_t>(), lists.n};
    if (judged_rows.count<std::int64_t>() != rows.count<std::int64_t>()) throw std::invalid_argument("as many rows");
    lists.check(documents.count);
    others.check(wanted.count);
    check_room(places, wanted.count);
    if (repeated.count<std::uint8_t>() != lists.n) throw std::invalid_argument("an output has the wrong size");
    const std::vector<Run> runs = runs_of(lists);
    in_threads(static_cast<std::int64_t>(runs.size()), threads, [&](std::int64_t run) {
      Matching matching;
      const auto [begin, end] = runs[static_cast<std::size_t>(run)];
      for (std::int64_t row = begin; row < end; ++row) {
        repeated.as<std::uint8_t>()[row] =
            matching.enter(documents, lists.offsets[row], lists.offsets[row + 1]) ? 1 : 0;
        for (std::int64_t place = others.offsets[row]; place < others.offsets[row + 1]; ++place) {
          places.as<std::int64_t>()[place] = matching.find(wanted, place);
        }
      }
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef kMethods[] = {
    {"matches", matches, METH_VARARGS, "Find judged documents among those retrieved for the same query."},
    {"lines", lines, METH_VARARGS, "Cut the lines of a run or of judgements into their fields."},
    {"dict_ranks", dict_ranks, METH_VARARGS, "Find where judged documents stand in a run, both as dicts."},
    {"tokens", tokens, METH_VARARGS, "Return the tokens of samples as numbers, equal for equal tokens of a sample."},
    {"shared", shared, METH_VARARGS, "Count the n-grams that left texts share with right ones, clipped."},
    {"characters", characters, METH_VARARGS, "Count the n-grams of characters that pairs of texts share."},
    {"sums", sums, METH_VARARGS, "Sum the random words of the bytes of texts at their places."},
    {"words", words, METH_VARARGS, "Number the words and characters of texts."},
    {"subsequences", of_pairs<Subsequences, &Subsequences::length, kRunSize>, METH_VARARGS,
     "Measure the longest common subsequences of pairs of texts."},
    {"distances", of_pairs<Distances, &Distances::distance, kRunSize>, METH_VARARGS,
     "Measure the Levenshtein distances of pairs of texts."},
    {"edits", of_pairs<Shifts, &Shifts::edits, kRunOfShifts>, METH_VARARGS,
     "Count the edits of TER, shifts of blocks among them, between pairs of texts."},
    {"script_ngrams", script_ngrams, METH_VARARGS, "Return the n-grams of texts, cut by script, and how often each occurs."},
    {"dots", dots, METH_VARARGS, "Multiply pairs of sparse vectors."},
    {"holders", holders, METH_VARARGS, "Find which vectors of a sample hold each of its keys."},
    {"swapped_sums", swapped_sums, METH_VARARGS, "Sum the rows of the units that each trial swaps."},
    {"weighted_sums", weighted_sums, METH_VARARGS, "Sum the rows of units by their weights in each replicate."},
    {"near", near, METH_VARARGS, "Add up the weights of n-grams in and near the segments that have them."},
    {nullptr, nullptr, 0, nullptr},
};

int add_constants(PyObject* module) { return PyModule_AddIntConstant(module, "ABI", kAbi); }

PyModuleDef_Slot kSlots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(add_constants)},
    {0, nullptr},
};

PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "ragauge_native", "Kernels of ragauge over buffers.", 0, kMethods, kSlots, nullptr, nullptr, nullptr,
};

}  // namespace

PyMODINIT_FUNC PyInit_ragauge_native() { return PyModuleDef_Init(&kModule); }
