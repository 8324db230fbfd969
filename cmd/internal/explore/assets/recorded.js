// A page without a server: the run is recorded in it, and it answers its own requests.

let recording; // a promise of what is recorded, or null where there is a server

/** recorded tells whether this page has a recorded run. */
export const recorded = () => document.getElementById("recording") !== null;

async function unpack() {
  const binary = atob(document.getElementById("recording").textContent);
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** replay answers a request: undefined if nothing that was recorded answers it. */
export async function replay(path, options = {}) {
  recording ??= unpack();
  const all = await recording;
  const url = new URL(path, "http://recorded");
  const at = Number(url.searchParams.get("at"));
  if (url.pathname === "/api/file") return all.file;
  if (url.pathname === "/api/run") {
    const { source, of } = JSON.parse(options.body);
    return source === all.file.source && of === all.file.of ? all.run : undefined;
  }
  if (url.pathname.endsWith("/window")) return all.windows.findLast(({ from, to }) => from <= at && at <= to);
  if (url.pathname.endsWith("/find")) return { step: find(all, url.searchParams) };
  return all.rules[url.pathname.match(/^\/assets\/rules\/(.*)\.svg$/)?.[1]];
}

/** find returns the nearest step that fits, or null. */
function find({ windows, run }, query) {
  const from = Number(query.get("from"));
  const back = query.get("back") === "1";
  const fits = (step) => (!query.get("rule") || query.get("rule").split(",").includes(run.rules[step.rule].name)) &&
    (!query.get("line") || step.line === Number(query.get("line")));
  let found = null;
  for (const win of windows) {
    for (const [i, step] of win.steps.entries()) {
      const k = win.from + i + 1;
      if (back && k >= from) return found;
      if (!fits(step) || (!back && k <= from)) continue;
      if (!back) return k;
      found = k;
    }
  }
  return found;
}
