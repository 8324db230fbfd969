// The tokens of a line of gram: to colour it, and to light the one at a column.

const TOKEN = /--.*|[\p{L}_][\p{L}\p{N}_']*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"[^"]*"?|->|-o|<=|>=|\[\||\|\]|\s+|./gsu;
const WORDS = new Set("param input data def fun lin let in if then else vec sum list csv size".split(" "));

function kindOf(text, before) {
  if (text.startsWith("--") && (before === "" || /\s$/u.test(before))) return "comment";
  if (WORDS.has(text)) return "word";
  if (/^\d/u.test(text)) return "number";
  if (text.startsWith('"')) return "string";
  return /^\s/u.test(text) ? "space" : "";
}

/** tokens splits a line: {text, kind, column}, columns in characters (runes) from 1. */
export function tokens(line) {
  const found = [];
  let before = "";
  for (const [text] of line.matchAll(TOKEN)) {
    found.push({ text, kind: kindOf(text, before), column: [...before].length + 1 });
    before += text;
  }
  return found;
}

/** tokenAt returns the index of the token at a column, or −1. */
export function tokenAt(list, column) {
  for (let i = list.length - 1; i >= 0; i--) {
    if (list[i].column > column) continue;
    const end = list[i].column + [...list[i].text].length;
    return column < end && list[i].kind !== "space" ? i : -1;
  }
  return -1;
}
