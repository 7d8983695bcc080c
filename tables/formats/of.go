package formats

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"mediant/internal/input"
	"mediant/tables/arrow"
)

// headBytes of a file tell its format.
const headBytes = 512

// endings are formats by the name of the file, for those whose first bytes do not tell: an Arrow stream begins with a length.
var endings = map[string]Format{".arrows": Arrow, ".jsonl": JSONL, ".ndjson": JSONL}

// of finds the format by content first and by the ending of the name second. What is none of the others is CSV, which refuses what it is not.
func of(ctx context.Context, in input.File) (Format, error) {
	head := make([]byte, headBytes)
	n, err := in.File.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("%s: %w", in.Name, err)
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return Parquet, nil
	case bytes.HasPrefix(head, []byte(arrow.Magic)), isStream(head):
		return Arrow, nil
	case bytes.HasPrefix(head, []byte("\x93NUMPY")), isNPZ(head):
		return NPY, nil
	}
	text, _, err := in.Text(ctx, 0)
	if err != nil {
		return "", err
	}
	head, err = text.Peek(headBytes)
	if err != nil && err != io.EOF {
		return CSV, nil // which says what is wrong with it
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if bytes.HasPrefix(head, []byte("{")) && bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t\r\n"), []byte(`"`)) && bytes.Contains(head, []byte(":")) {
		return JSONL, nil
	}
	name := strings.TrimSuffix(strings.TrimSuffix(in.Name, ".gz"), ".zst")
	for ending, format := range endings {
		if strings.HasSuffix(name, ending) {
			return format, nil
		}
	}
	return CSV, nil
}

// isStream reports how an Arrow stream begins: ones, and the length of the message with the schema, which is a multiple of 8.
func isStream(head []byte) bool {
	if len(head) < 8 || binary.LittleEndian.Uint32(head) != 0xffffffff {
		return false
	}
	n := binary.LittleEndian.Uint32(head[4:])
	return n > 0 && n%8 == 0
}

// isNPZ reports an archive whose first file is an array.
func isNPZ(head []byte) bool {
	const nameLength, name = 26, 30 // in the header of a file in a zip archive
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) || len(head) < name {
		return false
	}
	end := name + int(binary.LittleEndian.Uint16(head[nameLength:]))
	return end <= len(head) && bytes.HasSuffix(head[name:end], []byte(".npy"))
}
