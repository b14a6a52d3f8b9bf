//===- Result.h - the error type of the code that knows no LLVM ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A function that can fail on account of its input returns Result<T>. An Error says where, what was
// found and what was expected; `message()` renders that as one line plus one line per note. Nothing
// here throws.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_BASE_RESULT_H
#define KILN_RUNTIME_BASE_RESULT_H

#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kiln {

/// What sort of mistake an Error is about; a caller may choose an exception type by it.
enum class ErrorKind {
  Invalid,     ///< an argument has a wrong value
  Type,        ///< an argument has a wrong type
  NotFound,    ///< a name, file or symbol does not exist
  Unsupported, ///< understood, but not there for this device or build
  System,      ///< the operating system refused
  Assertion,   ///< a device assertion failed
  Compile,     ///< the compiler rejected the kernel: `report` holds its report
  Cancelled,   ///< the caller asked for an end
  Check,       ///< a simulated device found fault with what the kernel does
};

struct Error {
  ErrorKind kind = ErrorKind::Invalid;
  std::string place;    ///< what it is about: "argument 'x'", "grid", a file
  std::string found;    ///< what is wrong there
  std::string expected; ///< what would be right; may be empty
  std::vector<std::string> notes;
  std::string report; ///< ErrorKind::Compile: the compiler's report, JSON with the diagnostics

  /// "place: found, expected …", followed by a line "note: …" for each note.
  std::string message() const;
};

/// Makes an Error of a kind; the texts are in lower case and without a final full stop.
inline Error makeError(ErrorKind kind, std::string place, std::string found,
                       std::string expected = {}) {
  return Error{kind, std::move(place), std::move(found), std::move(expected), {}, {}};
}

/// Adds to an Error: `return withNote(std::move(error), "…")`.
inline Error withNote(Error error, std::string note) {
  error.notes.push_back(std::move(note));
  return error;
}

/// A value or an Error. The Error lives on the heap, so a success costs no more than its value.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, new Error(std::move(error))) {}

  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &value() & { return *get(); }
  const T &value() const & { return *const_cast<Result *>(this)->get(); }
  T &&value() && { return std::move(*get()); }
  T &operator*() & { return *get(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*get()); }
  T *operator->() { return get(); }
  const T *operator->() const { return const_cast<Result *>(this)->get(); }

  const Error &error() const {
    assert(!ok() && "there is no error");
    return **std::get_if<1>(&state);
  }
  /// The error, moved out to be passed on.
  Error takeError() {
    assert(!ok() && "there is no error");
    return std::move(**std::get_if<1>(&state));
  }

private:
  T *get() {
    assert(ok() && "value of a failed result");
    return std::get_if<0>(&state);
  }

  std::variant<T, std::unique_ptr<Error>> state;
};

/// Success or an Error: one pointer.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : state(new Error(std::move(error))) {}

  bool ok() const { return !state; }
  explicit operator bool() const { return ok(); }
  const Error &error() const {
    assert(state && "there is no error");
    return *state;
  }
  Error takeError() {
    assert(state && "there is no error");
    return std::move(*state);
  }

private:
  std::unique_ptr<Error> state;
};

} // namespace kiln

#endif // KILN_RUNTIME_BASE_RESULT_H
