package result

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gram-machine/gram/lang/load"
	"github.com/stretchr/testify/require"
)

func TestObject(t *testing.T) {
	var out bytes.Buffer
	o := Begin(&out, "")
	o.Field(`a "quoted: name", x'`, `back\`)
	o.Field("next", "R -> R")
	o.Value("v", load.Flat{Values: []float64{1, 0.5}}, load.VectorShape(load.RealShape(), 2))
	o.Object("empty").End()
	sub := o.Object("sub")
	sub.Field("ε", struct {
		A int    `json:"a"`
		B string `json:"b"`
	}{1, `"\":,`})
	sub.End()
	o.End()
	require.Equal(t, `{
  "a \"quoted: name\", x'": "back\\",
  "next": "R -> R",
  "v": [1, 0.5],
  "empty": {},
  "sub": {
    "ε": {"a": 1, "b": "\"\\\":,"}
  }
}`, out.String())
	require.True(t, json.Valid(out.Bytes()))
}
