# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, infer_types=True
"""The lines of ARPA files: numbers with up to twelve decimals, words between them."""

import cython
import numpy as np

from levelhead.kernels.bounds import check_range, check_sizes

Size = cython.typedef(cython.Py_ssize_t)
ConstLongs = cython.typedef(cython.const[cython.longlong][::1])
ConstBytes = cython.typedef(cython.const[cython.uchar][::1])
Bytes = cython.typedef(cython.uchar[::1])

DECIMALS = 12
_LARGEST = 9_000_000_000_000_000


def lines(
    pool: ConstBytes,
    offsets: ConstLongs,
    words: cython.const[cython.int][:, ::1],
    logs: ConstLongs,
    backoffs: ConstLongs,
    with_backoffs: cython.bint,
):
    """Return the n-grams of one order, one per line: log-probability, words, and optionally back-off weight."""
    check_sizes(words=words, logs=logs, backoffs=backoffs)
    check_range("offsets", offsets, 0, pool.shape[0])
    check_range("words", words, 0, offsets.shape[0] - 2)
    check_range("logs", logs, -_LARGEST, _LARGEST)
    check_range("backoffs", backoffs, -_LARGEST, _LARGEST)
    lengths = np.diff(np.asarray(offsets))
    check_range("lengths of words", lengths, 1, pool.shape[0])
    n_words: Size = words.shape[1]
    of_words = int(lengths[np.asarray(words)].sum())  # including separators
    out: Bytes = memoryview(
        np.empty(of_words + 40 * words.shape[0], dtype=np.uint8)
    )  # numbers have up to 18 characters
    at: Size = 0
    with cython.nogil:
        for i in range(words.shape[0]):
            at = write_number(out, at, logs[i])
            for j in range(n_words):
                out[at] = 32 if j else 9
                at += 1
                for k in range(offsets[words[i, j]], offsets[words[i, j] + 1] - 1):
                    out[at] = pool[k]
                    at += 1
            if with_backoffs:
                out[at] = 9
                at = write_number(out, at + 1, backoffs[i])
            out[at] = 10
            at += 1
    return np.asarray(out)[:at].tobytes()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_number(out: Bytes, at: Size, number: cython.longlong) -> Size:
    """Write a number of units as a decimal number without trailing zeros, and return its end."""
    n_digits: cython.int = 1
    bound: cython.longlong = 10
    last: Size = 0  # the last digit that is not 0
    if number < 0:
        out[at] = 45
        at += 1
        number = -number
    whole = number // 1_000_000 // 1_000_000  # in two steps, since larger constants are not valid in C
    rest = number - whole * 1_000_000 * 1_000_000
    while whole >= bound:
        bound *= 10
        n_digits += 1
    for k in range(at + n_digits - 1, at - 1, -1):
        out[k] = 48 + whole % 10
        whole //= 10
    at += n_digits
    if rest == 0:
        return at
    out[at] = 46
    for k in range(at + 12, at, -1):
        digit = rest % 10
        rest //= 10
        out[k] = 48 + digit
        if digit > 0 and last == 0:
            last = k
    return last + 1
