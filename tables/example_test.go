package tables_test

import (
	"fmt"

	"mediant/tables"
)

func ExampleAssignRoles() {
	imagesWithCaptions := []tables.Column{
		{Name: "pixel1"}, {Name: "pixel2"}, {Name: "caption", Kind: tables.Text},
	}
	captionsWithSentiment := []tables.Column{
		{Name: "caption", Kind: tables.Text}, {Name: "sentiment"},
	}
	roles, err := tables.AssignRoles(imagesWithCaptions, captionsWithSentiment, tables.RoleOptions{})
	fmt.Println(roles.X, roles.U, roles.Y, err)
	// Output: [pixel1 pixel2] [caption] [sentiment] <nil>
}
