// The server's answers, and what can go wrong with them.

import { recorded, replay } from "./recorded.js";

/**
 * ApiError is a request that failed. kind says why: "gone" no server answers, "lost" it doesn't know the run any
 * more, "wrong" the program is wrong (then there are diagnostics and the whole text), "busy" it can't now
 * (again in retry seconds), "large" the program is too large, "other".
 */
export class ApiError extends Error {
  constructor(kind, message, more = {}) {
    super(message);
    this.kind = kind;
    Object.assign(this, more);
  }
}

const kinds = { 404: "lost", 413: "large", 422: "wrong", 429: "busy", 503: "busy" };

async function failure(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // Not JSON: the status has to do.
  }
  const message = body.error || `the server answers ${response.status} ${response.statusText}`.trim();
  return new ApiError(kinds[response.status] ?? "other", message, {
    diagnostics: body.diagnostics ?? [],
    text: body.text ?? message,
    retry: Math.max(1, Number(response.headers.get("Retry-After")) || 2),
  });
}

async function ask(path, options = {}) {
  if (recorded()) {
    const answer = await replay(path, options);
    if (answer === undefined) throw new ApiError("other", "this page has one recorded run: gram explore shows others");
    return answer;
  }
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("gone", "gram explore isn’t running any more");
  }
  if (!response.ok) throw await failure(response);
  try {
    return await (options.text ? response.text() : response.json());
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("gone", "gram explore has ended in the middle of an answer");
  }
}

/** file returns the program of the command line: {name, source, of, version}. */
export const file = () => ask("/api/file");

/** examples returns the programs of the gallery: [{name, about, source}]. */
export const examples = () => ask("/api/examples");

/** submit runs a program, of is "gradient" or "value". */
export function submit(source, of, signal) {
  return ask("/api/run", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ source, of }),
    signal,
  });
}

/** windowAt returns a window of a run that holds state k. */
export async function windowAt(run, k) {
  const win = await ask(`/api/runs/${encodeURIComponent(run)}/window?at=${k}`);
  for (const part of ["steps", "nodes", "arrivals", "counts"]) win[part] ??= [];
  return win;
}

/** find returns the nearest step behind from, or before it if back, that fits, or null. */
export async function find(run, { from, back, ...what }) {
  const query = new URLSearchParams({ from });
  if (back) query.set("back", "1");
  for (const [name, value] of Object.entries(what)) if (value) query.set(name, value);
  return (await ask(`/api/runs/${encodeURIComponent(run)}/find?${query}`)).step;
}

/** picture returns the drawing of a rule: an SVG's text. */
export const picture = (rule) => ask(`/assets/rules/${encodeURIComponent(rule)}.svg`, { text: true });
