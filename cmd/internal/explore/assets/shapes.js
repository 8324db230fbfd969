// Where the lines of the graph go and what stands in its boxes: pure functions.

const glyph = 7.3; // px: the width of a character of the graph's labels, 12 px monospace

/** cut shortens a text to what fits into a width. */
export function cut(text, width) {
  const most = Math.max(1, Math.floor(width / glyph));
  const all = [...text];
  return all.length <= most ? text : `${all.slice(0, Math.max(1, most - 1)).join("")}…`;
}

/** lines returns what stands in a box, one line or two: of a dual, ← before the argument that has arrived. */
export function lines(node, version) {
  const width = node.w - 10;
  const { label, value } = version;
  if (!value || label === value) return [cut(label, width)];
  const shown = version.role === "dual" && version.kind !== "group" ? `← ${value}` : value;
  return label ? [cut(label, width), cut(shown, width)] : [cut(shown, width)];
}

/** port is where the i-th of n lines meets the left side of a box: a height. */
function port(node, i, n) {
  const gap = n > 1 ? Math.min(9, (node.h - 10) / (n - 1)) : 0;
  return node.y + (i - (n - 1) / 2) * gap;
}

/**
 * route returns the points of a line from what is referred to, at its right border, to the i-th of n places at
 * the left border of what refers to it: from point 0 to 1 a curve, to 2 straight on, to 3 a curve, and so on.
 * Where the two don't stand in that order the line goes around.
 */
export function route(to, owner, i, n, via = []) {
  const end = [owner.x - owner.w / 2, port(owner, i, n)];
  return [[to.x + to.w / 2, to.y], ...via, end];
}

/** curves returns the cubic curves of a route, four points each; they leave and arrive horizontally. */
export function curves(points) {
  const out = [];
  for (let i = 0; i + 1 < points.length; i += 2) {
    const [a, b] = [points[i], points[i + 1]];
    const bend = Math.max(Math.abs(b[0] - a[0]) / 2, 16);
    out.push([a, [a[0] + bend, a[1]], [b[0] - bend, b[1]], b]);
  }
  return out;
}

const print = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** path returns the data of an SVG path along a route. */
export function path(points) {
  return curves(points).map(([a, b, c, d], i) => `${i ? "L" : "M"}${print(a)}C${print(b)} ${print(c)} ${print(d)}`).join("");
}

/** along returns a point of a curve at t: 0 its start, 1 its end. */
function along([a, b, c, d], t) {
  const s = 1 - t;
  const mix = (i) => s ** 3 * a[i] + 3 * s * s * t * b[i] + 3 * s * t * t * c[i] + t ** 3 * d[i];
  return [mix(0), mix(1)];
}

/** ends returns where on a route a label stands, and where it comes from: the route's end. */
export function ends(points) {
  const [first] = curves(points);
  return { stands: along(first, first[3][0] - first[0][0] > 160 ? 0.36 : 0.5), comes: points[points.length - 1] };
}

/** box returns what surrounds points, of which there may be many: {x1, y1, x2, y2}. */
export function box(points) {
  const out = { x1: Infinity, y1: Infinity, x2: -Infinity, y2: -Infinity };
  for (const [x, y] of points) {
    out.x1 = Math.min(out.x1, x);
    out.y1 = Math.min(out.y1, y);
    out.x2 = Math.max(out.x2, x);
    out.y2 = Math.max(out.y2, y);
  }
  return out;
}

/** meets tells whether two boxes have a point in common. */
export const meets = (a, b) => a.x1 <= b.x2 && b.x1 <= a.x2 && a.y1 <= b.y2 && b.y1 <= a.y2;

/** boxOf returns the box of a node. */
export const boxOf = (n) => ({ x1: n.x - n.w / 2, y1: n.y - n.h / 2, x2: n.x + n.w / 2, y2: n.y + n.h / 2 });

/** flows tells whether an object stands left of the one that an edge of it leads to: what waits for it, or what it makes. */
export const flows = ({ as }) => as === "waits" || as === "binds" || as === "arrived";

/** told says all of a version: for the tooltip and for those who hear the page. */
export function told(version) {
  const place = version.line ? `line ${version.line}, column ${version.column}` : "";
  const state = [];
  if (version.root) state.push("the result");
  return { title: version.text || version.label, kind: version.role, place, state };
}
