// Runs and judgements as dicts of Python: their numbers, and the order of documents of equal score.
//
// Only exact dicts, str, int and bool, and float with its subclasses, are read; all else is left to Python, since its own
// code may run for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <numeric>
#include <vector>

#include "arguments.hpp"

namespace ragauge {

// Read a number into `value`; false where Python has to read it.
inline bool plain_number(PyObject* number, double& value) {
  if (!PyFloat_Check(number) && !PyLong_CheckExact(number) && !PyBool_Check(number)) return false;
  value = PyFloat_AsDouble(number);
  if (value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return true;
}

// What a run has for one query: documents and their scores, in the order of its dict.
class Retrieved {
 public:
  // Read a dict; false where it, an id or a score is not plain, and where a score is NaN.
  bool read(PyObject* dict, bool narrow) {
    names_.clear();
    scores_.clear();
    order_.clear();
    if (!PyDict_CheckExact(dict)) return false;
    // What a dict holds lies anywhere in memory, so some entries are on their way while those before them are read.
    PyObject *names[kAtOnce], *numbers[kAtOnce];
    for (Py_ssize_t place = 0, count = kAtOnce; count == kAtOnce;) {
      for (count = 0; count < kAtOnce && PyDict_Next(dict, &place, &names[count], &numbers[count]); ++count) {
        prefetch(names[count]);
        prefetch(numbers[count]);
      }
      for (Py_ssize_t entry = 0; entry < count; ++entry) {
        double score;
        if (!PyUnicode_CheckExact(names[entry]) || !plain_number(numbers[entry], score) || std::isnan(score)) return false;
        names_.push_back(names[entry]);
        scores_.push_back(as_ranked(score, narrow));
      }
    }
    return true;
  }

  static double as_ranked(double score, bool narrow) { return narrow ? static_cast<float>(score) : score; }

  // Make it quick to find many documents.
  void sort() {
    order_.resize(scores_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t one, std::size_t other) {
      return scores_[one] != scores_[other] ? scores_[one] > scores_[other] : one < other;
    });
    by_name_ = order_;
    named_.assign(order_.size(), false);
  }

  // How many documents have a greater score, an equal one, and of these how many come before this one: those with greater
  // ids where `order` is -1, with smaller ones where it is 1, and where it is 0 those that the dict has before it.
  struct Standing {
    std::int64_t greater, equal, before;
  };

  Standing find(PyObject* document, double score, int order) {
    return order_.empty() ? counted(document, score, order) : looked_up(document, score, order);
  }

 private:
  static constexpr Py_ssize_t kAtOnce = 32;
  std::vector<PyObject*> names_;
  std::vector<double> scores_;
  // The places of documents, by falling score; `by_name_` has equal scores in order of their ids where `named_` says so of
  // the first of them.
  std::vector<std::size_t> order_, by_name_;
  std::vector<bool> named_;

  static void prefetch([[maybe_unused]] const void* memory) {
#if defined(__GNUC__)
    __builtin_prefetch(memory);
#endif
  }

  Standing counted(PyObject* document, double score, int order) const {
    Standing standing{0, 0, 0};
    for (const double other : scores_) {
      standing.greater += other > score;
      standing.equal += other == score;
    }
    if (standing.equal < 2) return standing;
    for (std::size_t place = 0; place < names_.size(); ++place) {
      if (scores_[place] != score) continue;
      const int compared = PyUnicode_Compare(names_[place], document);
      if (compared == 0 && order == 0) break;
      standing.before += order == 0 || (order < 0 ? compared > 0 : compared < 0);
    }
    return standing;
  }

  Standing looked_up(PyObject* document, double score, int order) {
    const auto first = std::partition_point(order_.begin(), order_.end(), [&](std::size_t one) { return scores_[one] > score; });
    const auto last = std::partition_point(first, order_.end(), [&](std::size_t one) { return scores_[one] == score; });
    Standing standing{first - order_.begin(), last - first, 0};
    if (standing.equal < 2) return standing;
    const auto begin = by_name_.begin() + standing.greater, end = begin + standing.equal;
    if (!named_[static_cast<std::size_t>(standing.greater)]) {
      std::sort(begin, end, [&](std::size_t one, std::size_t other) {
        return PyUnicode_Compare(names_[one], names_[other]) < 0;
      });
      named_[static_cast<std::size_t>(standing.greater)] = true;
    }
    const auto own = std::partition_point(
        begin, end, [&](std::size_t one) { return PyUnicode_Compare(names_[one], document) < 0; });
    if (own == end) return standing;
    if (order > 0) {
      standing.before = own - begin;
    } else if (order < 0) {
      standing.before = end - own - 1;
    } else {
      standing.before = std::lower_bound(first, last, *own) - first;
    }
    return standing;
  }
};

// A query has so many judged documents at most that each is compared with all that were retrieved.
constexpr Py_ssize_t kFewJudged = 16;

// dict_ranks(dicts of scores, dicts of grades, whether scores are narrow, order, out: grades; of each judged document how
// many have a greater score, -1 where it was not retrieved, an equal score, and come before it) -> whether all is plain
// and no number NaN; where it is not, what is in the outputs is of no use. `order` is as in `Retrieved::Standing`.
inline PyObject* dict_ranks(PyObject*, PyObject* arguments) {
  PyObject *retrieved, *judged;
  int narrow, order;
  Buffer grades, greater, equal, before;
  if (!PyArg_ParseTuple(arguments, "O!O!piw*w*w*w*", &PyList_Type, &retrieved, &PyList_Type, &judged, &narrow, &order,
                        &grades.view, &greater.view, &equal.view, &before.view)) {
    return nullptr;
  }
  const Py_ssize_t rows = PyList_Size(retrieved);
  const std::int64_t room = grades.count<double>();
  if (PyList_Size(judged) != rows || greater.count<std::int64_t>() != room || equal.count<std::int64_t>() != room ||
      before.count<std::int64_t>() != room) {
    PyErr_SetString(PyExc_ValueError, "there must be as many dicts of grades as of scores, and outputs of one length");
    return nullptr;
  }
  try {
    Retrieved run;
    std::int64_t at = 0;
    for (Py_ssize_t row = 0; row < rows; ++row) {
      PyObject *scores = PyList_GetItem(retrieved, row), *qrels = PyList_GetItem(judged, row);
      if (!PyDict_CheckExact(qrels) || PyDict_Size(qrels) > room - at || !run.read(scores, narrow)) Py_RETURN_FALSE;
      if (PyDict_Size(qrels) > kFewJudged) run.sort();
      PyObject *document, *grade;
      // All ids are plain, so to look one up runs no code of Python's, and the dicts stay as they are.
      for (Py_ssize_t place = 0; PyDict_Next(qrels, &place, &document, &grade); ++at) {
        double& worth = grades.as<double>()[at];
        if (!PyUnicode_CheckExact(document) || !plain_number(grade, worth) || std::isnan(worth)) Py_RETURN_FALSE;
        PyObject* const number = PyDict_GetItemWithError(scores, document);
        if (!number && PyErr_Occurred()) return nullptr;
        Retrieved::Standing standing{-1, 0, 0};
        if (number) {
          double score;
          if (!plain_number(number, score)) Py_RETURN_FALSE;
          standing = run.find(document, Retrieved::as_ranked(score, narrow), order);
        }
        greater.as<std::int64_t>()[at] = standing.greater;
        equal.as<std::int64_t>()[at] = standing.equal;
        before.as<std::int64_t>()[at] = standing.before;
      }
    }
    if (at != room) Py_RETURN_FALSE;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  Py_RETURN_TRUE;
}

}  // namespace ragauge
