package load

import "github.com/gram-machine/gram/lang/syntax"

// Settings are values of params, inputs and data by name; the last one of a name counts.
type Settings struct {
	Params map[string]*ParamSetting
	Sets   map[string]*Setting
}

// NewSettings checks that each option names a declaration of f that it can set. An
// error is a *[UsageError].
func NewSettings(f *syntax.File, params []ParamSetting, sets []Setting) (*Settings, error) {
	s := &Settings{map[string]*ParamSetting{}, map[string]*Setting{}}
	for i := range params {
		p := &params[i]
		if err := settable(f, "param", p.Name, p.Text); err != nil {
			return nil, err
		}
		s.Params[p.Name] = p
	}
	for i := range sets {
		p := &sets[i]
		if err := settable(f, "set", p.Name, p.Text); err != nil {
			return nil, err
		}
		s.Sets[p.Name] = p
	}
	return s, nil
}

// settable checks that an option names a declaration that it can set.
func settable(f *syntax.File, option, name, text string) error {
	var names []string
	for _, d := range f.Decls {
		if d.Kind == syntax.TypeDecl {
			continue
		}
		if d.Name == name {
			return wrongOption(option, name, text, d.Kind)
		}
		if wrongOption(option, name, text, d.Kind) == nil {
			names = append(names, d.Name)
		}
	}
	what := "input or data"
	if option == "param" {
		what = "param"
	}
	if near := syntax.Suggest(name, names); near != "" {
		return usage(option, text, "the program has no %s %s; did you mean %s?", what, name, near)
	}
	return usage(option, text, "the program has no %s %s", what, name)
}

// wrongOption returns an error unless the option sets declarations of that kind.
func wrongOption(option, name, text string, kind syntax.DeclKind) error {
	var err *UsageError
	switch {
	case kind == syntax.DefDecl, kind == syntax.SymbolDecl:
		return usage(option, text, "%s is a %s; only params, inputs and data can be set", name, kind)
	case kind == syntax.ParamDecl && option == "set":
		err = usage(option, text, "%s is a param", name)
		err.Instead = "param"
	case kind == syntax.InputDecl && option == "param":
		err = usage(option, text, "%s is an input", name)
		err.Instead = "set"
	case kind == syntax.DataDecl && option == "param":
		err = usage(option, text, "%s is data", name)
		err.Instead = "set"
	default:
		return nil
	}
	return err
}
