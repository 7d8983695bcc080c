package report

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Formulas are written in a small part of TeX and drawn as MathML Core, which browsers lay out without a script. It has letters, numbers and operators,
// ^ and _ with one token or a group, primes, groups in braces, pairs of brackets, and the commands below.
//
//	\frac{a}{b}  \sqrt{a}  \hat{a}  \text{words}  \operatorname{Var}  \quad  \,
//
// Sums and minima have their subscript below.
var (
	formulaLetters = map[string]string{
		"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "lambda": "λ", "mu": "μ", "nu": "ν", "omega": "ω", "phi": "φ", "psi": "ψ",
		"pi": "π", "rho": "ρ", "sigma": "σ", "theta": "θ", "Omega": "Ω", "infty": "∞",
	}
	formulaOperators = map[string]string{
		"le": "≤", "ge": "≥", "ne": "≠", "to": "→", "cdot": "·", "pm": "±", "in": "∈", "int": "∫", "approx": "≈",
	}
	formulaLarge = map[string]string{"sum": "<mo>∑</mo>", "min": "<mo>min</mo>", "max": "<mo>max</mo>", "sup": "<mo>sup</mo>"}
)

// mathML draws a formula as a block. The error says what of it is not known.
func mathML(tex string) (string, error) {
	p := formulaParser{rest: clean(tex)}
	body, err := p.row("")
	if err != nil {
		return "", err
	}
	return `<math display="block">` + body + "</math>", nil
}

type formulaParser struct{ rest string }

// row reads up to the closing token, or to the end if it is "".
func (p *formulaParser) row(closing string) (string, error) {
	var b strings.Builder
	b.WriteString("<mrow>")
	for {
		p.rest = strings.TrimLeft(p.rest, " \n\t")
		if closing != "" && strings.HasPrefix(p.rest, closing) {
			p.rest = p.rest[len(closing):]
			break
		}
		if p.rest == "" {
			if closing != "" {
				return "", fmt.Errorf("%q is missing", closing)
			}
			break
		}
		term, err := p.term()
		if err != nil {
			return "", err
		}
		b.WriteString(term)
	}
	b.WriteString("</mrow>")
	return b.String(), nil
}

// term reads a token or group with its scripts.
func (p *formulaParser) term() (string, error) {
	base, large, err := p.atom()
	if err != nil {
		return "", err
	}
	var scripts [2]string // below and above
	for {
		p.rest = strings.TrimLeft(p.rest, " ")
		if p.rest == "" || !strings.ContainsRune("_^'", rune(p.rest[0])) {
			break
		}
		at := strings.IndexByte("_^'", p.rest[0])
		p.rest = p.rest[1:]
		if at == 2 {
			scripts[1] += "<mo>′</mo>"
			continue
		}
		if scripts[at] != "" {
			return "", fmt.Errorf("a second %q", "_^"[at:at+1])
		}
		p.rest = strings.TrimLeft(p.rest, " ")
		script, _, err := p.atom()
		if err != nil {
			return "", err
		}
		scripts[at] = script
	}
	names := [3]string{"msub", "msup", "msubsup"}
	if large {
		names = [3]string{"munder", "mover", "munderover"}
	}
	switch {
	case scripts[0] != "" && scripts[1] != "":
		return element(names[2], base, scripts[0], element("mrow", scripts[1])), nil
	case scripts[0] != "":
		return element(names[0], base, scripts[0]), nil
	case scripts[1] != "":
		return element(names[1], base, element("mrow", scripts[1])), nil
	}
	return base, nil
}

func element(name string, children ...string) string {
	return "<" + name + ">" + strings.Join(children, "") + "</" + name + ">"
}

// atom reads a token, a group or a command with its arguments; large is one whose scripts stand below and above.
func (p *formulaParser) atom() (text string, large bool, err error) {
	r, size := utf8.DecodeRuneInString(p.rest)
	switch {
	case size == 0:
		return "", false, fmt.Errorf("something is missing at the end")
	case r == '\\':
		return p.command()
	case r == '{':
		p.rest = p.rest[1:]
		text, err = p.row("}")
		return text, false, err
	case r == '(' || r == '[': // with what is in them, of which a script is, and as high as that if there are fractions in it
		closing := map[rune]string{'(': ")", '[': "]"}[r]
		p.rest = p.rest[1:]
		text, err = p.row(closing)
		bracket := func(text string) string { return `<mo stretchy="false">` + text + "</mo>" }
		if strings.Contains(text, "<mfrac>") {
			bracket = func(text string) string { return element("mo", text) }
		}
		return element("mrow", bracket(string(r)), text, bracket(closing)), false, err
	case unicode.IsDigit(r):
		end := strings.IndexFunc(p.rest, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
		if end < 0 {
			end = len(p.rest)
		}
		number := strings.TrimSuffix(p.rest[:end], ".")
		p.rest = p.rest[len(number):]
		return element("mn", number), false, nil
	case unicode.IsLetter(r):
		p.rest = p.rest[size:]
		return element("mi", string(r)), false, nil
	case r == '|': // which may open or close
		p.rest = p.rest[1:]
		return `<mo stretchy="false" lspace="0" rspace="0">|</mo>`, false, nil
	case strings.ContainsRune("+-=,.;:/<>*", r):
		p.rest = p.rest[size:]
		switch r {
		case '-':
			r = '−'
		case '*':
			r = '∗'
		}
		return element("mo", html.EscapeString(string(r))), false, nil
	}
	return "", false, fmt.Errorf("%q is not known", r)
}

// command reads a command and its arguments.
func (p *formulaParser) command() (text string, large bool, err error) {
	p.rest = p.rest[1:]
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') })
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 && strings.HasPrefix(p.rest, ",") {
		end = 1
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	switch name {
	case "frac":
		over, err := p.argument()
		if err != nil {
			return "", false, err
		}
		under, err := p.argument()
		return element("mfrac", over, under), false, err
	case "sqrt":
		of, err := p.argument()
		return element("msqrt", of), false, err
	case "hat":
		of, err := p.argument()
		return `<mover accent="true">` + of + "<mo>^</mo></mover>", false, err
	case "text", "operatorname":
		words, after, ok := strings.Cut(strings.TrimPrefix(p.rest, "{"), "}")
		if !ok || !strings.HasPrefix(p.rest, "{") {
			return "", false, fmt.Errorf("\\%s wants a word in braces", name)
		}
		p.rest = after
		if name == "text" {
			return element("mtext", strings.ReplaceAll(html.EscapeString(words), " ", "\u00a0")), false, nil
		}
		return element("mi", html.EscapeString(words)), false, nil
	case "quad":
		return `<mspace width="1em"></mspace>`, false, nil
	case ",":
		return `<mspace width="0.2em"></mspace>`, false, nil
	}
	if letter, ok := formulaLetters[name]; ok {
		return element("mi", letter), false, nil
	}
	if operator, ok := formulaOperators[name]; ok {
		return element("mo", operator), false, nil
	}
	if operator, ok := formulaLarge[name]; ok {
		return operator, true, nil
	}
	return "", false, fmt.Errorf("\\%s is not known", name)
}

// argument is a group, or one token.
func (p *formulaParser) argument() (string, error) {
	p.rest = strings.TrimLeft(p.rest, " ")
	text, _, err := p.atom()
	return text, err
}
