// The address of a step: #step=41&of=gradient, with the program where it was edited.

// longest is how many characters of a program a link may hold.
const longest = 6000;

function encode(text) {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function decode(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
}

/**
 * write returns the hash of a step. source is that of an edited program, null if it is the file's; one that is
 * too long for a link is left out, and the link says so: edited=1.
 */
export function write({ step, of, source }) {
  const parts = new URLSearchParams({ step, of });
  if (source !== null) {
    const code = encode(source);
    if (code.length <= longest) parts.set("src", code);
    else parts.set("edited", "1");
  }
  return `#${parts}`;
}

/** read returns what a hash says: step (0 if none; given tells whether there is one), of ("" if none), source (null if none), edited. */
export function read(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const given = /^\d{1,15}$/.test(parts.get("step") ?? "");
  const step = /^\d{1,15}$/.test(parts.get("step") ?? "") ? Number(parts.get("step")) : 0;
  const of = ["gradient", "value"].includes(parts.get("of")) ? parts.get("of") : "";
  let source = null;
  try {
    if (parts.get("src")) source = decode(parts.get("src"));
  } catch {
    source = null; // a link that was cut off: the file is shown
  }
  return { step, of, source, edited: parts.get("edited") === "1", given };
}
