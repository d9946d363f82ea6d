# cython: language_level=3
"""How the C library hands out memory."""

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
    """
    void keep_up_to(int size)


def keep_freed_blocks(int size):
    """Let the process keep freed memory for what it needs next, instead of giving it back to the system at once.

    The pieces of large files need blocks of the same sizes again and again, and the system clears each page that it
    hands out. Has an effect with glibc only.

    Args:
        size: the largest blocks that are kept, in bytes; four times as much is kept in all.
    """
    keep_up_to(size)
