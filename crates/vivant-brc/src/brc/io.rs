//! `Read`, `Write` and `Seek` for files: a shared reference to a file can read and write.
//!
//! Only for files, as std has it for `Arc`. `&[u8]` can read too, but it would read from a copy of
//! itself, and so never advance.

use super::Brc;
use std::fmt;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, SeekFrom, Write};

impl Read for Brc<File> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&**self).read(buffer)
    }

    fn read_vectored(&mut self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        (&**self).read_vectored(buffers)
    }

    fn read_to_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        (&**self).read_to_end(buffer)
    }

    fn read_to_string(&mut self, buffer: &mut String) -> io::Result<usize> {
        (&**self).read_to_string(buffer)
    }

    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        (&**self).read_exact(buffer)
    }
}

impl Write for Brc<File> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        (&**self).write(buffer)
    }

    fn write_vectored(&mut self, buffers: &[IoSlice<'_>]) -> io::Result<usize> {
        (&**self).write_vectored(buffers)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&**self).flush()
    }

    fn write_all(&mut self, buffer: &[u8]) -> io::Result<()> {
        (&**self).write_all(buffer)
    }

    fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) -> io::Result<()> {
        (&**self).write_fmt(arguments)
    }
}

impl Seek for Brc<File> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        (&**self).seek(position)
    }

    fn rewind(&mut self) -> io::Result<()> {
        (&**self).rewind()
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        (&**self).stream_position()
    }

    fn seek_relative(&mut self, offset: i64) -> io::Result<()> {
        (&**self).seek_relative(offset)
    }
}

#[cfg(unix)]
mod unix {
    use super::Brc;
    use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

    impl<T: ?Sized + AsFd> AsFd for Brc<T> {
        fn as_fd(&self) -> BorrowedFd<'_> {
            (**self).as_fd()
        }
    }

    impl<T: AsRawFd> AsRawFd for Brc<T> {
        fn as_raw_fd(&self) -> RawFd {
            (**self).as_raw_fd()
        }
    }
}

#[cfg(windows)]
mod windows {
    use super::Brc;
    use std::os::windows::io::{AsHandle, AsSocket, BorrowedHandle, BorrowedSocket};

    impl<T: ?Sized + AsHandle> AsHandle for Brc<T> {
        fn as_handle(&self) -> BorrowedHandle<'_> {
            (**self).as_handle()
        }
    }

    impl<T: AsSocket> AsSocket for Brc<T> {
        fn as_socket(&self) -> BorrowedSocket<'_> {
            (**self).as_socket()
        }
    }
}
