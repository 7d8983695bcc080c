package settingstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// results are structs with unexported fields of which a caller has no use but to read those that a fit returns.
var results = []string{"rr.Trial", "rr.Explained", "rr.Diagnosis", "rr.Assessment"}

// TestTypesSayWhatTheirZeroValueIs: of a struct with unexported fields the comment says how one is made, or what the zero
// value is.
func TestTypesSayWhatTheirZeroValueIs(t *testing.T) {
	found := 0
	for _, dir := range []string{"rr", "baselines", "mlp", "features", "moments", "solvers", "kernels", "tables"} {
		notTest := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
		packages, err := parser.ParseDir(token.NewFileSet(), filepath.Join("..", "..", dir), notTest, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range packages {
			for _, f := range p.Files {
				ast.Inspect(f, func(n ast.Node) bool {
					g, ok := n.(*ast.GenDecl)
					if !ok || g.Tok != token.TYPE {
						return true
					}
					for _, s := range g.Specs {
						if s := s.(*ast.TypeSpec); s.Name.IsExported() && hidesFields(s) {
							found++
							name, doc := p.Name+"."+s.Name.Name, strings.ToLower(g.Doc.Text())
							says := strings.Contains(doc, "zero value") || strings.Contains(doc, "made by")
							if !says && !slices.Contains(results, name) {
								t.Errorf("%s does not say how it is made or what its zero value is", name)
							}
						}
					}
					return true
				})
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
