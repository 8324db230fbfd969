// Package explore serves a page on which a run of a program is looked at step by step.
//
// # What is sent
//
// A run is not sent, and not kept either: it is taken again, up to the states that are
// looked at. The page asks for a window, all states from one step to another, with every
// object that is in one of them and how it changes; it shows the states in between
// without asking again. The server says where the objects stand: positions are the same
// for all states of a window, so that nothing moves when a step is taken.
//
//	page                        server
//	 │ POST /api/run             │ load, type, run once: steps, counts, value, gradient
//	 │ GET  …/window?at=K        │ run again to the window of state K, place its objects
//	 │ GET  …/find?from=K&rule=… │ run again until a step fits
//
// A run has the name of its program and options, a hash. The last few are kept; one that
// is asked for again and has gone is answered with 404, and the page sends its program.
//
// # What is safe
//
// The programs are the user's own, but pages of others are open in the same browser, and
// any of them can send requests to this computer. So the server
//
//   - listens on the loopback interface only;
//   - answers to its own names only, which a page that has its own name point here does
//     not know to send (DNS rebinding);
//   - refuses requests that another page makes, by Sec-Fetch-Site and Origin;
//   - tells the browser to load scripts, styles and data from it alone, and not to show it
//     inside of another page;
//   - bounds what a request may send, and the time, steps, nodes and memory that it may
//     take; few work at once, and what nobody waits for any more ends;
//   - lets programs that the page sends read no file but those in the folder of the program
//     of the command line, and those that this one has named itself.
//
// Nothing of a program stands in the page that is served: it comes as JSON.
package explore
