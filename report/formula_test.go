package report

import (
	"strings"
	"testing"
)

func TestMathML(t *testing.T) {
	for tex, want := range map[string]string{
		`x`:                                      `<mi>x</mi>`,
		`3.5x`:                                   `<mn>3.5</mn><mi>x</mi>`,
		`a-b<c`:                                  `<mi>a</mi><mo>−</mo><mi>b</mi><mo>&lt;</mo><mi>c</mi>`,
		`\frac{1}{w}`:                            `<mfrac><mrow><mn>1</mn></mrow><mrow><mi>w</mi></mrow></mfrac>`,
		`x_i^2`:                                  `<msubsup><mi>x</mi><mi>i</mi><mrow><mn>2</mn></mrow></msubsup>`,
		`x^{2} y`:                                `<msup><mi>x</mi><mrow><mrow><mn>2</mn></mrow></mrow></msup><mi>y</mi>`,
		`\alpha'`:                                `<msup><mi>α</mi><mrow><mo>′</mo></mrow></msup>`,
		`(a)^2`:                                  `<msup><mrow><mo stretchy="false">(</mo><mrow><mi>a</mi></mrow><mo stretchy="false">)</mo></mrow><mrow><mn>2</mn></mrow></msup>`,
		`|[a]|`:                                  `<mo stretchy="false" lspace="0" rspace="0">|</mo><mrow><mo stretchy="false">[</mo><mrow><mi>a</mi></mrow><mo stretchy="false">]</mo></mrow><mo stretchy="false" lspace="0" rspace="0">|</mo>`,
		`f^*`:                                    `<msup><mi>f</mi><mrow><mo>∗</mo></mrow></msup>`,
		`(\frac ab)`:                             `<mrow><mo>(</mo><mrow><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow><mo>)</mo></mrow>`,
		`\hat f`:                                 `<mover accent="true"><mi>f</mi><mo>^</mo></mover>`,
		`\sqrt{a}`:                               `<msqrt><mrow><mi>a</mi></mrow></msqrt>`,
		`\sum_i a`:                               `<munder><mo>∑</mo><mi>i</mi></munder><mi>a</mi>`,
		`\min_h^k`:                               `<munderover><mo>min</mo><mi>h</mi><mrow><mi>k</mi></mrow></munderover>`,
		`\operatorname{Var}(Y)\text{ if }a\le b`: `<mi>Var</mi><mrow><mo stretchy="false">(</mo><mrow><mi>Y</mi></mrow><mo stretchy="false">)</mo></mrow><mtext>` + "\u00a0if\u00a0" + `</mtext><mi>a</mi><mo>≤</mo><mi>b</mi>`,
		`\text{<b>}`:                             `<mtext>&lt;b&gt;</mtext>`,
		`a\quad\,b`:                              `<mi>a</mi><mspace width="1em"></mspace><mspace width="0.2em"></mspace><mi>b</mi>`,
	} {
		got, err := mathML(tex)
		if want := `<math display="block"><mrow>` + want + `</mrow></math>`; err != nil || got != want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", tex, err, got, want)
		}
	}
	for tex, want := range map[string]string{
		`\foo`: `\foo is not known`, `a%`: `'%' is not known`, `{a`: `"}" is missing`, `a^`: "something is missing", `a_b_c`: `a second "_"`, `\text a`: "wants a word", `\frac{a}`: "something is missing",
		`(a]`: `']' is not known`, `(a`: `")" is missing`,
		`a}`: `'}' is not known`,
	} {
		if _, err := mathML(tex); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", tex, err, want)
		}
		d := Document{Sections: []Section{{Title: "S", Formulas: []string{tex}}}}
		if err := d.WriteHTML(new(strings.Builder)); err == nil || !strings.Contains(err.Error(), `section "S": formula`) {
			t.Errorf("%s: error of the document %v", tex, err)
		}
	}
}

// TestFormulasStandAfterTheFirstParagraph: in HTML as MathML, in Markdown as TeX between dollars.
func TestFormulasStandAfterTheFirstParagraph(t *testing.T) {
	d := Document{Title: "T", Sections: []Section{{Title: "S", Text: []string{"one", "two"}, Formulas: []string{`\frac{a}{b}`}}, {Title: "R", Formulas: []string{"c"}}}}
	page := string(htmlOf(t, &d))
	for _, part := range []string{"<p>one</p>\n<div class=\"formula\"", "</math></div>\n<p>two</p>", "<mi>c</mi>"} {
		if !strings.Contains(page, part) {
			t.Errorf("no %q in %s", part, page)
		}
	}
	var b strings.Builder
	if err := d.WriteMarkdown(&b, ""); err != nil {
		t.Fatal(err)
	}
	if want := "one\n\n$$\n\\frac{a}{b}\n$$\n\ntwo\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in %s", want, b.String())
	}
}
