// Sampled stacks: a tree, and the forms that other programs read.

/**
 * profile: an answer to `profile`. Nodes: { name, total, self, children }, the largest child first; with
 * `base`, another one, also `change`: by how much of all their share has grown.
 */
export function flameTree(profile, base) {
  const root = treeOf(profile);
  if (base) {
    const before = treeOf(base);
    compare(root, before, root.total || 1, before.total || 1);
  }
  return root;
}

function compare(node, before, total, totalBefore) {
  node.change = node.total / total - (before ? before.total / totalBefore : 0);
  for (const c of node.children) compare(c, before?.children.find((b) => b.name === c.name), total, totalBefore);
}

function treeOf(profile) {
  const node = (name) => ({ name, total: 0, self: 0, children: new Map() });
  const root = node("all");
  for (const [stack, n] of profile.stacks) {
    let at = root;
    at.total += n;
    for (const name of stack ? stack.split(";") : []) {
      if (!at.children.has(name)) at.children.set(name, node(name));
      at = at.children.get(name);
      at.total += n;
    }
    at.self += n;
  }
  const settle = (n) => {
    n.children = [...n.children.values()].sort((a, b) => b.total - a.total);
    n.children.forEach(settle);
    return n;
  };
  return settle(root);
}

/** The functions that ran, whoever called them: [{ name, self, total }]. */
export function hottest(root) {
  const sums = new Map();
  const walk = (n, above) => {
    const first = !above.has(n.name);
    const sum = sums.get(n.name) || { name: n.name, self: 0, total: 0 };
    sum.self += n.self;
    if (first) sum.total += n.total; // once for a function that calls itself
    sums.set(n.name, sum);
    if (first) above.add(n.name);
    for (const c of n.children) walk(c, above);
    if (first) above.delete(n.name);
  };
  for (const c of root.children) walk(c, new Set());
  return [...sums.values()].sort((a, b) => b.self - a.self);
}

/** What ran a function in samples with it on their stack: name -> { most, text }. */
export function tiersOf(profile) {
  const names = ["interpreter", "baseline", "LLVM"];
  const all = new Map();
  for (const [name, ...counts] of profile.tiers || []) {
    const sum = counts.reduce((a, b) => a + b, 0) || 1;
    const parts = names.map((tier, k) => [tier, counts[k] / sum]).filter(([, share]) => share > 0);
    const most = parts.reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0])[0];
    all.set(name, { most, text: parts.reverse().map(([tier, share]) => `${tier} ${Math.round(share * 100)} %`).join(", ") });
  }
  return all;
}

export const folded = (profile) => profile.stacks.map(([stack, n]) => `${stack} ${n}\n`).join("");

/** For speedscope.app. */
export function speedscope(profile, name) {
  const index = new Map();
  const frame = (f) => {
    if (!index.has(f)) index.set(f, index.size);
    return index.get(f);
  };
  const stacks = profile.stacks.filter(([stack]) => stack);
  const samples = stacks.map(([stack]) => stack.split(";").map(frame));
  const weights = stacks.map(([, n]) => n);
  return JSON.stringify({
    $schema: "https://www.speedscope.app/file-format-schema.json",
    name,
    shared: { frames: [...index.keys()].map((f) => ({ name: f })) },
    profiles: [{ type: "sampled", name, unit: "none", startValue: 0, endValue: weights.reduce((a, b) => a + b, 0), samples, weights }],
  });
}
