// Package explore serves a page that shows a run of a program step by step.
//
// # What is sent
//
// The states of a run are neither sent as a whole nor kept: the run is repeated up to the
// states that are shown. The page asks for a window, that is all states from one step to
// another, with the objects in them and their changes. It shows these states without
// asking again. The server computes the positions of the objects. They are the same in
// all states of a window, so nothing moves from one step to the next.
//
//	page                        server
//	 │ POST /api/run             │ load, type, run once: steps, counts, value, gradient
//	 │ GET  …/window?at=K        │ run again to the window of state K, place its objects
//	 │ GET  …/find?from=K&rule=… │ run again until a step matches
//
// The name of a run is a hash of its program and options. The last few runs are kept. A
// request for another run is answered with 404, and the page sends the program again.
//
// # Safety
//
// The programs are the user's own, but other pages are open in the same browser, and any
// of them can send requests to this computer. So the server
//
//   - listens on the loopback interface only;
//   - answers only requests that name it by its own names, against DNS rebinding;
//   - refuses requests of other pages, by Sec-Fetch-Site and Origin;
//   - tells the browser to load scripts, styles and data from it alone, and not to show it
//     inside another page;
//   - bounds the size of a request, and its time, steps, nodes and memory. Few requests are
//     processed at once, and one that nobody waits for is ended;
//   - lets a program that the page sends read only files in the folder of the program on the
//     command line, and files that this program has named.
//
// The served page contains no part of a program: programs are sent as JSON.
package explore
