// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/remembered_pass.hpp"

#include "launch/watched.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace synelix::glm {
namespace {

using StoredQuestion = AnswerStore::Question;

double seconds_since(std::int64_t nanoseconds) {
  return 1e-9 * static_cast<double>(plan::steady_nanoseconds() - nanoseconds);
}

/// The kinds of questions to a pass.
enum class Asked : std::uint64_t { evaluation = 1, gram, hessian_rows, gram_rows };

/// A 128-bit hash of a question.
class QuestionHash {
 public:
  explicit QuestionHash(Asked asked) { word(static_cast<std::uint64_t>(asked)); }

  QuestionHash& word(std::uint64_t value) {
    m_words[0] = mixed(m_words[0] ^ value);
    m_words[1] = mixed(m_words[1] + value * 0x9e3779b97f4a7c15U);
    return *this;
  }
  QuestionHash& number(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return word(bits);
  }
  QuestionHash& numbers(const double* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) number(values[i]);
    return *this;
  }
  QuestionHash& range(Range range) {
    return word(static_cast<std::uint64_t>(range.begin))
        .word(static_cast<std::uint64_t>(range.end));
  }
  QuestionHash& rows(const RowsOf& rows) {
    return word(static_cast<std::uint64_t>(rows.target))
        .word(static_cast<std::uint64_t>(rows.folds))
        .word(static_cast<std::uint64_t>(rows.fold));
  }
  QuestionHash& loss(const RowLoss& row_loss) {
    return word(static_cast<std::uint64_t>(row_loss.loss.family))
        .word(static_cast<std::uint64_t>(row_loss.loss.inverse_link))
        .word(static_cast<std::uint64_t>(row_loss.classes()));
  }
  QuestionHash& request(const Request& request, std::int64_t parameters) {
    return numbers(request.parameters, parameters)
        .rows(request.rows)
        .number(request.dispersion)
        .word(request.wants_hessian ? 1 : 0)
        .word(request.wants_scale ? 1 : 0);
  }
  [[nodiscard]] const StoredQuestion& question() const { return m_words; }

 private:
  /// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  StoredQuestion m_words{0x243f6a8885a308d3U, 0x13198a2e03707344U};  // digits of pi
};

/// Sums as bytes: loss, weight, three lengths, then the numbers.
constexpr std::size_t head_bytes = 2 * sizeof(double) + 3 * sizeof(std::uint64_t);

std::vector<std::byte> bytes_of(const Sums& sums) {
  const std::array<const std::vector<double>*, 3> lists{&sums.gradient, &sums.hessian, &sums.scale};
  std::size_t size = head_bytes;
  for (const auto* list : lists) size += list->size() * sizeof(double);
  std::vector<std::byte> bytes(size);
  std::byte* to = bytes.data();
  const auto put = [&](const void* from, std::size_t count) {
    if (count > 0) std::memcpy(to, from, count);
    to += count;
  };
  put(&sums.loss, sizeof(double));
  put(&sums.weight, sizeof(double));
  for (const auto* list : lists) {
    const std::uint64_t length = list->size();
    put(&length, sizeof(length));
  }
  for (const auto* list : lists) put(list->data(), list->size() * sizeof(double));
  return bytes;
}

/// Reads sums from bytes. Returns false if they are not sums: the walk is then repeated.
bool read_sums(const std::vector<std::byte>& bytes, Sums& sums) {
  if (bytes.size() < head_bytes) return false;
  const std::byte* from = bytes.data();
  const auto get = [&](void* to, std::size_t count) {
    if (count > 0) std::memcpy(to, from, count);
    from += count;
  };
  get(&sums.loss, sizeof(double));
  get(&sums.weight, sizeof(double));
  std::array<std::uint64_t, 3> lengths{};
  get(lengths.data(), sizeof(lengths));
  const std::size_t numbers = (bytes.size() - head_bytes) / sizeof(double);
  std::size_t left = numbers;
  for (const std::uint64_t length : lengths) {
    if (length > left) return false;
    left -= length;
  }
  if (left != 0) return false;
  const std::array<std::vector<double>*, 3> lists{&sums.gradient, &sums.hessian, &sums.scale};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    lists[i]->resize(lengths[i]);
    get(lists[i]->data(), lengths[i] * sizeof(double));
  }
  return true;
}

}  // namespace

void RememberedPass::evaluate(const RowLoss& loss, const Observed& observed,
                              std::span<const Request> requests, Arithmetic arithmetic,
                              std::int64_t every, std::span<Sums> sums) {
  const std::int64_t parameters = (columns() + 1) * loss.classes();
  // A point may be evaluated alone or together with others, and these walks round differently. If
  // the question did not include the algorithm, bits would depend on which answers were worth
  // keeping.
  const std::uint64_t way =
      inner().way_of_products(arithmetic, together_of(requests) * loss.classes());
  std::vector<StoredQuestion> questions;
  for (const Request& request : requests) {
    questions.push_back(QuestionHash(Asked::evaluation)
                            .loss(loss)
                            .word(static_cast<std::uint64_t>(arithmetic))
                            .word(static_cast<std::uint64_t>(every))
                            .word(way)
                            .request(request, parameters)
                            .question());
  }
  bool is_known = true;
  for (std::size_t i = 0; i < requests.size() && is_known; ++i) {
    is_known = read_sums(m_answers.find(questions[i]), sums[i]);
  }
  // A walk evaluates all of its requests, as in the first run: some passes use a faster algorithm
  // for one request than for several, which rounds differently.
  if (!is_known) walk_for(loss, observed, requests, arithmetic, every, sums, questions);
}

void RememberedPass::walk_for(const RowLoss& loss, const Observed& observed,
                              std::span<const Request> requests, Arithmetic arithmetic,
                              std::int64_t every, std::span<Sums> sums,
                              std::span<const StoredQuestion> questions) {
  for (Sums& one : sums) one = {};
  const std::int64_t start = plan::steady_nanoseconds();
  inner().evaluate(loss, observed, requests, arithmetic, every, sums);
  const double seconds = seconds_since(start) / static_cast<double>(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Sums& one = sums[i];
    const std::size_t numbers = one.gradient.size() + one.hessian.size() + one.scale.size();
    const auto bytes = static_cast<std::int64_t>(head_bytes + numbers * sizeof(double));
    if (m_answers.is_worth(seconds, bytes)) m_answers.keep(questions[i], bytes_of(one));
  }
}

void RememberedPass::remember(const StoredQuestion& question, std::span<double> numbers,
                              const std::function<void()>& walk) {
  const std::vector<std::byte> kept = m_answers.find(question);
  if (kept.size() == numbers.size_bytes()) {
    std::memcpy(numbers.data(), kept.data(), kept.size());
    return;
  }
  const std::int64_t start = plan::steady_nanoseconds();
  walk();
  if (m_answers.is_worth(seconds_since(start), static_cast<std::int64_t>(numbers.size_bytes()))) {
    m_answers.keep(question, std::as_bytes(numbers));
  }
}

void RememberedPass::gram(const Observed& observed, const RowsOf& rows, Arithmetic arithmetic,
                          double* result) {
  const auto size = static_cast<std::size_t>(columns() + 1);
  const StoredQuestion question =
      QuestionHash(Asked::gram).rows(rows).word(static_cast<std::uint64_t>(arithmetic)).question();
  remember(question, {result, size * size},
           [&] { inner().gram(observed, rows, arithmetic, result); });
}

void RememberedPass::hessian_rows(const RowLoss& loss, const Observed& observed,
                                  const Request& request, Range columns_wanted, double* result) {
  const StoredQuestion question = QuestionHash(Asked::hessian_rows)
                                      .loss(loss)
                                      .range(columns_wanted)
                                      .request(request, (columns() + 1) * loss.classes())
                                      .question();
  const auto count = static_cast<std::size_t>(columns_wanted.size() * (columns() + 1));
  remember(question, {result, count},
           [&] { inner().hessian_rows(loss, observed, request, columns_wanted, result); });
}

void RememberedPass::gram_rows(const Observed& observed, const RowsOf& rows, Range columns_wanted,
                               double* result) {
  const auto count = static_cast<std::size_t>(columns_wanted.size() * (columns() + 1));
  remember(QuestionHash(Asked::gram_rows).rows(rows).range(columns_wanted).question(),
           {result, count}, [&] { inner().gram_rows(observed, rows, columns_wanted, result); });
}

}  // namespace synelix::glm
