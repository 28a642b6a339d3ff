// Runs and judgements as dicts of Python: their numbers, and the order of documents of equal score.
//
// Only exact dicts, str, int and bool, and float with its subclasses, are read; all else is left to Python, since its own
// code may run for it.
#pragma once

#include <limits>
#include <new>
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

// The numbers of dicts, read one dict after the other.
class Numbers {
 public:
  explicit Numbers(const Buffer& room) : out_(room.as<double>()), end_(out_ + room.count<double>()) {}

  // Read those of a dict; false where it is not plain, its keys among that, or there is no room for them.
  bool read(PyObject* dict) {
    if (!PyDict_CheckExact(dict) || PyDict_Size(dict) > static_cast<Py_ssize_t>(end_ - out_)) return false;
    // What a dict holds lies anywhere in memory, so some entries are on their way while those before them are read.
    PyObject *keys[kAtOnce], *numbers[kAtOnce];
    for (Py_ssize_t place = 0, count = kAtOnce; count == kAtOnce;) {
      for (count = 0; count < kAtOnce && PyDict_Next(dict, &place, &keys[count], &numbers[count]); ++count) {
        prefetch(keys[count]);
        prefetch(numbers[count]);
      }
      for (Py_ssize_t entry = 0; entry < count; ++entry) {
        if (!PyUnicode_CheckExact(keys[entry]) || !plain_number(numbers[entry], *out_++)) return false;
      }
    }
    return true;
  }

  bool full() const { return out_ == end_; }

 private:
  static constexpr Py_ssize_t kAtOnce = 32;

  static void prefetch([[maybe_unused]] const void* memory) {
#if defined(__GNUC__)
    __builtin_prefetch(memory);
#endif
  }

  double* out_;
  double* end_;
};

// dict_numbers(dicts of scores, dicts of grades, out: scores, grades, score of each judged document or NaN) -> whether
// all dicts are plain; where they are not, what is in the outputs is of no use.
inline PyObject* dict_numbers(PyObject*, PyObject* arguments) {
  PyObject *retrieved, *judged;
  Buffer scores, grades, judged_scores;
  if (!PyArg_ParseTuple(arguments, "O!O!w*w*w*", &PyList_Type, &retrieved, &PyList_Type, &judged, &scores.view,
                        &grades.view, &judged_scores.view)) {
    return nullptr;
  }
  const Py_ssize_t rows = PyList_Size(retrieved);
  if (PyList_Size(judged) != rows || judged_scores.view.len != grades.view.len) {
    PyErr_SetString(PyExc_ValueError, "there must be as many dicts of grades, and as many scores of judged documents");
    return nullptr;
  }
  Numbers all_scores(scores), all_grades(grades);
  double* found = judged_scores.as<double>();
  double* const end = found + judged_scores.count<double>();
  for (Py_ssize_t row = 0; row < rows; ++row) {
    PyObject *run = PyList_GetItem(retrieved, row), *qrels = PyList_GetItem(judged, row);
    if (!all_scores.read(run) || !all_grades.read(qrels)) Py_RETURN_FALSE;
    PyObject *document, *unused;
    // Where all ids are plain, to look one up runs no code of Python's, so the dicts stay as they are.
    for (Py_ssize_t place = 0; PyDict_Next(qrels, &place, &document, &unused); ++found) {
      if (found == end) Py_RETURN_FALSE;
      PyObject* number = PyDict_GetItemWithError(run, document);
      if (!number && PyErr_Occurred()) return nullptr;
      if (!number) {
        *found = std::numeric_limits<double>::quiet_NaN();
      } else if (!plain_number(number, *found)) {
        Py_RETURN_FALSE;
      }
    }
  }
  if (!all_scores.full() || !all_grades.full()) Py_RETURN_FALSE;
  Py_RETURN_TRUE;
}

// dict_before(dicts of scores, scores, offsets, documents, their rows, their scores, order, out: before) -> whether all
// ids are plain. For each document, count those of its row and score that come before it: greater ids where order is -1,
// smaller ones where it is 1, and where it is 0 those that the dict has before it.
inline PyObject* dict_before(PyObject*, PyObject* arguments) {
  PyObject *retrieved, *documents;
  Buffer scores, offsets, rows, targets, before;
  int order;
  if (!PyArg_ParseTuple(arguments, "O!y*y*O!y*y*iw*", &PyList_Type, &retrieved, &scores.view, &offsets.view,
                        &PyList_Type, &documents, &rows.view, &targets.view, &order, &before.view)) {
    return nullptr;
  }
  const Py_ssize_t count = PyList_Size(documents), length = PyList_Size(retrieved);
  const auto* starts = offsets.as<const std::int64_t>();
  if (offsets.count<std::int64_t>() != length + 1 || rows.count<std::int64_t>() != count ||
      targets.count<double>() != count || before.count<std::int64_t>() != count) {
    PyErr_SetString(PyExc_ValueError, "offsets, rows, scores and an output must be as many as dicts and documents");
    return nullptr;
  }
  std::vector<PyObject*> names;
  std::int64_t named = -1;
  for (Py_ssize_t hit = 0; hit < count; ++hit) {
    const std::int64_t row = rows.as<const std::int64_t>()[hit];
    if (row < 0 || row >= length || starts[row] < 0 || starts[row + 1] < starts[row] ||
        starts[row + 1] > scores.count<double>()) {
      PyErr_SetString(PyExc_ValueError, "rows must be those of dicts, and offsets within the scores");
      return nullptr;
    }
    if (row != named) {
      PyObject *dict = PyList_GetItem(retrieved, static_cast<Py_ssize_t>(row)), *name, *number;
      if (!PyDict_CheckExact(dict)) Py_RETURN_FALSE;
      if (PyDict_Size(dict) != starts[row + 1] - starts[row]) Py_RETURN_FALSE;
      names.clear();
      try {
        names.reserve(static_cast<std::size_t>(PyDict_Size(dict)));
      } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
      }
      for (Py_ssize_t place = 0; PyDict_Next(dict, &place, &name, &number);) names.push_back(name);
      named = row;
    }
    PyObject* document = PyList_GetItem(documents, hit);
    if (!PyUnicode_CheckExact(document)) Py_RETURN_FALSE;
    const double* own = scores.as<const double>() + starts[row];
    const double target = targets.as<const double>()[hit];
    std::int64_t earlier = 0;
    for (std::size_t place = 0; place < names.size(); ++place) {
      if (own[place] != target) continue;
      if (!PyUnicode_CheckExact(names[place])) Py_RETURN_FALSE;
      const int compared = PyUnicode_Compare(names[place], document);
      if (compared == 0 && order == 0) break;
      earlier += order == 0 || (order < 0 ? compared > 0 : compared < 0);
    }
    before.as<std::int64_t>()[hit] = earlier;
  }
  Py_RETURN_TRUE;
}

}  // namespace ragauge
