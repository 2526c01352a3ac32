// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/session.hpp>

#include <synelix/error.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace synelix {

Session::Session() : m_owns(!Kokkos::is_initialized() && !Kokkos::is_finalized()) {
  if (Kokkos::is_finalized()) {
    throw Error("Session", "Kokkos finalised already", "one span of Kokkos in a program");
  }
  if (m_owns) Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
}

Session::Session(int& argc, char* argv[])
    : m_owns(!Kokkos::is_initialized() && !Kokkos::is_finalized()) {
  if (Kokkos::is_finalized()) {
    throw Error("Session", "Kokkos finalised already", "one span of Kokkos in a program");
  }
  if (!m_owns) return;
  std::vector<char*> words(argv, argv + argc);
  std::string quiet = "--kokkos-disable-warnings";
  words.push_back(quiet.data());
  words.push_back(nullptr);
  int count = argc + 1;
  Kokkos::initialize(count, words.data());
  std::copy_n(words.begin(), count, argv);
  argc = count;
}

Session::~Session() {
  if (m_owns && Kokkos::is_initialized()) Kokkos::finalize();
}

void require_running(const char* call) {
  if (!Kokkos::is_initialized()) {
    throw Error(call, "Kokkos is not running",
                "calls between Kokkos::initialize and Kokkos::finalize, or while a "
                "synelix::Session lives");
  }
}

}  // namespace synelix
