// The keyboard. Keys do nothing here while something is typed.

/** typing tells whether an element takes the keys itself. */
function typing(target) {
  return target.matches?.("textarea, select, input:not([type=range])") || target.isContentEditable;
}

/** ownKey tells whether a key has a meaning of its own for an element: of a button, or of the slider. */
function ownKey(target, key) {
  if (target.matches?.("input[type=range]")) return ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"].includes(key);
  return target.matches?.("button") && (key === " " || key === "Enter");
}

/** listen calls what belongs to a key: actions has a function for each, by event.key. */
export function listen(actions) {
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
    if (document.querySelector("dialog[open]") && e.key !== "?") return;
    if (typing(e.target) || ownKey(e.target, e.key)) return;
    const action = actions[e.key];
    if (!action) return;
    e.preventDefault();
    action(e);
  });
}
