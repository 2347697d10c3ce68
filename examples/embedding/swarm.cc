// A loop of frames that gives a machine two milliseconds of each: no thread but this one runs
// Erlang, so screen:draw/3 writes into the frame without a lock.
//
//   swarm FILE [CREATURES [FRAMES]]
//
// says at the end how often who drew, and how long steps took.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>
#include <whitebeam.hpp>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kFrame = 16ms;
constexpr auto kStep = 2ms;

int main(int argc, char** argv) try {
  if (argc < 2) {
    fprintf(stderr, "swarm FILE [CREATURES [FRAMES]]\n");
    return 2;
  }
  const int creatures = argc > 2 ? atoi(argv[2]) : 1000, frames = argc > 3 ? atoi(argv[3]) : 60;
  std::ifstream in(argv[1], std::ios::binary);
  std::stringstream module;
  module << in.rdbuf();

  wb_settings settings = WB_SETTINGS_INIT;
  settings.flags = WB_STEPPED;
  whitebeam::Vm vm(settings);
  std::vector<char> screen(80 * 24, ' ');
  std::vector<int> drawn(static_cast<size_t>(creatures) + 1);
  vm.function("screen", "draw", 3, [&](whitebeam::Env& env, auto arguments) {
    const auto id = arguments[0].integer(), x = arguments[1].integer(), y = arguments[2].integer();
    screen.at(static_cast<size_t>(y * 80 + x)) = '*';
    ++drawn.at(static_cast<size_t>(id));
    return env.atom("ok");
  });
  vm.load(module.str());
  whitebeam::Env env(vm);
  env.call("swarm", "start", {env.make(creatures)});

  std::vector<double> steps;
  auto next = Clock::now();
  for (int frame = 0; frame < frames; ++frame) {
    std::ranges::fill(screen, ' ');
    const auto begin = Clock::now();
    vm.step(kStep);
    steps.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    std::this_thread::sleep_until(next += kFrame);  // here: input, drawing
  }
  std::ranges::sort(steps);
  printf("%d creatures, %d frames; each drew %d to %d times\n", creatures, frames,
         *std::min_element(drawn.begin() + 1, drawn.end()), *std::ranges::max_element(drawn));
  printf("a step took %.2f ms (median), %.2f ms (longest)\n", steps[steps.size() / 2],
         steps.back());
} catch (const std::exception& e) {
  fprintf(stderr, "swarm: %s\n", e.what());
  return 1;
}
