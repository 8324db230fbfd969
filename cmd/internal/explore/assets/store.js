// What the page keeps while its tab is open: the text that was typed, the program that ran.

let file = ""; // the program of the command line: another one has a store of its own

/** open says which file is explored. */
export function open(name) {
  file = name;
}

function get(what) {
  try {
    return sessionStorage.getItem(`gram.${what} ${file}`);
  } catch {
    return null; // no storage here: the page works, but forgets
  }
}

function put(what, value) {
  try {
    if (value === null) sessionStorage.removeItem(`gram.${what} ${file}`);
    else sessionStorage.setItem(`gram.${what} ${file}`, value);
  } catch {
    // Nothing is kept.
  }
}

/** draft is what was typed and hasn't run, null if nothing. */
export const draft = () => get("draft");
export const keepDraft = (text) => put("draft", text);

/** source is the edited program that ran last, null if none. */
export const source = () => get("source");
export const keepSource = (text) => put("source", text);
