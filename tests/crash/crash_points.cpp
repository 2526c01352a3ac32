// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interrupts small runs at every call that changes a file, by the end of the process and by a power
// failure, and resumes from the possible contents of the disk. Either the file has the bytes of an
// undisturbed run, or the run is refused with a remedy.
//   crash_points                 a sample of the points: some for each call
//   crash_points --all           each kind of loss at each call, three times by chance
//   --only NAME                  one scenario     --seed N   another chance
//   --at CALL --loss NAME        one point
#include "crash/disk.hpp"
#include "crash/recorder.hpp"
#include "crash/scenarios.hpp"

#include <synelix/error.hpp>
#include <synelix/session.hpp>

#include <Kokkos_Core.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace crash {
namespace {

namespace sx = synelix;

struct Asked {
  bool is_all = false;
  std::string only;
  std::uint64_t seed = 20'261'123;
  std::optional<std::size_t> at;
  std::string loss;
};

/// The result of a process that resumed a run.
enum class Ending : std::uint8_t {
  crashed,
  finished,
  named,  ///< all was there but the name
  resumed,
  anew,
  stopped,
  refused,
  wrong
};

struct Result {
  Ending ending = Ending::crashed;
  char message[4000] = {};
};

/// Points of one kind, by how the next run ended.
struct Count {
  std::int64_t points = 0;
  std::int64_t finished = 0;
  std::int64_t named = 0;
  std::int64_t resumed = 0;
  std::int64_t anew = 0;
  std::int64_t refused = 0;
};

template <class Value>
Value* shared() {
  void* memory =
      mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return new (memory) Value;
}

/// Folders of this run, in memory if the system has such a file system.
class Ground {
 public:
  Ground() {
    const std::filesystem::path memory = "/dev/shm";
    const bool has_memory = access(memory.c_str(), W_OK) == 0;
    m_path = (has_memory ? memory : std::filesystem::temp_directory_path()) /
             ("synelix_crash_" + std::to_string(getpid()));
    std::filesystem::create_directories(m_path / "run");
    for (const int boot : {0, 1, 2}) {
      std::ofstream(boot_file(boot)) << "00000000-0000-4000-8000-00000000000" << boot << "\n";
    }
    make_standing_file(standing());
    m_standing = contents(standing());
  }
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;
  ~Ground() {
    std::error_code status;
    std::filesystem::remove_all(m_path, status);
  }

  [[nodiscard]] std::string folder() const { return m_path / "run"; }
  [[nodiscard]] std::string boot_file(int boot) const {
    return m_path / ("boot_id_" + std::to_string(boot));
  }
  [[nodiscard]] const std::string& standing_bytes() const { return m_standing; }
  [[nodiscard]] bool standing_is_whole() const { return contents(standing()) == m_standing; }

  /// Replaces all existing files. The file that existed before all runs is unchanged, including its
  /// time.
  void restore(const Files& files) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      std::filesystem::remove_all(entry.path());
    }
    for (const auto& [name, bytes] : files) {
      const std::filesystem::path path = m_path / "run" / name;
      if (name == "out.h5" && bytes == m_standing) {
        std::filesystem::create_hard_link(standing(), path);
      } else {
        std::ofstream(path, std::ios::binary) << bytes;
      }
    }
  }
  [[nodiscard]] Files files() const {
    Files found;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      found[entry.path().filename()] = contents(entry.path());
    }
    return found;
  }

 private:
  [[nodiscard]] std::string standing() const { return m_path / "standing.h5"; }
  static std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::filesystem::path m_path;
  std::string m_standing;
};

class Simulation {
 public:
  explicit Simulation(Asked asked) : m_asked(std::move(asked)) {}

  bool all_hold() {
    for (const Scenario& scenario : scenarios()) {
      if (m_asked.only.empty() || m_asked.only == scenario.name) check(scenario);
    }
    const std::int64_t points = m_killed.points + m_cut.points;
    std::printf("%lld points; wrong: %lld\n", static_cast<long long>(points),
                static_cast<long long>(m_failures));
    if (points == 0) std::printf("no such scenario\n");
    if (!m_ground.standing_is_whole()) {
      std::printf("the file that stood there was written over\n");
      ++m_failures;
    }
    return m_failures == 0 && points > 0;
  }

 private:
  /// One scenario: every point of a run, and of runs that resume an interrupted one.
  void check(const Scenario& scenario) {
    m_killed_here = {};
    m_cut_here = {};
    const Files before = scenario.existing == sx::Existing::refuse
                             ? Files{}
                             : Files{{"out.h5", m_ground.standing_bytes()}};
    m_expected.clear();
    m_ground.restore(before);
    Scenario whole = scenario;
    whole.stop_at = 0;
    whole.parts = 0;  // the bytes of one process
    const Result undisturbed = go(whole, sx::Start::anew, 0, nullptr);
    if (undisturbed.ending != Ending::anew) {
      return fail(scenario.name + ": an undisturbed run", undisturbed.message);
    }
    m_expected = datasets_of(m_ground.folder() + "/out.h5");

    m_ground.restore(before);
    Trace first{.before = before, .events = {}};
    record_run(scenario, sx::Start::anew, 0, first);
    check_points(scenario, scenario.name, first, 0, 2);
    if (!m_asked.at) check_second_runs(scenario, first);
    report(scenario.name);
  }

  void check_second_runs(const Scenario& scenario, const Trace& first) {
    const std::size_t calls = first.events.size();
    for (const std::size_t at : {calls / 2, calls * 4 / 5}) {
      if (at != calls / 2 && !m_asked.is_all) continue;
      // Killed: data of the first run may still be lost, together with data of the second.
      Trace second{
          .before = first.before,
          .events = {first.events.begin(), first.events.begin() + static_cast<std::ptrdiff_t>(at)}};
      m_ground.restore(files_left(first, at, Loss::process, 0));
      record_run(scenario, sx::Start::resume, 0, second);
      const std::string name = scenario.name + ", killed at " + std::to_string(at);
      check_points(scenario, name, second, at, 1);
    }
    // Power failure: the data of the first run are on the disk.
    const std::size_t at = calls * 3 / 4;
    Trace third{.before = files_left(first, at, Loss::nothing, m_asked.seed), .events = {}};
    m_ground.restore(third.before);
    record_run(scenario, sx::Start::resume, 1, third);
    check_points(scenario, scenario.name + ", cut off at " + std::to_string(at), third, 0, 1);
  }

  void check_points(const Scenario& scenario, const std::string& name, const Trace& trace,
                    std::size_t from, std::size_t losses_each) {
    const std::size_t cuts = losses.size() - 1;  // without Loss::process
    for (std::size_t at = from; at <= trace.events.size(); ++at) {
      if (m_asked.at ? at != *m_asked.at : !m_asked.is_all && is_left_out(trace, from, at))
        continue;
      if (!m_asked.loss.empty()) {
        for (const Loss loss : losses) {
          if (m_asked.loss == name_of(loss)) point(scenario, name, trace, at, loss, m_asked.seed);
        }
        continue;
      }
      point(scenario, name, trace, at, Loss::process, m_asked.seed);
      if (m_asked.is_all) {
        for (std::size_t i = 1; i <= cuts; ++i) {
          const bool is_by_chance = losses[i] >= Loss::writes;
          for (std::uint64_t more = 0; more < (is_by_chance ? 3U : 1U); ++more) {
            point(scenario, name, trace, at, losses[i], m_asked.seed + more);
          }
        }
        continue;
      }
      for (std::size_t i = 0; i < losses_each; ++i) {
        const std::size_t which = (losses_each * at + i) % cuts + 1;
        point(scenario, name, trace, at, losses[which], m_asked.seed);
      }
    }
  }

  /// For long runs, a sample omits most writes; those before or after another call are included.
  static bool is_left_out(const Trace& trace, std::size_t from, std::size_t at) {
    constexpr std::size_t enough = 20;
    const std::size_t step = (trace.events.size() - from) / enough + 1;
    const auto is_write = [&](std::size_t i) {
      return i < trace.events.size() && trace.events[i].kind == Kind::write;
    };
    return (at - from) % step != 0 && is_write(at) && is_write(at - 1);
  }

  void point(const Scenario& scenario, const std::string& name, const Trace& trace, std::size_t at,
             Loss loss, std::uint64_t seed) {
    const bool is_killed = loss == Loss::process;
    m_ground.restore(files_left(trace, at, loss, seed));
    const Result result = go(scenario, sx::Start::resume, is_killed ? 0 : 2, nullptr);
    Count& count = is_killed ? m_killed_here : m_cut_here;
    ++count.points;
    const std::string where = name + ": --only " + scenario.name + " --at " + std::to_string(at) +
                              " --loss " + name_of(loss) + " --seed " + std::to_string(seed) +
                              " of " + std::to_string(trace.events.size()) + " calls";
    switch (result.ending) {
      case Ending::finished:
        ++count.finished;
        break;
      case Ending::named:
        ++count.named;
        break;
      case Ending::resumed:
        if (is_named_after(trace, at)) fail(where, "what was whole was computed again");
        ++count.resumed;
        break;
      case Ending::anew:
        if (is_named_after(trace, at)) fail(where, "what was whole was begun anew");
        ++count.anew;
        break;
      case Ending::refused:
        ++count.refused;
        if (is_killed || is_named_after(trace, at) || !says_what_to_do(result.message)) {
          fail(where, result.message);
        }
        break;
      default:
        fail(where, result.message);
    }
  }

  /// Whether the output had its name: then it is complete.
  static bool is_named_after(const Trace& trace, std::size_t at) {
    return std::any_of(trace.events.begin(), trace.events.begin() + static_cast<std::ptrdiff_t>(at),
                       [](const Event& event) { return event.to == "out.h5"; });
  }

  static bool says_what_to_do(const std::string& message) {
    // The second: of one that is torn before its mark.
    return message.find("a run without resume") != std::string::npos ||
           message.find("rename or remove this one") != std::string::npos;
  }

  /// Runs in a separate process, and compares the result. With a tape, the run is recorded.
  Result go(const Scenario& scenario, sx::Start start, int boot, Trace* trace) {
    *m_result = Result{};
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process could be started");
    if (child == 0) {
      pretend_boot(m_ground.boot_file(boot));
      pretend_time(trace == nullptr ? 0 : std::int64_t{400'000'000});
      in_child(scenario, start, trace);
      std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Result result = *m_result;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      result.ending = Ending::crashed;
      std::snprintf(result.message, sizeof(result.message), "the process ended by status %d",
                    status);
    }
    return result;
  }

  void in_child(const Scenario& scenario, sx::Start start, const Trace* trace) {
    const std::string file = m_ground.folder() + "/out.h5";
    if (start == sx::Start::resume && !is_old_or_whole(file)) {
      return end(Ending::wrong, "a file that is not whole has the name of the output");
    }
    if (trace != nullptr) {
      record(m_ground.folder(), trace->names_after(trace->events.size()),
             trace->files_after(trace->events.size()), m_tape);
    }
    Done done;
    try {
      done = run(scenario, m_ground.folder(), start);
    } catch (const sx::Error& error) {
      return end(Ending::refused, error.what());
    } catch (const std::exception& error) {
      return end(Ending::wrong, error.what());
    }
    if (!done.is_at_end) return end(Ending::stopped, "");
    if (!m_expected.empty() && datasets_of(file) != m_expected) {
      return end(Ending::wrong, "the bytes are not those of an undisturbed run");
    }
    for (const auto& entry : std::filesystem::directory_iterator(m_ground.folder())) {
      if (entry.path().filename() != "out.h5") {
        return end(Ending::wrong, "left behind: " + entry.path().filename().string());
      }
    }
    if (done.was_finished) return end(Ending::finished, "");
    if (done.blocks_before == 0) return end(Ending::anew, "");
    end(done.blocks == 0 ? Ending::named : Ending::resumed, "");
  }

  void end(Ending ending, const std::string& message) const {
    m_result->ending = ending;
    std::snprintf(m_result->message, sizeof(m_result->message), "%s", message.c_str());
  }

  /// Whether the file with the name of the output is the previous one, or complete.
  [[nodiscard]] bool is_old_or_whole(const std::string& file) const {
    const Files files = m_ground.files();
    const auto found = files.find("out.h5");
    return found == files.end() || found->second == m_ground.standing_bytes() ||
           datasets_of(file) == m_expected;
  }

  /// Adds the calls of a run to a trace.
  void record_run(const Scenario& scenario, sx::Start start, int boot, Trace& trace) {
    const Result result = go(scenario, start, boot, &trace);
    if (result.ending == Ending::crashed || result.ending == Ending::wrong ||
        result.ending == Ending::refused) {
      fail(scenario.name + ": the recorded run", result.message);
    }
    const std::vector<Event> events = m_tape.events();
    trace.events.insert(trace.events.end(), events.begin(), events.end());
    if (files_left(trace, trace.events.size(), Loss::process, 0) != m_ground.files()) {
      fail(scenario.name, "the trace does not give the files of the run: a call was not recorded");
    }
  }

  void report(const std::string& name) {
    for (const auto& [what, here, total] : {std::tuple{"killed", m_killed_here, &m_killed},
                                            std::tuple{"cut off", m_cut_here, &m_cut}}) {
      std::printf(
          "%-18s %-8s %5lld points: %lld resumed, %lld begun anew, %lld whole but for the name, "
          "%lld finished before, %lld refused\n",
          name.c_str(), what, static_cast<long long>(here.points),
          static_cast<long long>(here.resumed), static_cast<long long>(here.anew),
          static_cast<long long>(here.named), static_cast<long long>(here.finished),
          static_cast<long long>(here.refused));
      total->points += here.points;
      if (!m_asked.at && m_asked.loss.empty() && here.resumed == 0) {
        fail(name, std::string("no run that was ") + what + " was gone on with");
      }
    }
  }

  void fail(const std::string& where, const std::string& message) {
    ++m_failures;
    constexpr std::int64_t shown = 40;
    if (m_failures <= shown) std::printf("WRONG %s: %s\n", where.c_str(), message.c_str());
  }

  Asked m_asked;
  Ground m_ground;
  Tape m_tape{std::size_t{1} << 28};
  Result* m_result = shared<Result>();
  std::map<std::string, std::string> m_expected;
  Count m_killed, m_cut, m_killed_here, m_cut_here;
  std::int64_t m_failures = 0;
};

Asked asked_of(int argc, char* argv[]) {
  Asked asked;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw std::runtime_error(word + " needs a value");
      return argv[++i];
    };
    if (word == "--all") {
      asked.is_all = true;
    } else if (word == "--only") {
      asked.only = value();
    } else if (word == "--seed") {
      asked.seed = std::stoull(value());
    } else if (word == "--at") {
      asked.at = std::stoull(value());
    } else if (word == "--loss") {
      asked.loss = value();
    } else {
      throw std::runtime_error("unknown option " + word +
                               "; there are --all, --only NAME, --seed N, --at CALL, --loss NAME");
    }
  }
  return asked;
}

}  // namespace
}  // namespace crash

int main(int argc, char* argv[]) {
  try {
    const crash::Asked asked = crash::asked_of(argc, argv);
    // One thread: processes that are forked have no others.
    const synelix::Session session(synelix::SessionOptions{.threads = 1});
    return crash::Simulation(asked).all_hold() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crash_points: %s\n", error.what());
    return 2;
  }
}
