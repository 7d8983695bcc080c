package instrument

import (
	"context"
	"fmt"
	"math"

	"mediant/internal/names"
	"mediant/problem"
	"mediant/tables"
)

// inputs are both tables with their roles, and without the rows of S_X in which an endogenous column is missing.
type inputs struct {
	roles                 tables.Roles
	endogenous            []string // columns of X that are no controls
	controls, instruments []string // columns of Z
	xu, uy                tables.Source
	dropped               int
}

// open assigns roles and reads S_X once for missing values.
func open(ctx context.Context, opt tables.RoleOptions, xu, uy tables.Source) (*inputs, error) {
	if err := problem.RequireTables(xu, uy); err != nil {
		return nil, err
	}
	in := &inputs{xu: tables.NewGuard("S_X", xu), uy: tables.NewGuard("S_Y", uy)}
	var err error
	if in.roles, err = tables.AssignRoles(xu.Columns(), uy.Columns(), opt); err != nil {
		return nil, err
	}
	controls := make(map[string]bool)
	shared := make(map[string]bool)
	for _, name := range in.roles.U {
		shared[name] = true
	}
	for _, name := range in.roles.X {
		if shared[name] {
			controls[name] = true
			in.controls = append(in.controls, name)
		} else {
			in.endogenous = append(in.endogenous, name)
		}
	}
	for _, name := range in.roles.U {
		if !controls[name] {
			in.instruments = append(in.instruments, name)
		}
	}
	if len(in.instruments) == 0 {
		return nil, fmt.Errorf("instrument: all columns that both tables share are controls: no instrument is left")
	}
	return in, in.complete(ctx)
}

// complete leaves out the rows of S_X in which an endogenous column is missing.
func (in *inputs) complete(ctx context.Context) error {
	x := problem.SelectColumns(in.xu.Columns(), in.endogenous)
	sel, err := tables.Select(in.xu.Columns(), x)
	if err != nil {
		return err
	}
	var complete []bool
	left := 0
	for b, err := range tables.NewGuard("", in.xu).Batches(ctx) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			all := true
			for j := range x {
				kind, place := sel.Place(j)
				all = all && !(kind == tables.Text && b.Text[place][i] == "" || kind == tables.Numeric && math.IsNaN(b.Num.At(i, place)))
			}
			complete = append(complete, all)
			if all {
				left++
			}
		}
	}
	switch left {
	case len(complete):
		return nil
	case 0:
		return fmt.Errorf("instrument: X (%s) is complete in no row of the first table", names.List(in.endogenous))
	}
	in.dropped = len(complete) - left
	in.xu, err = tables.Keep(ctx, in.xu, left, func(row int) bool { return row < len(complete) && complete[row] })
	return err
}

// result is a Result without estimates.
func (in *inputs) result(method string, p *problem.Problem) *Result {
	return &Result{
		Method: method, X: in.endogenous, Controls: notNil(in.controls), Instruments: in.instruments, Y: p.Y().Names(),
		DroppedXU: in.dropped, Assumptions: Assumed, Notes: notNil(p.Notes()), Warnings: []string{},
	}
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
