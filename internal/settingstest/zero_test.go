package settingstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// results are structs with unexported fields of which a caller has no use but to read those that a fit returns.
var results = []string{"search.Trial", "diagnose.Explained", "diagnose.Diagnosis", "risk.Assessment"}

// TestTypesSayWhatTheirZeroValueIs: of a struct with unexported fields the comment says how one is made, or what the zero
// value is.
func TestTypesSayWhatTheirZeroValueIs(t *testing.T) {
	found := 0
	for _, dir := range []string{".", "rr", "problem", "crossfit", "risk", "diagnose", "inference", "effect", "instrument", "search", "encode", "baselines", "mlp", "features", "moments", "solvers", "kernels", "tables", "check"} {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.TYPE {
					continue
				}
				for _, s := range g.Specs {
					s := s.(*ast.TypeSpec)
					if !s.Name.IsExported() || !hidesFields(s) {
						continue
					}
					found++
					name, doc := f.Name.Name+"."+s.Name.Name, strings.ToLower(g.Doc.Text())
					if !strings.Contains(doc, "zero value") && !strings.Contains(doc, "made by") && !slices.Contains(results, name) {
						t.Errorf("%s does not say how it is made or what its zero value is", name)
					}
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("%d types were found", found)
	}
}

// hidesFields reports whether a type is a struct with an unexported field.
func hidesFields(s *ast.TypeSpec) bool {
	st, ok := s.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return !n.IsExported() })
	})
}
