package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayWrite reports why what is there could not be opened to write.
func mayWrite(path string) error { return os.NewSyscallError("access", unix.Access(path, unix.W_OK)) }

// mayReplace reports why another file could not take the place of one that is there, in a folder that new files can be
// made in: it is mounted by itself, as containers do with single files, or protected, or another user's in a folder
// like /tmp.
func mayReplace(path string) error {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BASIC_STATS, &s); err != nil {
		return nil // an old system: the end will tell
	}
	switch {
	case s.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0:
		return errors.New("the file is mounted by itself and cannot be replaced; name another")
	case s.Attributes&(unix.STATX_ATTR_IMMUTABLE|unix.STATX_ATTR_APPEND) != 0:
		return errors.New("the file is protected from changes (lsattr)")
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil || dir.Mode()&fs.ModeSticky == 0 {
		return nil
	}
	user := uint32(os.Geteuid())
	if owner, ok := dir.Sys().(*syscall.Stat_t); ok && user != 0 && user != s.Uid && user != owner.Uid {
		return errors.New("the file is another user's, in a folder where only its owner may replace it")
	}
	return nil
}
