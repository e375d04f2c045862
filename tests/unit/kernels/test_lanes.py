"""Words at once: compiled they are what their plain twins are, however many a register holds."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import lanes, registers
from reident.kernels.lanes import LANES, WIDTH

seeds = st.integers(0, 2**32)
HERE = Path(__file__).parent
ON_LANES = ("lanes", "tally", "levels", "planes", "cellwise")
"""Kernels that work on lanes, or on what is laid out for them."""
AGAIN = "REIDENT_WIDTH"
"""Set where the tests are run by one of them."""
OF_WIDTH = f"""
    import os
    from reident.kernels import lanes

    lanes.WIDTH = int(os.environ["{AGAIN}"])

    from reident.kernels import registers, tally

    # The instruction is not to be had by making values wider: a wide one is then two registers.
    registers.TERNARY = registers.TERNARY and lanes.wide_registers()

    def pytest_terminal_summary(terminalreporter):
        words = tally.TALLY // (tally.TOP + 1)
        terminalreporter.write_line(f"digits of {{words}} words")
"""
"""A plugin of pytest: values are given another width before any kernel is laid out for them."""


@numba.njit
def moved(words, at, out, to):
    registers.store(out, to, registers.load(words, at))


@numba.njit
def combined(words, out):
    """Every operator and function of three numbers, written one after another."""
    a, b = registers.load(words, 0), registers.load(words, WIDTH)
    c = registers.load(words, 2 * WIDTH)
    registers.store(out, 0, a & b)
    registers.store(out, WIDTH, a | b)
    registers.store(out, 2 * WIDTH, a ^ b)
    registers.store(out, 3 * WIDTH, ~a)
    registers.store(out, 4 * WIDTH, registers.odd(a, b, c))
    registers.store(out, 5 * WIDTH, registers.majority(a, b, c))
    registers.store(out, 6 * WIDTH, registers.spread(words[3]))
    d = ~a
    d &= b
    d |= c
    d ^= a
    registers.store(out, 7 * WIDTH, d)
    e = registers.counted(a) + registers.counted(b)
    e += e
    return registers.in_all(e), registers.filled(a & b)


@numba.njit
def turned_over(words, out, at):
    registers.turn_bytes(words, out, at)


@numba.njit
def told(words, at, value):
    return (
        registers.unlike(words, at, value),
        registers.at_least(words, at, value),
        registers.sharing(words, at, value),
    )


@numba.njit
def asked_for(numbers, at):
    registers.fetch(numbers, at)


def words_of(seed, number):
    """Words of which some are empty and some are full."""
    draw = np.random.default_rng(seed)
    words = draw.integers(2**64, size=number, dtype=np.uint64)
    words[draw.random(number) < 0.2] = 0
    words[draw.random(number) < 0.2] = 2**64 - 1
    return words


@pytest.mark.parametrize("at", range(5))
def test_words_are_taken_from_anywhere_and_put_anywhere(at):
    words, to = words_of(at, 13), 4 - at
    expected = [7] * to + words[at : at + WIDTH].tolist() + [7] * (13 - to - WIDTH)
    out = np.full(13, 7, np.uint64)
    moved(words, at, out, to)
    assert out.tolist() == expected
    out[:] = 7
    lanes.store(out, np.uint64(to), lanes.load(words, np.uint64(at)))
    assert out.tolist() == expected


def test_what_is_taken_is_not_what_it_was_taken_from():
    words = words_of(1, 8)
    before = words.tolist()
    taken = lanes.load(words, 0)
    taken ^= ~taken
    assert words.tolist() == before


@settings(max_examples=60)
@given(seeds)
def test_words_of_a_value_are_worked_on_as_single_words_are(seed):
    words, out = words_of(seed, 3 * WIDTH), np.zeros(8 * WIDTH, np.uint64)
    count, filled = combined(words, out)
    rows = [[int(word) for word in row] for row in words.reshape(3, WIDTH)]
    a, b, c = rows
    every = 2**64 - 1
    expected = [
        [x & y for x, y in zip(a, b, strict=True)],
        [x | y for x, y in zip(a, b, strict=True)],
        [x ^ y for x, y in zip(a, b, strict=True)],
        [x ^ every for x in a],
        [x ^ y ^ z for x, y, z in zip(a, b, c, strict=True)],
        [(x & y) | (x & z) | (y & z) for x, y, z in zip(a, b, c, strict=True)],
        [a[3]] * WIDTH,
        [((x ^ every) & y | z) ^ x for x, y, z in zip(a, b, c, strict=True)],
    ]
    assert out.reshape(-1, WIDTH).tolist() == expected
    assert count == 2 * sum(x.bit_count() for x in [*a, *b])
    assert filled == sum(1 << i for i, x in enumerate(expected[0]) if x)


@settings(max_examples=60)
@given(seeds, st.integers(0, 5))
def test_eight_words_are_turned_over_into_the_same_place_of_another_array(seed, at):
    words = words_of(seed, 13)
    before = words.tolist()
    held = words[at : at + LANES].view(np.uint8).reshape(LANES, LANES)
    over = [int.from_bytes(bytes(column), "little") for column in held.T]
    for turn in (turned_over, lanes.turn_bytes):
        out = np.full(13, 7, np.uint64)
        turn(words, out, np.int64(at))
        assert out.tolist() == [7] * at + over + [7] * (13 - at - LANES)
        assert words.tolist() == before


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


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32, np.int64, np.uint64])
def test_what_is_asked_for_early_stays_as_it_is(kind):
    numbers = np.arange(15, dtype=kind).reshape(5, 3)
    for at in range(numbers.size):
        assert asked_for(numbers, at) is None
        assert lanes.fetch(numbers, np.uint64(at)) is None
    assert numbers.tolist() == np.arange(15).reshape(5, 3).tolist()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python does not wait for memory")
def test_to_ask_early_is_one_instruction():
    asked_for(np.arange(15), 3)
    for code in asked_for.inspect_llvm().values():
        assert re.search(r"call void @llvm\.prefetch\..*i32 0, i32 3, i32 1\)", code)


@settings(max_examples=20)
@given(seeds)
def test_without_an_instruction_for_three_numbers_steps_give_the_same(seed):
    a, b, c = words_of(seed, 24).reshape(3, 8)

    class Builder:
        """Instructions on whole numbers, as the compiler is told of them."""

        def __getattr__(self, name):
            return {
                "and_": np.bitwise_and, "or_": np.bitwise_or, "xor": np.bitwise_xor,
            }[name]  # fmt: skip

    steps = registers._odd_steps, registers._majority_steps  # not taken on each machine
    for made, plain in zip(steps, (lanes.odd, lanes.majority), strict=True):
        assert made(Builder(), a, b, c).tolist() == plain(a, b, c).tolist()


@pytest.mark.parametrize(
    ("name", "features", "vectors", "has", "wide"),
    [
        (None, None, True, {"avx512f": True}, True),
        (None, None, True, {"avx512f": False}, False),
        (None, None, True, {"neon": True}, False),
        (None, None, True, None, False),
        ("skylake-avx512", None, True, {"avx512f": True}, False),
        (None, "+avx512f", True, {"avx512f": True}, False),
        (None, None, False, {"avx512f": True}, False),
    ],
)
def test_registers_are_wide_where_this_processor_is_known_to_have_them(
    monkeypatch, name, features, vectors, has, wide
):
    def known():
        if has is None:
            raise RuntimeError
        return has

    monkeypatch.setattr(lanes, "get_host_cpu_features", known)
    monkeypatch.setattr(lanes.config, "CPU_NAME", name)
    monkeypatch.setattr(lanes.config, "CPU_FEATURES", features)
    monkeypatch.setattr(lanes.config, "ENABLE_AVX", vectors)
    assert lanes.wide_registers() is wide


def test_a_line_holds_whole_values():
    assert WIDTH in (4, 8)
    assert LANES % WIDTH == 0
    assert registers.VECTOR.count == WIDTH
    assert lanes.wide_registers() or not registers.TERNARY


def again(files, env):
    """What the tests of some kernels say, run in a session of their own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tests = [str(HERE / f"test_{file}.py") for file in files]
    done = subprocess.run(
        [*command, *tests], env=os.environ | env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif("NUMBA_CPU_NAME" in os.environ, reason="it is run by another test")
@pytest.mark.skipif(AGAIN in os.environ, reason="it is run by another test")
def test_a_processor_with_narrow_registers_gives_the_same(tmp_path):
    """The rest of this file, compiled for the least that any processor has."""
    said = again(["lanes"], {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(tmp_path)})
    skipped = 4 if numba.config.DISABLE_JIT else 3
    assert f"{27 - skipped} passed, {skipped} skipped" in said


@pytest.mark.skipif("NUMBA_CPU_NAME" in os.environ, reason="it is run by another test")
@pytest.mark.skipif(AGAIN in os.environ, reason="it is run by another test")
@pytest.mark.parametrize("width", [4, 8])
def test_values_of_each_width_give_the_same(tmp_path, width):
    """What stands on lanes, laid out for values that are not as wide as those of this machine."""
    if width == WIDTH and not numba.config.DISABLE_JIT:
        pytest.skip("so it is compiled here")
    (tmp_path / "of_width.py").write_text(textwrap.dedent(OF_WIDTH), encoding="utf-8")
    folders = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    said = again(
        ON_LANES,
        {
            AGAIN: str(width),
            "NUMBA_CACHE_DIR": str(tmp_path),
            "PYTEST_PLUGINS": "of_width",
            "PYTHONPATH": os.pathsep.join(folders),
        },
    )
    assert f"digits of {width} words" in said
