# cython: language_level=3
"""Memory allocation and loading of shared libraries by the C library, for the whole process."""

cdef extern from *:
    """
    #include <stdlib.h>
    #if defined(__GLIBC__)
    #include <malloc.h>
    #include <stdint.h>
    #include <sys/mman.h>
    #include <unistd.h>
    static void use_large_pages(uintptr_t start, uintptr_t end) {
        const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
        start = (start + page - 1) / page * page;
        if (start < end) (void) madvise((void *) start, end - start, MADV_HUGEPAGE);
    }
    static void reserve(int bytes) {
        void *first;
        mallopt(M_ARENA_MAX, 1);
        mallopt(M_MMAP_THRESHOLD, bytes);
        mallopt(M_TRIM_THRESHOLD, 4 * bytes);
        mallopt(M_TOP_PAD, 2 * bytes);
        first = malloc((size_t) bytes / 2);
        if (first != NULL) use_large_pages((uintptr_t) first, (uintptr_t) sbrk(0));
        free(first);
    }
    #else
    static void reserve(int bytes) { (void) bytes; }
    #endif
    #if defined(_WIN32)
    static void open_library(const char *path) { (void) path; }
    #else
    #include <dlfcn.h>
    static void open_library(const char *path) { (void) dlopen(path, RTLD_NOW | RTLD_LOCAL); }
    #endif
    """
    void reserve(int size)
    void open_library(const char* path) nogil


def reserve_memory(int size):
    """Let the process take memory from the system in a few large blocks, and keep what it frees.

    The pieces of large files need blocks of the same sizes again and again, and the system clears each page that it
    hands out; large pages make this faster, and one arena lets threads use each other's blocks. A page needs memory
    only when it is first used. Has an effect with glibc only. Blocks of up to `size` bytes are kept, four times as much
    in all.
    """
    reserve(size)


def load_library(bytes path):
    """Load a shared library before the import that needs it, without Python's lock; the import will report errors."""
    cdef const char* name = path
    with nogil:
        open_library(name)
