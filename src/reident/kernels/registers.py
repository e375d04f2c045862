"""How lanes are compiled: a type of as many words as a register holds, and functions on it.

Each function of kernels/lanes is written down as instructions on vectors, which the compiler turns
into those of the processor at hand.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from reident.kernels import config, lanes
from reident.kernels.lanes import LANES, WIDTH

WORD, BYTE, PLACE = ir.IntType(64), ir.IntType(8), ir.IntType(32)
VECTOR, LINE = ir.VectorType(WORD, WIDTH), ir.VectorType(WORD, LANES)
BYTES = ir.VectorType(BYTE, 8 * LANES)
ALIGNED = 8
"""Arrays begin at any word: no more may be taken for granted."""


TERNARY = WIDTH == LANES
"""Whether any function of three bits is one instruction here; other processors add in steps."""


class LanesType(types.Type):
    """The type of lanes inside compiled kernels."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES_TYPE = LanesType()


@register_model(LanesType)
class _Model(models.PrimitiveModel):
    """Lanes are held as one vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _operator(python: Any, instruction: str) -> None:
    """Let an operator of words do the same with lanes."""

    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            del kws
            if all(kind == LANES_TYPE for kind in args):
                return signature(LANES_TYPE, *args)
            return None

    infer_global(python)(Typing)
    number = 1 if python is operator.invert else 2

    @lower_builtin(python, *[LanesType] * number)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        del context, sig
        return getattr(builder, instruction)(*args)


for _python, _instruction in (
    (operator.and_, "and_"),
    (operator.iand, "and_"),
    (operator.or_, "or_"),
    (operator.ior, "or_"),
    (operator.add, "add"),
    (operator.iadd, "add"),
    (operator.xor, "xor"),
    (operator.ixor, "xor"),
    (operator.invert, "not_"),
):
    _operator(_python, _instruction)


def _place(context: Any, builder: Any, kind: Any, array: Any, at: Any, held: Any) -> Any:
    """Where words of an array begin that are held as one value."""
    words = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(words, [at]), held.as_pointer())


def _taken(context: Any, builder: Any, kind: Any, array: Any, at: Any, held: Any) -> Any:
    """Words of an array as one value."""
    taken = builder.load(_place(context, builder, kind, array, at, held))
    taken.align = ALIGNED
    return taken


def _call(builder: Any, name: str, answer: Any, *given: Any) -> Any:
    """What an instruction that the compiler knows by name makes of what is given."""
    kind = ir.FunctionType(answer, [one.type for one in given])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)


def _same(builder: Any, one: Any, kind: Any) -> Any:
    """A vector that has one number everywhere."""
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, one, PLACE(0))
    everywhere = ir.Constant(ir.VectorType(PLACE, kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, nothing, everywhere)


@intrinsic
def _load(typing: Any, words: Any, at: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _taken(context, builder, sig.args[0], args[0], args[1], VECTOR)

    del typing
    return LANES_TYPE(words, at), code


@intrinsic
def _store(typing: Any, words: Any, at: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _place(context, builder, sig.args[0], args[0], args[1], VECTOR)
        builder.store(args[2], place).align = ALIGNED
        return context.get_dummy_value()

    del typing
    return types.void(words, at, value), code


@intrinsic
def _fetch(typing: Any, numbers: Any, at: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        place = _place(context, builder, sig.args[0], args[0], args[1], BYTE)
        # To be read, soon and often; data, not code.
        _call(builder, "llvm.prefetch.p0", ir.VoidType(), place, PLACE(0), PLACE(3), PLACE(1))
        return context.get_dummy_value()

    del typing
    return types.void(numbers, at), code


@intrinsic
def _spread(typing: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        del context, sig
        return _same(builder, args[0], VECTOR)

    del typing, word
    return LANES_TYPE(types.uint64), code


@intrinsic
def _counted(typing: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        del context, sig
        return _call(builder, f"llvm.ctpop.v{WIDTH}i64", VECTOR, args[0])

    del typing
    return LANES_TYPE(value), code


@intrinsic
def _in_all(typing: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        del context, sig
        return _call(builder, f"llvm.vector.reduce.add.v{WIDTH}i64", WORD, args[0])

    del typing
    return types.int64(value), code


@intrinsic
def _filled(typing: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        del context, sig
        filled = builder.icmp_unsigned("!=", args[0], ir.Constant(VECTOR, None))
        return builder.zext(builder.bitcast(filled, ir.IntType(WIDTH)), WORD)

    del typing
    return types.uint64(value), code


@intrinsic
def _turn_bytes(typing: Any, words: Any, turned: Any, at: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        held = _taken(context, builder, sig.args[0], args[0], args[2], LINE)
        held = builder.bitcast(held, BYTES)
        order = [row * LANES + column for column in range(LANES) for row in range(LANES)]
        order = ir.Constant(ir.VectorType(PLACE, 8 * LANES), order)
        made = builder.bitcast(builder.shuffle_vector(held, held, order), LINE)
        place = _place(context, builder, sig.args[1], args[1], args[2], LINE)
        builder.store(made, place).align = ALIGNED
        return context.get_dummy_value()

    del typing
    return types.void(words, turned, at), code


def _of_three(table: int, steps: Any) -> Any:
    """What three bits give by a table of truth: one instruction where there is one, else steps."""

    @intrinsic
    def made(typing: Any, one: Any, two: Any, three: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            del context, sig
            if TERNARY:
                name = "llvm.x86.avx512.pternlog.q.512"
                return _call(builder, name, VECTOR, *args, PLACE(table))
            return steps(builder, *args)

        del typing
        return LANES_TYPE(one, two, three), code

    return made


def _odd_steps(builder: Any, one: Any, two: Any, three: Any) -> Any:
    return builder.xor(builder.xor(one, two), three)


def _majority_steps(builder: Any, one: Any, two: Any, three: Any) -> Any:
    either = builder.and_(three, builder.or_(one, two))
    return builder.or_(builder.and_(one, two), either)


def _told(sign: str, *, masked: bool = False) -> Any:
    """An instruction that compares 64 bytes with a value, or with nothing after a mask."""

    @intrinsic
    def told(typing: Any, column: Any, at: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            held = _taken(context, builder, sig.args[0], args[0], args[1], LINE)
            held = builder.bitcast(held, BYTES)
            other = _same(builder, builder.trunc(args[2], BYTE), BYTES)
            if masked:
                held, other = builder.and_(held, other), ir.Constant(BYTES, None)
            return builder.bitcast(builder.icmp_unsigned(sign, held, other), WORD)

        del typing, value
        return types.uint64(column, at, types.uint64), code

    return told


def _either(plain: Any, compiled: Any) -> Any:
    """What kernels call: the plain twin where they run as plain Python."""
    return plain if config.DISABLE_JIT else compiled


load = _either(lanes.load, _load)
fetch = _either(lanes.fetch, _fetch)
store = _either(lanes.store, _store)
spread = _either(lanes.spread, _spread)
counted = _either(lanes.counted, _counted)
in_all = _either(lanes.in_all, _in_all)
filled = _either(lanes.filled, _filled)
turn_bytes = _either(lanes.turn_bytes, _turn_bytes)
unlike = _either(lanes.unlike, _told("!="))
odd = _either(lanes.odd, _of_three(0x96, _odd_steps))
majority = _either(lanes.majority, _of_three(0xE8, _majority_steps))
at_least = _either(lanes.at_least, _told(">="))
sharing = _either(lanes.sharing, _told("!=", masked=True))
