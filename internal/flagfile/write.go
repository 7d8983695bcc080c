package flagfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// Format returns the flags as YAML: those that are set, which Parse and Apply set to the same values, and behind # those that are not, with their defaults; a default of
// zero is left out, since it stands for a choice that the program makes.
func Format(flags []*pflag.Flag) (string, error) {
	var b strings.Builder
	for _, f := range flags {
		if !f.Changed && slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
			b.WriteString("# " + f.Name + ":\n")
			continue
		}
		text, err := entry(f)
		if err != nil {
			return "", err
		}
		if !f.Changed {
			text = "# " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n# ") + "\n"
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// entry is one flag with its value.
func entry(f *pflag.Flag) (string, error) {
	var value yaml.Node
	switch list, ok := f.Value.(lists); {
	case ok:
		value = yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, text := range list.GetSlice() {
			item, err := scalar("string", text)
			if err != nil {
				return "", err
			}
			value.Content = append(value.Content, &item)
		}
	default:
		var err error
		if value, err = scalar(f.Value.Type(), f.Value.String()); err != nil {
			return "", err
		}
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	key, err := scalar("string", f.Name) // "y" in quotes, since YAML 1.1 takes it for true
	if err != nil {
		return "", err
	}
	if err := encoder.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{&key, &value}}); err != nil {
		return "", fmt.Errorf("%s: %w", f.Name, err)
	}
	return b.String(), encoder.Close()
}

// scalar is a value of a type; only text is ever in quotes.
func scalar(kind, text string) (node yaml.Node, err error) {
	if _, ok := typeNames[kind]; ok {
		return yaml.Node{Kind: yaml.ScalarNode, Value: text}, nil
	}
	err = node.Encode(text)
	return node, err
}
