// The order in which process_info/2 lists links and monitors. BEAM keeps them in red-black trees
// and lists a tree from its root, right branches first; programs print such lists (crash reports
// do), so the same order is made here of the order in which they were added. Where others were
// taken away meanwhile BEAM's tree may have another shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace wb {

class TreeOrder {
 public:
  /// Of `n` keys, as they are added; `less(i, k)`: is key i before key k?
  template <class Less>
  explicit TreeOrder(size_t n, Less less) : nodes_(n) {
    for (uint32_t k = 0; k < n; ++k) {
      attach(k, less);
      balance(k);
    }
  }
  /// Calls f(i) in the order of the list.
  template <class F>
  void each(F f) const {
    std::vector<uint32_t> waiting;
    if (root_ != kNobody) waiting.push_back(root_);
    while (!waiting.empty()) {
      const uint32_t k = waiting.back();
      waiting.pop_back();
      f(k);
      for (uint32_t child : nodes_[k].child) {
        if (child != kNobody) waiting.push_back(child);
      }
    }
  }

 private:
  static constexpr uint32_t kNobody = UINT32_MAX;
  enum Side : uint8_t { left, right };
  struct Node {
    uint32_t parent = kNobody;
    uint32_t child[2] = {kNobody, kNobody};
    bool red = true;
  };

  template <class Less>
  void attach(uint32_t k, Less less) {
    uint32_t* place = &root_;
    while (*place != kNobody) {
      nodes_[k].parent = *place;
      place = &nodes_[*place].child[less(k, *place) ? left : right];
    }
    *place = k;
  }
  Side side_of(uint32_t k) const {
    return nodes_[nodes_[k].parent].child[left] == k ? left : right;
  }
  bool is_red(uint32_t k) const { return k != kNobody && nodes_[k].red; }
  /// The child on the other side takes the place of `k`, which goes down to `side`.
  void rotate(uint32_t k, Side side) {
    const Side other = side == left ? right : left;
    const uint32_t up = nodes_[k].child[other], parent = nodes_[k].parent;
    const uint32_t between = nodes_[up].child[side];
    (parent == kNobody ? root_ : nodes_[parent].child[side_of(k)]) = up;
    nodes_[up].parent = parent;
    nodes_[up].child[side] = k;
    nodes_[k].parent = up;
    nodes_[k].child[other] = between;
    if (between != kNobody) nodes_[between].parent = k;
  }
  void balance(uint32_t k) {
    while (is_red(nodes_[k].parent)) {
      uint32_t parent = nodes_[k].parent;
      const uint32_t above = nodes_[parent].parent;
      const Side side = side_of(parent), other = side == left ? right : left;
      if (const uint32_t uncle = nodes_[above].child[other]; is_red(uncle)) {
        nodes_[parent].red = nodes_[uncle].red = false;
        nodes_[above].red = true;
        k = above;
        continue;
      }
      if (side_of(k) == other) {
        rotate(parent, side);
        std::swap(k, parent);
      }
      nodes_[parent].red = false;
      nodes_[above].red = true;
      rotate(above, other);
    }
    nodes_[root_].red = false;
  }

  std::vector<Node> nodes_;
  uint32_t root_ = kNobody;
};

/// Calls f(key, value) for the entries of a SmallMap in that order; `less` of two keys.
template <class Map, class Less, class F>
void each_in_tree_order(Map& map, Less less, F f) {
  const auto* all = map.begin();
  const TreeOrder order(map.size(),
                        [&](uint32_t i, uint32_t k) { return less(all[i].first, all[k].first); });
  order.each([&](uint32_t k) { f(all[k].first, all[k].second); });
}

}  // namespace wb
