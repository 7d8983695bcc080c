package csv

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"mediant/internal/parallel"
)

const (
	// chunkBytes of text are parsed by one goroutine at a time: some milliseconds of work, which a few goroutines can share evenly.
	chunkBytes = 128 << 10
	// roundChunks are parsed side by side while the next ones are read: fewer where lines are long, or columns are many for the file. Of a compressed file packedChunks are
	// parsed as fast as they are decompressed.
	roundChunks, packedChunks = 16, 4
	roundBytes                = roundChunks * chunkBytes
)

// A chunk is text that begins with a record and ends behind one.
type chunk struct {
	text string
	line int // of the file, on which it begins
	end  int // the line on which the record before ends
}

// A cutter cuts text into chunks.
type cutter struct {
	text  *bufio.Reader
	comma []byte
	size  int    // of a chunk at least, in bytes
	most  int    // bytes of a record
	round int    // chunks at most that are parsed side by side
	line  int    // of the next one
	end   int    // the line on which the last record ends of those before it
	rest  []byte // what was read and is in no chunk yet
	err   error  // that ended the reading
}

// next returns the next chunk, or the error of reading, which is io.EOF at the end of the text. Text behind the last whole record before another error is
// lost.
func (c *cutter) next() (chunk, error) {
	for want := c.size; ; want = min(2*want, c.most) {
		c.read(want)
		n := recordsEnd(c.rest, c.comma, c.err == io.EOF)
		if n > 0 {
			cut := chunk{string(c.rest[:n]), c.line, c.end}
			c.line += bytes.Count(c.rest[:n], []byte{'\n'})
			if text := blankLines(c.rest[:n]); len(text) > 0 {
				c.end = c.line - 1 - bytes.Count(c.rest[len(text):n], []byte{'\n'})
			}
			c.rest = c.rest[:copy(c.rest, c.rest[n:])]
			return cut, nil
		}
		if c.err == nil && len(c.rest) >= c.most {
			c.err = errLong
		}
		if c.err != nil {
			return chunk{}, c.err
		}
	}
}

// errLong is of a record that is longer than the input allows, errWide of a header of more columns.
var errLong, errWide = errors.New("too long"), errors.New("too wide")

// A shortened reader ends with errLong after so many bytes, and with errWide after so many delimiters, before they are cells in memory.
type shortened struct {
	io.Reader
	left, cells int
	comma       []byte // of which none is counted before it is set
}

func (r *shortened) Read(p []byte) (int, error) {
	switch {
	case r.left == 0:
		return 0, errLong
	case r.cells < 0:
		return 0, errWide
	}
	n, err := r.Reader.Read(p[:min(len(p), r.left)])
	r.left -= n
	if len(r.comma) > 0 {
		r.cells -= bytes.Count(p[:n], r.comma)
	}
	return n, err
}

// read reads on until rest has so many bytes, or the text ends.
func (c *cutter) read(want int) {
	for len(c.rest) < want && c.err == nil {
		if cap(c.rest) < want {
			c.rest = append(make([]byte, 0, want), c.rest...)
		}
		n, err := c.text.Read(c.rest[len(c.rest):want])
		c.rest, c.err = c.rest[:len(c.rest)+n], err
	}
}

// nextRound returns the next chunks, in the memory of dst. None are left where it returns none.
func (c *cutter) nextRound(dst []chunk) []chunk {
	clear(dst) // of text that is parsed
	dst = dst[:0]
	for bytes := 0; len(dst) < c.round && bytes < roundBytes; {
		next, err := c.next()
		if err != nil {
			break
		}
		dst = append(dst, next)
		bytes += len(next.text)
	}
	return dst
}

// roundOf is how many chunks of a file of size bytes are parsed side by side, each of which has cells and findings of every column.
func roundOf(columns int, size int64, packed bool) int {
	const cellsBytes = 500
	most := roundChunks
	if packed {
		most = packedChunks
	}
	return max(1, min(most, int(size+16<<20)/cellsBytes/max(1, columns)))
}

// recordsEnd returns where the last record ends that is whole in text, which begins with a record; final says that nothing follows. A quote where CSV allows none
// ends the last chunk, since what parses it stops there.
func recordsEnd(text, comma []byte, final bool) int {
	if !final {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	end := 0
	for at := 0; ; { // at no place between quotes
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			return len(text)
		}
		quote += at
		if line := bytes.LastIndexByte(text[at:quote], '\n'); line >= 0 {
			end = at + line + 1
		}
		if quote > end && !bytes.HasSuffix(text[at:quote], comma) {
			return len(text)
		}
		closing := closingQuoteAt(text, quote+1)
		if closing < 0 && final {
			return len(text)
		}
		if closing < 0 {
			return end
		}
		at = closing + 1
		if behind := text[at:]; !bytes.HasPrefix(behind, comma) && !endsLine(behind) {
			return len(text)
		}
	}
}

// blankLines removes the blank lines at the end of text that ends with a line.
func blankLines(text []byte) []byte {
	for {
		line := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\r'})
		if len(line) > 0 && line[len(line)-1] != '\n' {
			return text
		}
		if len(line) == 0 {
			return nil
		}
		text = line
	}
}

// closingQuoteAt returns where the quotes end that began before at, -1 if they do not.
func closingQuoteAt[T string | []byte](text T, at int) int {
	for ; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		if at+1 == len(text) || text[at+1] != '"' {
			return at
		}
		at++
	}
	return -1
}

// endsLine reports whether a line ends before the text, as LF or CR LF or because nothing follows, or CR alone.
func endsLine[T string | []byte](text T) bool {
	if len(text) > 0 && text[0] == '\r' {
		text = text[1:]
	}
	return len(text) == 0 || text[0] == '\n'
}

// eachChunk parses the chunks that are left of a file, several at a time, and passes on what has become of them, in the order of the file. What parse returns may
// not depend on other chunks; its result is reused. The error is that of use, or of reading.
func eachChunk[T any](r *recordReader, parse func(chunk, *T), use func(*T) error) error {
	var results [roundChunks]T
	var ahead []chunk
	for now := r.cut.nextRound(nil); len(now) > 0; now, ahead = ahead, now {
		parallel.Blocks(len(now)+1, 1, func(i, _ int) {
			if i == 0 {
				ahead = r.cut.nextRound(ahead)
				return
			}
			parse(now[i-1], &results[i-1])
		})
		for i := range now {
			if err := use(&results[i]); err != nil {
				return err
			}
		}
	}
	if r.cut.err != io.EOF {
		return r.readError(r.cut.err)
	}
	return nil
}
