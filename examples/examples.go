// Package examples holds the programs of this folder and their data.
package examples

import "embed"

// Files has the programs and the CSV files that they read, in one folder.
//
//go:embed *.gram *.csv *.json *.txt
var Files embed.FS
