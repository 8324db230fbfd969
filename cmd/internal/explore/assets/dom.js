// Elements, made without HTML strings: all text of a program is text.

const SVG = "http://www.w3.org/2000/svg";

/** by returns the element with an id. */
export const by = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

/** el makes an HTML element: attributes, listeners as onclick and the like, children. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** shape makes an SVG element. */
export function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** put sets the text of an element, if it isn't that already. */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** set sets an attribute, or takes it away where value is null, if that changes anything. */
export function set(node, name, value) {
  if (value === null) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value);
  }
}

/** calm tells whether the reader wants no motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** grouped prints a whole number with thin spaces between thousands. */
export function grouped(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}
