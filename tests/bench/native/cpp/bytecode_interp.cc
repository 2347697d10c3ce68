// An interpreter for a small stack machine: a switch over instructions in an array.
#include "tests/bench/native/bench.h"

namespace {

enum Op { push, load, store, jump, jump_if_zero, add, sub, rem, halt };
struct Instruction {
  Op op;
  long operand = 0;
};
enum Variable { n, sum };

std::string run() {
  const std::vector<Instruction> code = {{load, n},   {jump_if_zero, 14},
                                         {load, sum}, {load, n},
                                         {push, 3},   {rem},
                                         {add},       {store, sum},
                                         {load, n},   {push, 1},
                                         {sub},       {store, n},
                                         {jump, 0},   {halt},
                                         {load, sum}, {halt}};
  std::vector<long> variables = {bench::opaque(150'000), 0}, stack;
  auto pop = [&] {
    long top = stack.back();
    stack.pop_back();
    return top;
  };
  for (size_t pc = 0;;) {
    const Instruction& i = code[pc++];
    size_t to = static_cast<size_t>(i.operand);
    switch (i.op) {
      case push:
        stack.push_back(i.operand);
        break;
      case load:
        stack.push_back(variables[to]);
        break;
      case store:
        variables[to] = pop();
        break;
      case jump:
        pc = to;
        break;
      case jump_if_zero:
        if (pop() == 0) pc = to;
        break;
      case add: {
        long b = pop();
        stack.back() += b;
        break;
      }
      case sub: {
        long b = pop();
        stack.back() -= b;
        break;
      }
      case rem: {
        long b = pop();
        stack.back() %= b;
        break;
      }
      case halt:
        return bench::tuple(stack.back(), static_cast<long>(variables.size()));
    }
  }
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
