# cython: language_level=3
"""Memory allocation and loading of shared libraries by the C library, for the whole process."""

cdef extern from *:
    """
    #include <stdlib.h>
    #if defined(__GLIBC__)
    #include <malloc.h>
    static void keep_up_to(int bytes) {
        mallopt(M_MMAP_THRESHOLD, bytes);
        mallopt(M_TRIM_THRESHOLD, 4 * bytes);
    }
    #else
    static void keep_up_to(int bytes) { (void) bytes; }
    #endif
    #if defined(_WIN32)
    static void open_library(const char *path) { (void) path; }
    #else
    #include <dlfcn.h>
    static void open_library(const char *path) { (void) dlopen(path, RTLD_NOW | RTLD_LOCAL); }
    #endif
    """
    void keep_up_to(int size)
    void open_library(const char* path) nogil


def keep_freed_blocks(int size):
    """Let the process keep freed memory for later use, instead of returning it to the system immediately.

    The pieces of large files need blocks of the same sizes again and again, and the system clears each page that it
    hands out. Has an effect with glibc only.

    Args:
        size: the largest blocks that are kept, in bytes; four times as much is kept in all.
    """
    keep_up_to(size)


def load_library(bytes path):
    """Load a shared library before the import that needs it, without holding Python's global lock.

    If it cannot be loaded, nothing happens; the import will report the error.

    Args:
        path: its path.
    """
    cdef const char* name = path
    with nogil:
        open_library(name)
