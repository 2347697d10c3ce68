// Trees of nodes allocated and freed one by one.
#include "tests/bench/native/bench.h"
#include "tests/bench/native/cpp/phash2.h"

namespace {

struct Node {
  Node *left, *right;
};
Node* make(int depth) {
  return depth == 0 ? new Node{nullptr, nullptr} : new Node{make(depth - 1), make(depth - 1)};
}
long check(const Node* n) { return n->left ? 1 + check(n->left) + check(n->right) : 1; }
void drop(Node* n) {
  if (n->left) drop(n->left), drop(n->right);
  delete n;
}

std::string run() {
  Node* all_along = make(16);
  std::vector<long> checks;
  for (int depth = 4; depth <= 15; ++depth) {
    for (int i = 0; i < 1 << (16 - depth); ++i) {
      Node* tree = make(depth);
      checks.push_back(check(tree));
      drop(tree);
    }
  }
  Phash2 hash;
  hash.tuple(2);
  hash.list(checks);
  hash.number(check(all_along));
  drop(all_along);
  return "hash:" + bench::text(long{hash.value() & 0x7ffffff});
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
