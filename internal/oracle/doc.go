// Package oracle computes values and derivatives of terms in ways that share
// nothing with the machine: by forward mode, which is the denotation of the term on
// dual numbers (section 2.2), and by central differences. It is slow, recursive and
// obvious; tests hold the machine against it.
package oracle
