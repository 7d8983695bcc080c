package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

// A decoder adds a value that is not null to a column.
type decoder func(to *columnar.Buffer, v parquet.Value) error

// decoderOf returns the decoder of a type and the kind of its columns, or says why there is none.
func decoderOf(t parquet.Type) (d decoder, kind tables.Kind, refused string) {
	var logical format.LogicalTypeValue
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.DecimalType:
		return decimal(int(l.Scale), t.Kind()), tables.Numeric, columnar.RefuseScale(int(l.Scale))
	case *format.DateType:
		return func(to *columnar.Buffer, v parquet.Value) error {
			to.Text(columnar.Date(int64(v.Int32())))
			return nil
		}, tables.Text, ""
	case *format.TimestampType:
		return timestamp(l.Unit.Value, l.IsAdjustedToUTC), tables.Text, ""
	case *format.TimeType:
		return clock(l.Unit.Value, t.Kind()), tables.Text, ""
	case *format.UUIDType:
		return func(to *columnar.Buffer, v parquet.Value) error {
			b := v.ByteArray()
			to.Text(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16]))
			return nil
		}, tables.Text, ""
	case *format.Float16Type:
		return func(to *columnar.Buffer, v parquet.Value) error {
			to.Number(columnar.Half(binary.LittleEndian.Uint16(v.ByteArray())))
			return nil
		}, tables.Numeric, ""
	case *format.IntType:
		if !l.IsSigned {
			return unsigned(t.Kind()), tables.Numeric, ""
		}
	case nil, *format.StringType, *format.EnumType, *format.JsonType, *format.NullType:
	default:
		return nil, 0, fmt.Sprintf("is of type %s, want numbers, text, truth values or dates", t)
	}
	return physical(t)
}

// physical is decoderOf for types that are what they are stored as.
func physical(t parquet.Type) (d decoder, kind tables.Kind, refused string) {
	switch t.Kind() {
	case parquet.Boolean:
		return func(to *columnar.Buffer, v parquet.Value) error { to.Truth(v.Boolean()); return nil }, tables.Text, ""
	case parquet.Int32:
		return func(to *columnar.Buffer, v parquet.Value) error { to.Integer(int64(v.Int32())); return nil }, tables.Numeric, ""
	case parquet.Int64:
		return func(to *columnar.Buffer, v parquet.Value) error { to.Integer(v.Int64()); return nil }, tables.Numeric, ""
	case parquet.Int96:
		return legacyTimestamp, tables.Text, ""
	case parquet.Float:
		return func(to *columnar.Buffer, v parquet.Value) error { to.Number(float64(v.Float())); return nil }, tables.Numeric, ""
	case parquet.Double:
		return func(to *columnar.Buffer, v parquet.Value) error { to.Number(v.Double()); return nil }, tables.Numeric, ""
	case parquet.ByteArray:
		return text, tables.Text, ""
	}
	return nil, 0, fmt.Sprintf("is of type %s, want numbers, text, truth values or dates", t)
}

func text(to *columnar.Buffer, v parquet.Value) error {
	if !utf8.Valid(v.ByteArray()) {
		return errors.New("is not UTF-8; leave the column unused: Options.Ignore")
	}
	to.Text(string(v.ByteArray()))
	return nil
}

func unsigned(k parquet.Kind) decoder {
	if k == parquet.Int32 {
		return func(to *columnar.Buffer, v parquet.Value) error { to.Unsigned(uint64(v.Uint32())); return nil }
	}
	return func(to *columnar.Buffer, v parquet.Value) error { to.Unsigned(v.Uint64()); return nil }
}

// decimal decodes numbers of fixed scale, whole numbers of a power of ten.
func decimal(scale int, k parquet.Kind) decoder {
	return func(to *columnar.Buffer, v parquet.Value) error {
		unscaled := new(big.Int)
		switch k {
		case parquet.Int32:
			unscaled.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			unscaled.SetInt64(v.Int64())
		default: // two's complement, the highest byte first
			b := v.ByteArray()
			unscaled.SetBytes(b)
			if len(b) > 0 && b[0] >= 128 {
				unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		return to.Numeral(columnar.Decimal(unscaled, scale))
	}
}

func timestamp(unit format.TimeUnitValue, utc bool) decoder {
	return func(to *columnar.Buffer, v parquet.Value) error {
		var t time.Time
		switch unit.(type) {
		case *format.MilliSeconds:
			t = time.UnixMilli(v.Int64())
		case *format.MicroSeconds:
			t = time.UnixMicro(v.Int64())
		default:
			t = time.Unix(0, v.Int64())
		}
		to.Text(columnar.Timestamp(t, utc))
		return nil
	}
}

func clock(unit format.TimeUnitValue, k parquet.Kind) decoder {
	return func(to *columnar.Buffer, v parquet.Value) error {
		n := v.Int64()
		if k == parquet.Int32 {
			n = int64(v.Int32())
		}
		to.Text(columnar.Clock(time.Duration(n) * unit.Duration()))
		return nil
	}
}

// julianEpoch is 1970-01-01 in Julian days.
const julianEpoch = 2440588

// legacyTimestamp decodes nanoseconds of a Julian day.
func legacyTimestamp(to *columnar.Buffer, v parquet.Value) error {
	i := v.Int96()
	nanos := int64(i[1])<<32 | int64(i[0])
	to.Text(columnar.Timestamp(time.Unix((int64(i[2])-julianEpoch)*24*60*60, nanos), false))
	return nil
}
