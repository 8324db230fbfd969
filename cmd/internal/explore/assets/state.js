// What a window tells of its states: pure functions.
//
// A window holds the states from … to of a run, both inclusive: the state k is that after
// step k. Its nodes have versions, each for the states from ≤ k < until.

/** holds tells whether a window shows state k. */
export const holds = (win, k) => win.from <= k && k <= win.to;

/** stepAt returns the step that has led to state k, or null if the window hasn't got it. */
export function stepAt(win, k) {
  return (k > win.from && k <= win.to && win.steps[k - win.from - 1]) || null;
}

/** versionAt returns the version of a node in state k, or null where it doesn't exist. */
export function versionAt(node, k) {
  const all = node.versions;
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle].until <= k) low = middle + 1;
    else high = middle;
  }
  return low < all.length && all[low].from <= k ? all[low] : null;
}

/** objectsAt returns the objects that exist in state k: id → {node, version}. */
export function objectsAt(win, k) {
  const objects = new Map();
  for (const node of win.nodes) {
    const version = versionAt(node, k);
    if (version) objects.set(node.id, { node, version });
  }
  return objects;
}

/** countsAt returns how many steps by each rule lead to state k. */
export function countsAt(win, k) {
  const counts = win.counts.slice();
  for (let i = win.from + 1; i <= k; i++) counts[win.steps[i - win.from - 1].rule]++;
  return counts;
}

/** arrivalsAt returns what step k sends along the graph's edges. */
export function arrivalsAt(win, k) {
  return (win.arrivals ?? []).filter((arrival) => arrival.step === k);
}

/**
 * nodeNear returns the object that step k is about or, if none that exists, that of the
 * nearest step that has one; -1 if there is none. has tells which exist.
 */
export function nodeNear(win, k, has) {
  for (let d = 0; d <= win.to - win.from; d++) {
    for (const i of [k - d, k + d]) {
      const id = stepAt(win, i)?.node ?? -1;
      if (id >= 0 && has(id)) return id;
    }
  }
  return -1;
}

/**
 * phaseTotals returns how many steps of each phase lead to state k. segments are the
 * starts of stretches of one phase: [{from: 1, phase: "primal"}, …].
 */
export function phaseTotals(segments, k) {
  const totals = { primal: 0, backward: 0 };
  segments.forEach(({ from, phase }, i) => {
    const end = Math.min(k, i + 1 < segments.length ? segments[i + 1].from - 1 : k);
    totals[phase] += Math.max(0, end - from + 1);
  });
  return totals;
}
