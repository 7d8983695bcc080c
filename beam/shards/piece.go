package shards

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"mediant/moments"
	"mediant/problem"
)

// A piece is a part of sums: the total of a table in one fold and block, or the runs of a shard.
type piece struct {
	table       int // or ofRuns
	fold, block int
	// total is nil for runs, and where a worker has it from another one, which sent raw.
	total *moments.Total
	raw   []byte
}

const ofRuns = 2

// counts are the runs of a shard, as JSON.
type counts struct {
	Runs    []problem.Run `json:"runs"`
	Dropped int           `json:"dropped"`
}

// key is the one under which totals are added.
func (p piece) key() string {
	return fmt.Sprintf("%s/%d/%d", []string{"xu", "uy"}[p.table], p.fold, p.block)
}

// encodePiece is the coder of pieces: table, fold and block as varints, and then the total as package moments writes it, or counts.
func encodePiece(p piece) ([]byte, error) {
	var b bytes.Buffer
	for _, n := range []int{p.table, p.fold, p.block} {
		b.Write(binary.AppendUvarint(nil, uint64(n)))
	}
	if p.total == nil {
		b.Write(p.raw)
		return b.Bytes(), nil
	}
	_, err := p.total.WriteTo(&b)
	return b.Bytes(), err
}

func decodePiece(raw []byte) (piece, error) {
	var p piece
	for _, to := range []*int{&p.table, &p.fold, &p.block} {
		n, length := binary.Uvarint(raw)
		if length <= 0 {
			return piece{}, errors.New("shards: damaged piece of sums")
		}
		*to, raw = int(n), raw[length:]
	}
	p.raw = raw
	return p, nil
}

// of returns the total of a piece.
func (p piece) of(plan problem.Plan) (*moments.Total, error) {
	if p.total != nil {
		return p.total, nil
	}
	return moments.ReadTotal(bytes.NewReader(p.raw), plan.Grid(p.table))
}

// assemble puts pieces together, one of each fold and block.
func assemble(plan problem.Plan, pieces func(*piece) bool) (*problem.Sums, error) {
	var byFold [2][][]*moments.Total
	var runs []*problem.Sums
	var p piece
	for pieces(&p) {
		if p.table == ofRuns {
			var c counts
			if err := json.Unmarshal(p.raw, &c); err != nil {
				return nil, err
			}
			runs = append(runs, &problem.Sums{Plan: plan, Runs: c.Runs, Dropped: c.Dropped})
			continue
		}
		total, err := p.of(plan)
		if err != nil {
			return nil, err
		}
		of := &byFold[p.table]
		*of = longer(*of, p.fold)
		(*of)[p.fold] = longer((*of)[p.fold], p.block)
		(*of)[p.fold][p.block] = total
	}
	sums, err := problem.MergeSums(runs...)
	if err != nil {
		return nil, err
	}
	sums.XU, sums.UY = byFold[problem.TableXU], byFold[problem.TableUY]
	return sums, nil
}

// longer returns s with an element i, if need be with more of the zero value.
func longer[T any](s []T, i int) []T {
	for len(s) <= i {
		s = append(s, *new(T))
	}
	return s
}
