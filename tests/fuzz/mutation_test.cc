// A fuzz target (LLVMFuzzerTestOneInput of the source that this is linked with) on mutations of its seeds, the same
// ones every time, on the smallest stack that hosts have. An input that crashes, takes 20 s of processor time or more
// than 4 GiB ends the process and lies in a file whose name is printed. TREADLE_SEEDS=n runs n times as many,
// TREADLE_SEED=n others.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/fuzz/mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace treadle::fuzz {
namespace {

constexpr size_t kMaxSeedSize = 32 << 10;
constexpr int kMostSeconds = 20;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// Of the process: a handler of signals can see nothing else.
std::string* g_input = nullptr;
std::string* g_path = nullptr;

// Writes the input down and dies of the signal.
void WriteInput(int signal) {
  FILE* file = std::fopen(g_path->c_str(), "wb");
  if (file != nullptr) {
    std::fwrite(g_input->data(), 1, g_input->size(), file);
    std::fclose(file);
  }
  std::fprintf(stderr, "signal %d; the input is in %s\n", signal, g_path->c_str());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// For the handler, where the thread's own stack overflows. The thread gets back what it had: a sanitizer frees that.
class SignalStack {
 public:
  SignalStack() {
    const stack_t ours = {.ss_sp = memory_.data(), .ss_flags = 0, .ss_size = memory_.size()};
    sigaltstack(&ours, &before_);
  }
  ~SignalStack() { sigaltstack(&before_, nullptr); }

 private:
  std::vector<char> memory_ = std::vector<char>(64 << 10);
  stack_t before_ = {};
};

void WatchSignals() {
  struct sigaction action = {};
  action.sa_handler = WriteInput;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF}) sigaction(signal, &action, nullptr);
}

void LimitMemory() {
  if (kSanitized) return;
  const rlimit limit = {.rlim_cur = rlim_t{4} << 30, .rlim_max = RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

void RestartClock() {
  const itimerval timer = {.it_interval = {}, .it_value = {.tv_sec = kMostSeconds, .tv_usec = 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void Run(const std::string& input) {
  *g_input = input;
  RestartClock();
  // A copy of its exact size, so that a sanitizer sees reads past the end.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

void RunMutations() {
  const SignalStack stack;
  WatchSignals();
  const Kind kind = std::string_view(TREADLE_FUZZ_KIND) == "text" ? Kind::kText : Kind::kBytes;
  std::vector<std::string> seeds = LoadSeeds(TREADLE_FUZZ_SEEDS, kind, kMaxSeedSize);
  ASSERT_GE(seeds.size(), 3u) << TREADLE_FUZZ_SEEDS;
  for (const std::string& seed : seeds) Run(seed);
  const char* times = std::getenv("TREADLE_SEEDS");
  const int runs = TREADLE_FUZZ_RUNS * (times != nullptr ? std::max(1, std::atoi(times)) : 1) / (kSanitized ? 8 : 1);
  const char* seed = std::getenv("TREADLE_SEED");
  Mutator mutator(seeds, kind, seed != nullptr ? std::atoi(seed) : 1);
  for (int i = 0; i < runs; ++i) Run(mutator.Next());
}

TEST(Mutations, AreAnErrorOrAProgram) {
  g_input = new std::string;
  g_path = new std::string(testing::TempDir() + "treadle_" TREADLE_FUZZ_NAME "_input");
  LimitMemory();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSanitized ? 8 << 20 : 512 << 10);
  pthread_t thread;
  const auto run = [](void*) -> void* { return RunMutations(), nullptr; };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const itimerval none = {};
  setitimer(ITIMER_PROF, &none, nullptr);
}

// An input that was found: TREADLE_FUZZ_INPUT=FILE.
TEST(Mutations, OneInput) {
  const char* path = std::getenv("TREADLE_FUZZ_INPUT");
  if (path == nullptr) GTEST_SKIP() << "for one input: TREADLE_FUZZ_INPUT=FILE";
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string input = bytes.str();
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

}  // namespace
}  // namespace treadle::fuzz
