//go:build !amd64

package kernel

func bestForm() int { return formGo }
