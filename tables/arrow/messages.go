package arrow

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
)

// slot is where a table says where its member number n is.
func slot(n int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*n) }

// Kinds of messages.
const (
	dictionaryBatch = 2
	recordBatch     = 3
)

const zstdCodec = 1 // of BodyCompression

// batch checks the counts of metadata and of buffers of columns of views in a message (Message.fbs), and the windows of compressed ones, which the library makes room for. Its body
// begins at a place of the file.
func (f *file) batch(v *verifier, message flatbuffers.Table, body int64) error {
	if _, _, err := v.vector(message, 4, flatbuffers.SizeUOffsetT); err != nil { // metadata of the message itself
		return err
	}
	kind := message.GetByteSlot(slot(1), 0)
	if kind != dictionaryBatch && kind != recordBatch {
		return nil
	}
	batch, ok := inner(message, 2)
	if ok && kind == dictionaryBatch {
		batch, ok = inner(batch, 1)
	}
	if !ok {
		return errDamaged
	}
	first, buffers, err := v.vector(batch, 2, bufferBytes)
	if err != nil {
		return err
	}
	if c, ok := inner(batch, 3); ok && c.GetByteSlot(slot(0), 0) == zstdCodec {
		for i := range buffers {
			if err := f.window(body + batch.GetInt64(first+flatbuffers.UOffsetT(i*bufferBytes))); err != nil {
				return err
			}
		}
	}
	start, n, err := v.vector(batch, 4, 8)
	if err != nil {
		return err
	}
	for i := range n {
		if count := batch.GetInt64(start + flatbuffers.UOffsetT(8*i)); count < 0 || count > int64(buffers) {
			return errDamaged
		}
	}
	return nil
}

const bufferBytes = 16 // offset and length

// window checks what a buffer compressed with zstd claims, behind its length.
func (f *file) window(at int64) error {
	const most = 8 << 20 // of the levels that are in use
	var head [8 + zstd.HeaderMaxSize]byte
	n, _ := f.in.ReadAt(head[:], max(0, at))
	var h zstd.Header
	length := int64(binary.LittleEndian.Uint64(head[:]))
	if length < 0 || h.Decode(head[:max(8, n)][8:]) != nil { // not compressed after all, or for the library to refuse
		return nil
	}
	if h.WindowSize > max(most, uint64(length)) {
		return errDamaged
	}
	return nil
}

// message reads the metadata of a message, n bytes at a place of the file.
func (f *file) message(at, n int64) (flatbuffers.Table, error) {
	if at < 0 || n < 2*flatbuffers.SizeUOffsetT || n > f.in.Size-at {
		return flatbuffers.Table{}, errDamaged
	}
	data := make([]byte, n)
	_, err := io.ReadFull(io.NewSectionReader(f.in, at, n), data)
	return root(data), err
}

// prefix is the length of what stands in front of the metadata of a message: ones, but in old versions, and their length.
func (f *file) prefix(at int64) (bytes, n int64) {
	var words [8]byte
	f.in.ReadAt(words[:], at)
	if string(words[:4]) == ones {
		return 8, int64(binary.LittleEndian.Uint32(words[4:]))
	}
	return 4, int64(binary.LittleEndian.Uint32(words[:]))
}

// verifyBlocks checks the messages that a vector of blocks in the footer of a file names.
func (f *file) verifyBlocks(v *verifier, footer flatbuffers.Table, number int) error {
	const blockBytes, lengthAt = 24, 8
	start, n, err := v.vector(footer, number, blockBytes)
	if err != nil {
		return err
	}
	for i := range n {
		block := start + flatbuffers.UOffsetT(i*blockBytes)
		at, length := footer.GetInt64(block), int64(footer.GetInt32(block+lengthAt))
		before, _ := f.prefix(at)
		m, err := f.message(at+before, length-before)
		if err == nil {
			err = f.batch(v, m, at+length)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// verifyStream checks the messages of a stream, as far as they go: reading says where it is cut.
func (f *file) verifyStream(v *verifier) error {
	for at := int64(0); at < f.in.Size; {
		before, n := f.prefix(at)
		if at += before; n == 0 || n > f.in.Size-at {
			return nil
		}
		m, err := f.message(at, n)
		if err == nil {
			err = f.batch(v, m, at+n)
		}
		if err != nil {
			return err
		}
		body := m.GetInt64Slot(slot(3), 0)
		if at += n; body < 0 || body > f.in.Size-at {
			return nil
		}
		at += body
	}
	return nil
}
