// Package report takes the measurements of claims, keeps them, and writes what they say.
//
// A [Row] is one point of one series. A [Store] is a file of rows, a line of JSON each: a row is written as
// soon as it is measured and synced to the disk, so that a crash loses at most the points under way, and an
// interrupted run continues where it was. A row is used again only by the same build: the same executable on the
// same release of Go, and for a family in a file of its own, the same file.
//
// [Run] measures what the store lacks. Counts are exact and are taken once, those of several claims at a time;
// times are taken after them, alone, several times each, and are kept with their interval and with a description
// of the computer. [Compare] measures the machine beside its peers on the workloads, and keeps rows of that in the
// same store.
//
// A [Report] is written as tables for a terminal, as Markdown with pictures ([Repository], [Folder]), and as JSON. The
// same report gives the same bytes. The text comes from the claims, the figures from the report alone. What has not
// been measured is left out.
package report
