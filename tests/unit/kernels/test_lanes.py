"""Eight words at once: compiled they are what their plain twins are."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import lanes, registers
from reident.kernels.lanes import LANES

seeds = st.integers(0, 2**32)


@numba.njit
def loaded(words, at):
    value = registers.load(words, at)
    out = np.zeros(LANES, np.uint64)
    registers.store(out, 0, value)
    return out


@numba.njit
def combined(words, out):
    """Every operator and function of three numbers, written one after another."""
    a, b = registers.load(words, 0), registers.load(words, LANES)
    c = registers.load(words, 2 * LANES)
    registers.store(out, 0, a & b)
    registers.store(out, LANES, a | b)
    registers.store(out, 2 * LANES, a ^ b)
    registers.store(out, 3 * LANES, ~a)
    registers.store(out, 4 * LANES, registers.odd(a, b, c))
    registers.store(out, 5 * LANES, registers.majority(a, b, c))
    registers.store(out, 6 * LANES, registers.turn_bytes(a))
    registers.store(out, 7 * LANES, registers.spread(words[3]))
    d = ~a
    d &= b
    d |= c
    d ^= a
    registers.store(out, 8 * LANES, d)
    return registers.count(a), registers.filled(a & b)


@numba.njit
def told(words, at, value):
    return (
        registers.unlike(words, at, value),
        registers.at_least(words, at, value),
        registers.sharing(words, at, value),
    )


def words_of(seed, number):
    """Words of which some are empty and some are full."""
    draw = np.random.default_rng(seed)
    words = draw.integers(2**64, size=number, dtype=np.uint64)
    words[draw.random(number) < 0.2] = 0
    words[draw.random(number) < 0.2] = 2**64 - 1
    return words


@pytest.mark.parametrize("at", range(5))
def test_words_are_taken_from_anywhere(at):
    words = words_of(at, 13)
    assert loaded(words, at).tolist() == words[at : at + LANES].tolist()
    assert lanes.load(words, np.uint64(at)).tolist() == words[at : at + LANES].tolist()


def test_what_is_taken_is_not_what_it_was_taken_from():
    words = words_of(1, 8)
    taken = lanes.load(words, 0)
    taken ^= taken
    assert words.any()


@settings(max_examples=60)
@given(seeds)
def test_eight_words_are_worked_on_as_single_words_are(seed):
    words, out = words_of(seed, 24), np.zeros(9 * LANES, np.uint64)
    count, filled = combined(words, out)
    rows = [[int(word) for word in row] for row in words.reshape(3, LANES)]
    a, b, c = rows
    every, bytes_of = 2**64 - 1, np.array(a, np.uint64).view(np.uint8).reshape(LANES, LANES)
    expected = [
        [x & y for x, y in zip(a, b, strict=True)],
        [x | y for x, y in zip(a, b, strict=True)],
        [x ^ y for x, y in zip(a, b, strict=True)],
        [x ^ every for x in a],
        [x ^ y ^ z for x, y, z in zip(a, b, c, strict=True)],
        [(x & y) | (x & z) | (y & z) for x, y, z in zip(a, b, c, strict=True)],
        [int.from_bytes(bytes(column), "little") for column in bytes_of.T],
        [a[3]] * LANES,
        [((x ^ every) & y | z) ^ x for x, y, z in zip(a, b, c, strict=True)],
    ]
    assert out.reshape(-1, LANES).tolist() == expected
    assert count == sum(x.bit_count() for x in a)
    assert filled == sum(1 << i for i, x in enumerate(expected[0]) if x)


@settings(max_examples=60)
@given(seeds, st.integers(0, 255), st.integers(0, 5))
def test_bytes_are_compared_64_at_a_time(seed, value, at):
    draw = np.random.default_rng(seed)
    held = draw.choice([*draw.integers(256, size=6), value], size=13 * 8).astype(np.uint8)
    mine = held[at * 8 : at * 8 + 64].tolist()
    expected = [
        sum(1 << i for i, byte in enumerate(mine) if named(byte))
        for named in (lambda b: b != value, lambda b: b >= value, lambda b: b & value)
    ]
    assert [int(word) for word in told(held.view(np.uint64), at, value)] == expected


@settings(max_examples=20)
@given(seeds)
def test_without_an_instruction_for_three_numbers_steps_give_the_same(seed):
    a, b, c = words_of(seed, 24).reshape(3, LANES)

    class Builder:
        """Instructions on whole numbers, as the compiler is told of them."""

        def __getattr__(self, name):
            return {
                "and_": np.bitwise_and, "or_": np.bitwise_or, "xor": np.bitwise_xor,
            }[name]  # fmt: skip

    steps = registers._odd_steps, registers._majority_steps  # not taken on each machine
    for made, plain in zip(steps, (lanes.odd, lanes.majority), strict=True):
        assert made(Builder(), a, b, c).tolist() == plain(a, b, c).tolist()


@pytest.mark.skipif("NUMBA_CPU_NAME" in os.environ, reason="it is run by another test")
def test_a_processor_with_narrow_registers_gives_the_same(tmp_path):
    """The rest of this file, compiled for the least that any processor has."""
    env = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "9 passed, 1 skipped" in done.stdout
