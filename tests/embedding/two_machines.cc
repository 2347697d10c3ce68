// So many machines, each with one scheduler, each called by a thread of its own: two_machines FILE
// MACHINES ROUNDS
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>
#include <whitebeam.hpp>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  std::stringstream module;
  module << in.rdbuf();
  wb_settings settings = WB_SETTINGS_INIT;
  settings.schedulers = 1;
  std::vector<std::unique_ptr<whitebeam::Vm>> machines;
  for (int k = 0; k < atoi(argv[2]); ++k) {
    machines.push_back(std::make_unique<whitebeam::Vm>(settings));
    machines.back()->load(module.str());
  }
  std::vector<std::thread> threads;
  for (auto& vm : machines) {
    threads.emplace_back([&] {
      whitebeam::Env env(*vm);
      env.call("load", "run", {env.make(atoi(argv[3]))});
    });
  }
  for (auto& t : threads) t.join();
}
