package arrow

import (
	"errors"
	"fmt"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

// kindOf returns the kind of columns of a type, or says why there is none.
func kindOf(t arrow.DataType) (kind tables.Kind, refused string) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return kindOf(t.ValueType)
	case arrow.ExtensionType:
		return kindOf(t.StorageType())
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType, *arrow.BooleanType, *arrow.Date32Type, *arrow.Date64Type,
		*arrow.TimestampType, *arrow.Time32Type, *arrow.Time64Type:
		return tables.Text, ""
	case *arrow.NullType, *arrow.DurationType:
		return tables.Numeric, ""
	case arrow.DecimalType:
		return tables.Numeric, columnar.RefuseScale(int(t.GetScale()))
	case arrow.NestedType:
		return 0, fmt.Sprintf("is of type %s, want one value a row, or lists of numbers of one length", t)
	}
	if arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) {
		return tables.Numeric, ""
	}
	return 0, fmt.Sprintf("is of type %s, want numbers, text, truth values or dates", t)
}

// add decodes value i of an array to a column of its kind.
func add(to *columnar.Buffer, values arrow.Array, i int) error {
	if _, none := values.(*array.Null); none || values.IsNull(i) {
		to.Missing()
		return nil
	}
	switch a := values.(type) {
	case *array.Dictionary:
		return add(to, a.Dictionary(), a.GetValueIndex(i))
	case array.ExtensionArray:
		return add(to, a.Storage(), i)
	case *array.Float64:
		to.Number(a.Value(i))
	case *array.Float32:
		to.Number(float64(a.Value(i)))
	case *array.Float16:
		to.Number(columnar.Half(a.Value(i).Uint16()))
	case *array.Int8:
		to.Integer(int64(a.Value(i)))
	case *array.Int16:
		to.Integer(int64(a.Value(i)))
	case *array.Int32:
		to.Integer(int64(a.Value(i)))
	case *array.Int64:
		to.Integer(a.Value(i))
	case *array.Uint8:
		to.Unsigned(uint64(a.Value(i)))
	case *array.Uint16:
		to.Unsigned(uint64(a.Value(i)))
	case *array.Uint32:
		to.Unsigned(uint64(a.Value(i)))
	case *array.Uint64:
		to.Unsigned(a.Value(i))
	case *array.Boolean:
		to.Truth(a.Value(i))
	case *array.String:
		return text(to, a.Value(i))
	case *array.LargeString:
		return text(to, a.Value(i))
	case *array.StringView:
		return text(to, a.Value(i))
	default:
		return addTimeOrDecimal(to, values, i)
	}
	return nil
}

// addTimeOrDecimal is add for the types that it leaves.
func addTimeOrDecimal(to *columnar.Buffer, values arrow.Array, i int) error {
	switch a := values.(type) {
	case *array.Date32:
		to.Text(columnar.Date(int64(a.Value(i))))
	case *array.Date64:
		to.Text(columnar.Date(int64(a.Value(i).ToTime().Unix() / (24 * 60 * 60))))
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		to.Text(columnar.Timestamp(a.Value(i).ToTime(t.Unit), t.TimeZone != ""))
	case *array.Time32:
		to.Text(columnar.Clock(time.Duration(a.Value(i)) * a.DataType().(*arrow.Time32Type).Unit.Multiplier()))
	case *array.Time64:
		to.Text(columnar.Clock(time.Duration(a.Value(i)) * a.DataType().(*arrow.Time64Type).Unit.Multiplier()))
	case *array.Duration: // in seconds
		to.Number(float64(a.Value(i)) * a.DataType().(*arrow.DurationType).Unit.Multiplier().Seconds())
	case *array.Decimal32:
		return decimal(to, big.NewInt(int64(a.Value(i))), a.DataType())
	case *array.Decimal64:
		return decimal(to, big.NewInt(int64(a.Value(i))), a.DataType())
	case *array.Decimal128:
		return decimal(to, a.Value(i).BigInt(), a.DataType())
	case *array.Decimal256:
		return decimal(to, a.Value(i).BigInt(), a.DataType())
	default:
		return fmt.Errorf("is of type %s", values.DataType())
	}
	return nil
}

func text(to *columnar.Buffer, s string) error {
	if !utf8.ValidString(s) {
		return errors.New("is not UTF-8")
	}
	to.Text(string([]byte(s))) // that of the array is gone with its batch
	return nil
}

func decimal(to *columnar.Buffer, unscaled *big.Int, t arrow.DataType) error {
	return to.Numeral(columnar.Decimal(unscaled, int(t.(arrow.DecimalType).GetScale())))
}
