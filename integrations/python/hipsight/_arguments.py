"""What a kernel is given: Python's numbers and arrays into the bytes that it takes."""

import math
import re
import struct

from . import _hipsight
from ._error import usage

# Of the types of parameters, as demanglers write them: DLPack's kind of number, and struct's letter.
INT, UINT, FLOAT, BFLOAT, BOOL = 0, 1, 2, 4, 6
TYPES = {
    "bool": (BOOL, 8, "?"),
    "char": (INT, 8, "b"), "signed char": (INT, 8, "b"), "unsigned char": (UINT, 8, "B"),
    "short": (INT, 16, "h"), "unsigned short": (UINT, 16, "H"),
    "int": (INT, 32, "i"), "unsigned int": (UINT, 32, "I"),
    "long": (INT, 64, "q"), "unsigned long": (UINT, 64, "Q"),
    "long long": (INT, 64, "q"), "unsigned long long": (UINT, 64, "Q"),
    "_Float16": (FLOAT, 16, "e"), "half": (FLOAT, 16, "e"), "__half": (FLOAT, 16, "e"),
    "float": (FLOAT, 32, "f"), "double": (FLOAT, 64, "d"),
    "__bf16": (BFLOAT, 16, ""), "std::bfloat16_t": (BFLOAT, 16, ""), "__hip_bfloat16": (BFLOAT, 16, ""),
    "hip_bfloat16": (BFLOAT, 16, ""),
}
NAMES = {INT: "int", UINT: "uint", FLOAT: "float", BFLOAT: "bfloat", BOOL: "bool"}
WORDS = re.compile(r"\b(?:const|volatile|__restrict__|restrict|__restrict)\b")


def parameter_types(title):
    """The types of a kernel's parameters by its demangled name; none for a name of C, which has none."""
    name = title.split(" [clone")[0]
    if not name.endswith(")"):
        return []
    depth, types, end = 0, [], len(name) - 1
    for at in range(len(name) - 1, -1, -1):
        depth += (name[at] in ")>]") - (name[at] in "(<[")
        if depth == 0 or (depth == 1 and name[at] == ","):
            types.insert(0, name[at + 1:end])
            end = at
        if depth == 0:
            break
    return [" ".join(WORDS.sub("", one).split()) for one in types]


class Packed:
    """Arguments as bytes, the host memory that they point to, and what keeps it."""

    def __init__(self):
        self.bytes, self.ranges, self.kept = [], [], []

    def lend(self, array, what):
        """Where an array's first element lies, and its type. Kernels may reach all that it spans."""
        address, span, kind, bits = described(array, what)
        self.ranges.append(span)
        self.kept.append(array)
        return address, kind, bits


def pack(facts, values, memory=()):
    """What a launch of a kernel with these values takes."""
    types = parameter_types(facts.title)
    wanted = facts.arguments
    if len(values) != len(wanted):
        raise usage(facts.title, f"{facts.title} takes {len(wanted)} arguments, not {len(values)}")
    if len(types) != len(wanted):
        types = [""] * len(wanted)
    packed = Packed()
    for number, (value, argument, kind) in enumerate(zip(values, wanted, types), 1):
        what = f"argument {number}" + (f" '{argument.name}'" if argument.name else "") + f" of {facts.title}"
        packed.bytes.append(one(packed, value, argument, kind, what))
    for number, array in enumerate(memory, 1):
        packed.lend(array, f"memory {number} of {facts.title}")
    return packed


def one(packed, value, argument, kind, what):
    if isinstance(value, (bytes, bytearray)):
        if len(value) != argument.bytes:
            raise usage(what, f"{what} takes {argument.bytes} bytes, not {len(value)}")
        return bytes(value)
    if not is_scalar(value):
        if argument.bytes != 8 or (kind and not kind.endswith("*")):
            raise usage(what, f"{what} takes a number{of_type(kind)}, not an array")
        address, *given = packed.lend(value, what)
        check_elements(kind.removesuffix("*").strip(), *given, what)
        return struct.pack("Q", address)
    if argument.is_buffer or kind.endswith("*"):
        if value is not None and not hasattr(value, "__index__"):
            raise usage(what, f"{what} takes an array{of_type(kind)}, an address or None, not {value!r}")
        return struct.pack("Q", 0 if value is None else int(value) % (1 << 64))
    if value is None:
        raise usage(what, f"{what} takes a number{of_type(kind)}, not None")
    return number_bytes(value, argument.bytes, kind, what)


def is_scalar(value):
    return value is None or isinstance(value, (bool, int, float)) or is_numpy_scalar(value)


def is_numpy_scalar(value):
    return hasattr(value, "item") and hasattr(value, "nbytes") and not hasattr(value, "__dlpack__")


def number_bytes(value, size, kind, what):
    if kind in TYPES:
        code, bits, letter = TYPES[kind]
    elif is_numpy_scalar(value) and value.nbytes == size:
        return value.tobytes()
    else:  # the name does not say: by what the number is
        code, bits = (FLOAT if isinstance(float_or_int(value), float) else INT), 8 * size
        letter = {(FLOAT, 16): "e", (FLOAT, 32): "f", (FLOAT, 64): "d",
                  (INT, 8): "b", (INT, 16): "h", (INT, 32): "i", (INT, 64): "q"}.get((code, bits))
        if letter is None or kind:
            raise usage(what, f"{what} takes {size} bytes{of_type(kind)}: give them as bytes, not {value!r}")
        if code == INT and value >= 1 << (bits - 1):
            letter = letter.upper()
    number = float_or_int(value)
    if code in (INT, UINT, BOOL) and isinstance(number, float):
        if not number.is_integer():
            raise usage(what, f"{what} takes a whole number{of_type(kind)}, not {value!r}")
        number = int(number)
    if code == BFLOAT:
        return bfloat16(float(number))
    try:
        return struct.pack(letter, number)
    except (struct.error, OverflowError):
        raise usage(what, f"{what} takes a number{of_type(kind)}: {value!r} is out of its range") from None


def float_or_int(value):
    return value.item() if hasattr(value, "item") else value


def bfloat16(value):
    """The upper half of an f32, rounded to even."""
    if math.isnan(value):
        return struct.pack("H", 0x7fc0)
    bits, = struct.unpack("I", struct.pack("f", value))
    return struct.pack("H", bits + 0x7fff + (bits >> 16 & 1) >> 16)


def of_type(kind):
    return f" ({kind})" if kind else ""


def described(array, what):
    if hasattr(array, "detach"):  # torch gives a tensor that needs a gradient to nobody
        array = array.detach()
    elif not hasattr(array, "__dlpack__"):
        array = buffer(array, what)
    device = getattr(array, "device", None)
    try:
        return _hipsight.describe(array)
    except TypeError:
        pass
    if device is not None and str(device) != "cpu":
        raise usage(what, f"{what} is on {device}: kernels take arrays in the host's memory")
    if getattr(getattr(array, "flags", None), "writeable", True) is False:
        raise usage(what, f"{what} is a read-only array, which a kernel may write: give it a copy")
    raise usage(what, f"{what}: an array of {getattr(array, 'dtype', 'that type')} is none that kernels take")


def buffer(value, what):
    """The bytes of what is no array but has memory."""
    try:
        view = memoryview(value).cast("B")
    except TypeError:
        raise usage(what, f"{what} takes a number, an array (NumPy's, torch's, or another with DLPack), bytes or None, "
                    f"not {type(value).__name__}") from None
    if view.readonly:
        raise usage(what, f"{what} is read-only memory, which a kernel may write: give it a copy")
    return view


def check_elements(kind, code, bits, what):
    """Whether an array's elements are what the parameter points to, where its type says so; bytes are all types'."""
    if kind not in TYPES or (code, bits) == (UINT, 8):
        return
    wanted, size, _ = TYPES[kind]
    whole = (INT, UINT)
    if size == bits and (wanted == code or (wanted in whole and code in whole)):
        return
    raise usage(what, f"{what} points to {kind}: it takes an array of {NAMES[wanted]}{size}, "
                f"not of {NAMES.get(code, '?')}{bits}")
