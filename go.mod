module github.com/gram-machine/gram

go 1.26
