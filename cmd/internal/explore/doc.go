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
// Other pages are open in the same browser, and any of them can send requests to this computer. docs/explorer.md says
// what the server does so that it is safe. The served page contains no part of a program: programs are sent as JSON.
package explore
