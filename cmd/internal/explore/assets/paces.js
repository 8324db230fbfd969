// The paces: what one step forward is, for a reader.

const operations = ["plus", "plusPair", "times", "factor", "function", "branch"];
const firings = [...operations, "lambda", "pair", "lin", "case", "unfold"];

/** paces tell which rules a reader stops at: all; those that are no housekeeping; those that work on numbers. */
export const paces = { rewrite: null, firing: new Set(firings), operation: new Set(operations) };
