"""Random kernels in the words of language.h: the same text for every GPU and for the host.

Nothing in them is undefined or left open by C++ or IEEE 754, so all must leave the same bits. A
kernel is a tree of statements that only assign to variables declared at its top; any of them can be
left out (Kernel.text), which is how a failing kernel is made smaller.
"""
import random

SIGNED = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
UNSIGNED = {"u8": 8, "u16": 16, "u32": 32, "u64": 64}
INTEGERS = {**SIGNED, **UNSIGNED}
FLOATS = {"f16": 16, "f32": 32, "f64": 64}
WIDTHS = {**INTEGERS, **FLOATS, "bool": 1}
VECTORS = {  # element type and count
    "u8x4": ("u8", 4), "u16x2": ("u16", 2), "u32x2": ("u32", 2), "u32x3": ("u32", 3),
    "u32x4": ("u32", 4), "u64x2": ("u64", 2), "f16x2": ("f16", 2), "f16x4": ("f16", 4),
    "f32x2": ("f32", 2), "f32x4": ("f32", 4), "f64x2": ("f64", 2)}
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
SHAPES = [(64, 1, 1), (128, 1, 1), (16, 8, 1), (8, 4, 4), (64, 3, 1), (256, 1, 1), (32, 2, 1)]
PARTIAL_SHAPES = [(96, 1, 1), (100, 1, 1), (32, 1, 1), (17, 5, 1), (7, 3, 5), (1, 1, 1), (33, 1, 1)]


def wrapping(type):
    """The unsigned type in which arithmetic on an integer type wraps."""
    return "u64" if WIDTHS[type] == 64 else "u32"


def read(type, word):
    """A value of any bits, from a word."""
    return f"value<{type}>({word})" if type in FLOATS else f"bool({word} & 1)" if type == "bool" else f"{type}({word})"


def written(type, value):
    """Its bits, the same for all NaNs."""
    return f"word({value})" if type in FLOATS else f"u64({value})"


class Statement:
    """Text with statements inside: [(text, [statement])], and the text that ends it."""

    def __init__(self, kernel, *parts, end=None):
        self.number = kernel.statements
        kernel.statements += 1
        self.parts, self.end = parts, end

    def lines(self, left_out, indent):
        if self.number in left_out:
            return
        for text, inside in self.parts:
            for line in text.split("\n"):
                yield indent + line
            for statement in inside:
                yield from statement.lines(left_out, indent + "  ")
        if self.end:
            yield indent + self.end


class Values:
    """What expressions are made of: variables, and the random choices."""

    def __init__(self, rng, variables):
        self.rng = rng
        self.variables = variables  # of each type

    def types(self, among):
        return [t for t in self.variables if t in among and self.variables[t]]

    def constant(self, type):
        r = self.rng
        if type == "bool":
            return r.choice(["true", "false"])
        if type in FLOATS:
            finite = ["0", "1", "-1", "0.5", "1.5", "-2.25", "3", "100", "-0.1", "1024", "6.25e-2", "60000"]
            return f"{type}({r.choice(finite)})"
        width = WIDTHS[type]
        value = r.choice([r.randrange(16), r.randrange(256), r.getrandbits(width), (1 << width) - 1,
                          1 << (width - 1), 1 << r.randrange(width), 0x5555555555555555])
        return f"{type}({value & ((1 << width) - 1)}ull)"

    def atom(self, type):
        known = self.variables.get(type)
        if known and self.rng.random() < 0.85:
            return self.rng.choice(known)
        others = self.types(WIDTHS)
        if others and self.rng.random() < 0.7:
            other = self.rng.choice(others)
            return self.converted(self.rng.choice(self.variables[other]), other, type)
        return self.constant(type)

    def converted(self, text, source, to):
        if source == to:
            return text
        if to == "bool":
            return f"({text} != {source}(0))"
        if source in FLOATS and to in INTEGERS:
            if self.rng.random() < 0.3:
                return f"{to}(word({text}))"
            return f"saturated<{to}>({text})"
        if to == "f16" and source in FLOATS:
            return f"narrowed({text})"
        if to in FLOATS and source in INTEGERS and WIDTHS[source] == WIDTHS[to] and self.rng.random() < 0.3:
            return f"value<{to}>(u64({text}))"
        if to == "f16":
            return f"f16(i16({text}))"  # wider integers are beyond it
        return f"{to}({text})"

    def expression(self, type, depth):
        if depth <= 0 or self.rng.random() < 0.12:
            return self.atom(type)
        if type == "bool":
            return self.condition(depth)
        if self.rng.random() < 0.08:
            return f"({self.condition(depth - 1)} ? {self.expression(type, depth - 1)} : {self.expression(type, depth - 1)})"
        if type in FLOATS:
            return self.real(type, depth)
        return self.integer(type, depth)

    def condition(self, depth):
        r = self.rng
        kind = r.random()
        if depth > 1 and kind < 0.2:
            return f"({self.condition(depth - 1)} {r.choice(['&&', '||', '!=', '=='])} {self.condition(depth - 1)})"
        if kind < 0.27:
            return f"!{self.condition(depth - 1)}" if depth > 0 else self.atom("bool")
        if kind < 0.37 and self.types(["bool"]):
            return self.atom("bool")
        types = self.types([t for t in WIDTHS if t != "bool"])
        if not types:
            return self.atom("bool")
        type = r.choice(types)
        if kind < 0.45 and type in FLOATS:
            return f"{r.choice(['is_nan', 'is_finite'])}({self.expression(type, depth - 1)})"
        if kind < 0.55 and type in INTEGERS:
            bit = r.choice([1, 3, 4, 0x10, 0x41])
            return f"(({self.atom(type)} & {bit}) {r.choice(['==', '!='])} 0)"
        return f"({self.expression(type, depth - 1)} {r.choice(COMPARISONS)} {self.expression(type, depth - 1)})"

    def integer(self, type, depth):
        r, w, u = self.rng, WIDTHS[type], wrapping(type)
        sub = lambda t=type: self.expression(t, depth - 1)
        kind = r.randrange(100)
        if kind < 30:
            return f"{type}({u}({sub()}) {r.choice('+-*')} {u}({sub()}))"
        if kind < 45:
            return f"{type}({sub()} {r.choice('&|^')} {sub()})"
        if kind < 52:
            by = r.choice([self.atom("u32"), str(r.randrange(w))])
            return f"{type}({u}({sub()}) << ({by} & {w - 1}))"
        if kind < 59:
            by = r.choice([self.atom("u32"), str(r.randrange(w))])
            return f"{type}({sub()} >> ({by} & {w - 1}))"
        if kind < 62:
            divisor = self.constant(type) if r.random() < 0.5 else self.atom(type)
            return f"{r.choice(['quotient', 'rest'])}<{type}>({self.atom(type)}, {divisor})"
        if kind < 65:
            return r.choice([f"{type}(~{sub()})", f"{type}({u}(0) - {u}({sub()}))"])
        if kind < 69:
            name = r.choice(["min", "max", "add_sat", "sub_sat"])
            return f"{type}(__builtin_elementwise_{name}({type}({sub()}), {type}({sub()})))"
        if kind < 73:
            x = f"std::make_unsigned_t<{type}>({sub()})"
            return type + r.choice([f"(__builtin_popcountg({x}))", f"(__builtin_clzg({x}, {w}))",
                                    f"(__builtin_ctzg({x}, {w}))"])
        if kind < 76 and type in UNSIGNED:
            return f"rotated<{type}>({sub()}, {self.atom('u32')})"
        if kind < 79 and type in ("u32", "u64"):
            return f"__builtin_bitreverse{w}({sub()})"
        if kind < 81 and type in ("u32", "i32"):
            return f"high_product({type}({sub()}), {type}({sub()}))"
        if kind < 84 and type == "u64":
            return f"(u64({self.atom('u32')}) * {self.atom('u32')} + {sub()})"
        if kind < 84 and type == "i64":
            return f"i64(u64(i64({self.atom('i32')}) * {self.atom('i32')}) + u64({sub()}))"
        if kind < 93 and type == "u32":
            return self.instruction(depth)
        if kind < 87:
            return f"{type}({self.condition(depth - 1)})"
        if kind < 90 and self.types(FLOATS):
            source = r.choice(self.types(FLOATS))
            return self.converted(self.expression(source, depth - 1), source, type)
        source = r.choice(self.types(INTEGERS) or ["u32"])
        return f"{type}({self.expression(source, depth - 1)})"

    def instruction(self, depth):
        r = self.rng
        a, b, c = (self.expression("u32", depth - 2) for _ in range(3))
        return r.choice([
            f"align_bits({a}, {b}, {c})", f"align_bytes({a}, {b}, {c})",
            f"bit_field({a}, {b}, {r.choice([c, r.randrange(32)])})",
            f"signed_bit_field({a}, {r.choice([b, r.randrange(32)])}, {c})",
            f"permuted_bytes({a}, {b}, {r.choice([c, hex(sum(r.randrange(14) << 8 * i for i in range(4)))])})",
            f"byte_differences({a}, {b}, {c})", f"masked_byte_differences({a}, {b}, {c})",
            f"byte_averages({a}, {b}, {c})", f"byte_products({a}, {b}, {c})",
            f"(({a} & 0xffffff) * ({b} & 0xffffff))", f"(({a} << {r.randrange(32)}) + {b})",
            f"(({a} & {b}) | {c})", f"({a} ^ {b} ^ {c})", f"(({a} & {c}) | ({b} & ~{c}))"])

    def real(self, type, depth):
        r = self.rng
        sub = lambda: self.expression(type, depth - 1)
        kind = r.randrange(100)
        if kind < 42:
            return f"({sub()} {r.choice('+-*')} {sub()})"
        if kind < 46:
            return f"({self.atom(type)} / {self.atom(type)})"
        if kind < 56:
            return f"fused({r.choice(['', '-'])}{type}({sub()}), {sub()}, {r.choice(['', '-'])}{type}({sub()}))"
        if kind < 59:
            return f"root({self.atom(type)})"
        if kind < 66:
            return f"__builtin_elementwise_{r.choice(['floor', 'ceil', 'trunc', 'rint', 'roundeven'])}({sub()})"
        if kind < 71:
            return r.choice([f"__builtin_elementwise_abs({sub()})", f"(-{type}({sub()}))"])
        if kind < 74:
            return f"__builtin_elementwise_copysign({sub()}, one_nan({sub()}))"
        if kind < 81:
            return f"{r.choice(['least', 'greatest'])}<{type}>({sub()}, {sub()})"
        if kind < 84:
            return f"least<{type}>(greatest<{type}>({sub()}, {type}({r.choice(['0', '-1'])})), {type}({r.choice(['1', '8'])}))"
        if kind < 86 and type != "f16":
            return f"scaled_by<{type}>({sub()}, {self.atom('u32')})"
        source = r.choice([t for t in self.types(WIDTHS) if t != "bool"] or [type])
        return self.converted(self.expression(source, depth - 1), source, type)


class Kernel:
    """Number `number` of a seed: the same text whichever others are made."""

    def __init__(self, seed, number):
        self.number = number
        self.rng = r = random.Random(f"{seed} {number}")
        self.statements = self.loops = 0
        # LLVM 22 loses shuffles before a switch whose cases fall through (docs/fuzzing.md).
        self.in_switch = 0
        self.full = r.random() < 0.75  # whole waves of 64, which may exchange values
        self.shape = r.choice(SHAPES if self.full else PARTIAL_SHAPES)
        self.threads = self.shape[0] * self.shape[1] * self.shape[2]
        self.groups = r.choice([1, 1, 2, 2, 3])
        self.declare()
        self.functions = [self.function(i) for i in range(r.choice([0, 0, 1, 1, 2]))]
        self.body = self.block(r.randrange(3, 7), uniform=True, depth=0)
        self.tail = self.divergent_end()

    # --- what there is to work with --------------------------------------------------------------

    def declare(self):
        r = self.rng
        self.names = {}  # variables of each type
        self.declarations = []
        types = r.sample(list(INTEGERS), r.randrange(1, 3)) + r.sample(list(FLOATS), r.choice([0, 1, 1, 2]))
        for type in ["u32", *types, "bool"]:
            for i in range(r.choice([1, 1, 2, 2, 3])):
                self.variable(type, f"{type}_{len(self.names.get(type, []))}")
        self.scalars = dict(self.names)  # without parts of others
        self.vectors = {}
        for type in r.sample(list(VECTORS), r.choice([0, 0, 1, 1, 2])):
            element, count = VECTORS[type]
            self.vectors.setdefault(type, []).append(f"v_{type}")
            parts = ", ".join(read(element, f"(in[at + {i % 4}] >> {r.randrange(16)})") for i in range(count))
            self.declarations.append(f"{type} v_{type}{{{parts}}};")
        self.arrays = []  # (name, type, size): powers of two, so an index is masked
        for i in range(r.choice([0, 0, 1, 1, 2])):
            type, size = r.choice(["u8", "u16", "u32", "u64", "f32", "f64", *types]), r.choice([4, 4, 8])
            self.arrays.append((f"array_{i}", type, size))
            self.declarations.append(f"{type} array_{i}[{size}];\nROLLED for (u32 i = 0; i < {size}; i++) array_{i}[i] = {read(type, '(in[at + (i & 3)] >> i)')};")
        self.record = None
        if r.random() < 0.35:
            fields = [(f"f{i}", r.choice([*INTEGERS, *FLOATS, "bits"])) for i in range(r.randrange(2, 6))]
            self.record = [(name, type, r.randrange(1, 31) if type == "bits" else 0) for name, type in fields]
            self.declarations.append(f"Record{self.number} record{{}};")
        # The same in all lanes.
        self.uniform = {"u32": ["same_0", "same_1"], "u64": ["same_2"]}
        self.declarations += ["u32 same_0 = u32(in[0]), same_1 = u32(in[1] >> 32) + group.block;", "u64 same_2 = in[2];"]
        if r.random() < 0.3:
            self.uniform["f32"] = ["same_3"]
            self.declarations.append("f32 same_3 = f32(i32(in[3] >> 20));")
        self.shared = [("words_" + type, type) for type in r.sample(["u8", "u16", "u32", "u64", "f32", "f64", "f16", "u32x4"], r.randrange(1, 3))]
        self.totals = [(r.choice(["add", "min", "max", "and", "or", "xor", "number"]), r.choice(["u32", "i32", "u64", "i64"])) for _ in range(4)]

    def variable(self, type, name):
        at = self.rng.randrange(4)
        self.names.setdefault(type, []).append(name)
        start = read(type, f"in[at + {at}]")
        if type in FLOATS and self.rng.random() < 0.5:
            start = f"{type}(i{self.rng.choice([8, 16])}(in[at + {at}]))"
        self.declarations.append(f"{type} {name} = {start};")

    def values(self, uniform=False):
        if uniform:
            return Values(self.rng, self.uniform)
        known = {t: list(names) for t, names in self.names.items()}
        for vector, names in self.vectors.items():
            element, count = VECTORS[vector]
            known.setdefault(element, []).extend(f"{n}[{self.rng.randrange(count)}]" for n in names)
        for name, type, size in self.arrays:
            known.setdefault(type, []).append(f"{name}[{self.index()} & {size - 1}]")
        for name, type, _ in self.record or []:
            known.setdefault("u32" if type == "bits" else type, []).append(f"{'u32' if type == 'bits' else type}(record.{name})")
        known.setdefault("u32", []).append("group.thread")
        if self.rng.random() < 0.3:
            for type, names in self.uniform.items():
                known.setdefault(type, []).extend(names)
        return Values(self.rng, known)

    def index(self):
        """An integer, of which some low bits are used."""
        return self.rng.choice([*self.scalars["u32"], "group.thread", "same_0", str(self.rng.randrange(16))])

    def target(self):
        """Something to assign to, and its type."""
        r = self.rng
        kind = r.random()
        if kind < 0.12 and self.arrays:
            name, type, size = r.choice(self.arrays)
            return f"{name}[{self.index()} & {size - 1}]", type
        if kind < 0.22 and self.record:
            name, type, width = r.choice(self.record)
            return f"record.{name}", "u32" if type == "bits" else type
        if kind < 0.28 and self.vectors:
            vector = r.choice(list(self.vectors))
            element, count = VECTORS[vector]
            # Not of two elements: LLVM 22 selects both by one condition (docs/fuzzing.md).
            at = f"{self.index()} & 3" if count == 4 else r.randrange(count)
            return f"{r.choice(self.vectors[vector])}[{at}]", element
        type = r.choice(list(self.scalars))
        return r.choice(self.scalars[type]), type

    # --- statements ------------------------------------------------------------------------------

    def block(self, count, uniform, depth):
        return [self.statement(uniform, depth) for _ in range(count)]

    def statement(self, uniform, depth):
        """`uniform`: all lanes of the group run it."""
        r = self.rng
        if depth < 3 and r.random() < (0.12 if depth else 0.25):
            return self.control(uniform, depth + 1)
        if uniform and r.random() < 0.3:
            return r.choice([self.exchange, self.exchange, self.scalar, self.through_shared, self.vote, self.some_lanes])()
        choices = [self.assign] * 10 + [self.out, self.atomic, self.gather, self.walk, self.shared_slot]
        if self.vectors and not self.in_switch:
            choices += [self.vector] * 4
        if self.functions if hasattr(self, "functions") else False:
            choices += [self.call] * 2
        return r.choice(choices)()

    def assign(self):
        target, type = self.target()
        return Statement(self, (f"{target} = {self.values().expression(type, self.rng.choice([1, 1, 2, 2, 3]))};", []))

    def control(self, uniform, depth):
        r = self.rng
        stays = uniform and r.random() < 0.5  # the condition is the same for all
        values = self.values(uniform=stays)
        some = lambda: self.block(r.choice([1, 1, 2, 3]), stays, depth)
        self.loops += 1
        counter = f"step{self.loops}"
        kind = r.random()
        if kind < 0.35:
            parts = [(f"if ({values.condition(2)}) {{", some())]
            if r.random() < 0.5:
                parts.append(("} else {", some()))
            return Statement(self, *parts, end="}")
        if kind < 0.65:
            last = values.atom("u32") if r.random() < 0.7 else str(r.randrange(1, 6))
            rolled = r.choice(["ROLLED ", ""])
            inside = some()
            if r.random() < 0.4:
                inside.append(Statement(self, (f"if ({values.condition(1)}) {r.choice(['break', 'continue'])};", [])))
                inside.append(self.assign())
            return Statement(self, (f"{rolled}for (u32 {counter} = 0; {counter} < ({last} & {r.choice([3, 3, 7])}); {counter}++) {{", inside), end="}")
        if kind < 0.8:
            inside = some()
            return Statement(self, (f"u32 {counter} = 0;\ndo {{", inside), end=f"}} while (++{counter} < {r.randrange(2, 5)} && {values.condition(2)});")
        cases = r.randrange(2, 5)
        self.in_switch += 1
        parts = [(f"switch ({values.atom('u32')} % {cases + r.randrange(2)}) {{", [])]
        for i in range(cases):
            parts.append((f"case {i}: {{", some()))
            parts.append(("} break;" if r.random() < 0.8 else "}", []))
        if r.random() < 0.6:
            parts += [("default: {", some()), ("}", [])]
        self.in_switch -= 1
        return Statement(self, *parts, end="}")

    def out(self):
        """Words of this work-item in memory, of any width and alignment."""
        r = self.rng
        target, type = self.target()
        if type == "bool":
            return self.assign()
        at = f"pad + ({self.index()} & 15)"
        if r.random() < 0.4:
            values = self.values()
            if type in FLOATS:
                return Statement(self, (f"store({at}, word({values.expression(type, 1)}));", []))
            return Statement(self, (f"store<{type}>({at}, {values.expression(type, 2)});", []))
        if type in FLOATS:
            return Statement(self, (f"{target} = value<{type}>(load<u64>({at}));", []))
        return Statement(self, (f"{target} = load<{type}>({at});", []))

    def gather(self):
        target, type = self.target()
        size = self.threads * self.groups * 4
        index = self.values().expression("u32", 1)
        return Statement(self, (f"{target} = {read(type, f'in[{index} % {size}]')};", []))

    def walk(self):
        """A pointer that all lanes share walks through the input: a scalar base that changes in a loop."""
        r = self.rng
        size = self.threads * self.groups * 4
        steps, stride, lanes = r.choice([3, 7]), r.choice([1, 1, 2, 5]), r.choice([1, 4, 16, 64])
        reach = steps * stride + lanes
        if reach >= size:
            return self.gather()
        target, type = self.target()
        self.loops += 1
        row, counter = f"row{self.loops}", f"step{self.loops}"
        start, advance = f"same_0 % {size - reach}", f"{row} += {stride}"
        if r.random() < 0.3:
            start, advance = f"{start} + {steps * stride}", f"{row} -= {stride}"
        last = f"({self.values(uniform=r.random() < 0.7).atom('u32')} & {steps})"
        word = f"{row}[group.thread & {lanes - 1}]"
        if type == "bool" or type in FLOATS:
            change = f"{target} = {read(type, word)};"
        else:
            wide = wrapping(type)
            change = f"{target} = {type}({wide}({target}) * 3u + {wide}({word}));"
        return Statement(self, (f"const u64* {row} = in + {start};\nROLLED for (u32 {counter} = 0; {counter} <= {last}; {counter}++, {advance}) {change}", []))

    def atomic(self):
        at = self.rng.randrange(4)
        operation, type = self.totals[at]
        values = self.values()
        where = f"totals + {at * 4} + ({values.atom('u32')} & 3)"
        if operation == "number":
            real = {"u32": "f32", "i32": "f32"}.get(type, "f64")
            text = f"atomic_add_number(({real}*)({where}), {values.expression('u32', 1)});"
        else:
            text = f"atomic_{operation}(({type}*)({where}), {values.expression(type, 1)});"
        return Statement(self, (text, []))

    def shared_slot(self):
        """This work-item's own word of LDS."""
        r = self.rng
        at = "shared.own[group.thread]"
        target = r.choice(self.scalars["u32"])
        values = self.values()
        operation = r.choice(["add", "min", "max", "and", "or", "xor", "exchange"])
        return Statement(self, (r.choice([
            f"{at} = {values.expression('u32', 2)};", f"{target} = {at};",
            f"{target} = atomic_{operation}(&{at}, {values.expression('u32', 1)});",
            f"{target} = atomic_replace<u32>(&{at}, {values.atom('u32')}, {values.expression('u32', 1)});"]), []))

    def vector(self):
        r = self.rng
        type = r.choice(list(self.vectors))
        element, count = VECTORS[type]
        name = r.choice(self.vectors[type])
        values = self.values()
        other = r.choice([name, f"{type}({values.atom(element)})", f"__builtin_shufflevector({name}, {name}, {', '.join(str(r.randrange(2 * count)) for _ in range(count))})"])
        operators = ["+", "-", "*"] + ([] if element in FLOATS else ["&", "|", "^"])
        choices = [f"{name} {r.choice(operators)} {other}", f"{name} {r.choice(operators)} {other} {r.choice(operators)} {name}",
                   f"{name} {r.choice(COMPARISONS)} {other} ? {name} : {other}"]
        if element in FLOATS:
            choices.append(f"-{name} * {other} + {type}({values.atom(element)})")
        else:
            choices.append(f"({name} >> ({other} & {type}({element}({min(WIDTHS[element], 32) - 1})))) {r.choice(operators)} {name}")
        return Statement(self, (f"{name} = {r.choice(choices)};", []))

    # All lanes of the group run these.

    def scalar(self):
        type = self.rng.choice(list(self.uniform))
        target = self.rng.choice(self.uniform[type])
        return Statement(self, (f"{target} = {self.values(uniform=True).expression(type, self.rng.choice([1, 1, 2, 2, 3]))};", []))

    def exchange(self):
        if not self.full:
            return self.assign()
        r = self.rng
        values = self.values()
        a, b = values.expression("u32", 1), values.atom("u32")
        same = self.values(uniform=True).atom("u32")
        row = lambda: r.choice([15, 15, r.randrange(16)])
        control = r.choice([r.randrange(256), 0x100 + r.randrange(1, 16), 0x110 + r.randrange(1, 16), 0x120 + r.randrange(1, 16), 0x140, 0x141])
        text = r.choice([
            f"group.shuffle({a}, {b})", f"group.shuffle({a}, group.thread ^ {r.randrange(64)})",
            f"group.shuffle({a}, group.thread + {r.randrange(64)})", f"group.from_lane({a}, {same})", f"group.from_first({a})",
            f"group.dpp<{control}, {row()}, {row()}, {r.choice(['true', 'false'])}>({r.choice([b, '0u'])}, {a})",
            f"group.dpp<{control}, 15, 15, true>(0u, {a}) {r.choice('+^&|')} {b}",
            f"group.swizzle<{r.choice([r.getrandbits(15), 0x8000 | r.getrandbits(8)])}>({a})", f"group.of_eight<{r.getrandbits(24)}>({a})",
            f"group.count_below(group.ballot({values.condition(1)}), {b})"])
        return Statement(self, (f"{r.choice(self.scalars['u32'])} = {text};", []))

    def vote(self):
        r = self.rng
        condition = self.values().condition(2)
        if r.random() < 0.5:
            return Statement(self, (f"{r.choice(self.scalars['u32'])} ^= u32(__builtin_popcountll(group.ballot({condition})));", []))
        type = r.choice(["u32", "u64"])
        return Statement(self, (f"{r.choice(self.uniform[type])} ^= {type}(group.ballot({condition}));" if self.threads <= 32 else
                                f"{r.choice(self.scalars['u32'])} ^= u32(group.ballot({condition}) >> {r.randrange(64)});", []))

    def some_lanes(self):
        """A branch whose lanes exchange values among themselves."""
        r = self.rng
        values = self.values()
        self.loops += 1
        mask = f"mask{self.loops}"
        target = r.choice(self.scalars["u32"])
        inside = [self.assign() for _ in range(r.randrange(0, 3))]
        text = r.choice([f"{target} += u32(group.ballot_among({mask}, {values.condition(1)}) >> {r.randrange(32)});",
                         f"{target} ^= group.from_first_of({mask}, {values.expression('u32', 1)});"])
        inside.append(Statement(self, (text, [])))
        # Without this one the others would wait for nothing: it is never left out alone.
        inside[-1].number = -1
        aside = Statement(self, ("group.aside();", []))
        aside.number = -1
        return Statement(self, (f"const bool with_{mask} = {values.condition(2)};\nconst u64 {mask} = group.ballot(with_{mask});\nif (with_{mask}) {{", inside),
                         ("} else {", [aside, *[self.assign() for _ in range(r.randrange(0, 2))]]), end="}")

    def through_shared(self):
        r = self.rng
        name, type = r.choice(self.shared)
        values = self.values()
        source = r.choice([f"group.thread * {r.randrange(1, 64, 2)} + {r.randrange(64)}", values.expression("u32", 1), f"group.thread ^ {r.randrange(64)}"])
        if type in VECTORS:
            write = f"u32x4{{{', '.join(values.atom('u32') for _ in range(4))}}}"
            read, target = f"[{r.randrange(4)}]", r.choice(self.scalars["u32"])
        else:
            write, read, target = values.expression(type, 2), "", None
        lines = [f"group.barrier();\nshared.{name}[group.thread] = {write};\ngroup.barrier();"]
        if target is None:
            target, to = self.target()
            lines.append(f"{target} = {values.converted(f'shared.{name}[({source}) % {self.threads}]', type, to)};")
        else:
            lines.append(f"{target} = shared.{name}[({source}) % {self.threads}]{read};")
        if r.random() < 0.3 and self.threads >= 8:
            operation = r.choice(["add", "min", "max", "or", "xor"])
            lines.append(f"if (group.thread < 8) shared.bins[group.thread] = {r.getrandbits(16)};\ngroup.barrier();\n"
                         f"atomic_{operation}(&shared.bins[{values.atom('u32')} & 7], {values.atom('u32')});\ngroup.barrier();\n"
                         f"{r.choice(self.scalars['u32'])} ^= shared.bins[group.thread & 7];")
        return Statement(self, ("\n".join(lines), []))

    # --- functions -------------------------------------------------------------------------------

    def function(self, number):
        """A function that is called: its name, types and text."""
        r = self.rng
        type = r.choice(["u32", "u64", "f32", "i16", "f64", "u8"])
        parameters = [r.choice([*INTEGERS, *FLOATS]) for _ in range(r.randrange(1, 5))]
        names = {}
        for i, p in enumerate(parameters):
            names.setdefault(p, []).append(f"p{i}")
        values = Values(r, names)
        lines = [f"{type} result = {values.expression(type, 2)};"]
        names.setdefault(type, []).append("result")
        if r.random() < 0.4:
            lines.append(f"ROLLED for (u32 i = 0; i < ({values.atom('u32')} & 3); i++) result = {values.expression(type, 2)};")
        if r.random() < 0.5:
            lines.append(f"if ({values.condition(2)}) return {values.expression(type, 2)};")
        if r.random() < 0.4:
            lines.append(f"{r.choice(names[type])} = {values.expression(type, 2)};")
        pointer = r.random() < 0.3
        if pointer:
            lines.append(f"*to ^= {values.expression('u32', 1)};")
        lines.append("return result;")
        arguments = ", ".join([f"{p} p{i}" for i, p in enumerate(parameters)] + (["u32* to"] if pointer else []))
        name = f"called{self.number}_{number}"
        text = f"CALLED {type} {name}({arguments}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
        return name, type, parameters, pointer, text

    def call(self):
        r = self.rng
        name, type, parameters, pointer, _ = r.choice(self.functions)
        values = self.values()
        arguments = [values.expression(p, 1) for p in parameters]
        target, to = self.target()
        called = f"{name}({', '.join(arguments + (['&own'] if pointer else []))})"
        text = f"{target} = {values.converted(called, type, to)};"
        if not pointer:
            return Statement(self, (text, []))
        inner = r.choice(self.scalars["u32"])
        return Statement(self, (f"{{\n  u32 own = {inner};\n  {text}\n  {inner} = own;\n}}", []))

    def divergent_end(self):
        """Some work-items may return before the last of it."""
        if self.rng.random() < 0.7:
            return []
        leave = Statement(self, (f"if ({self.values().condition(2)}) return;", []))
        return [leave, *self.block(3, False, 2)]

    # --- text ------------------------------------------------------------------------------------

    def results(self):
        for type, names in [*self.scalars.items(), *self.uniform.items()]:
            yield from (written(type, name) for name in names)
        for vector, names in self.vectors.items():
            element, count = VECTORS[vector]
            yield from (written(element, f"{name}[{i}]") for name in names for i in range(count))
        for name, type, size in self.arrays:
            yield from (written(type, f"{name}[{i}]") for i in range(size))
        for name, type, _ in self.record or []:
            yield written(type, f"record.{name}")

    def text(self, left_out=frozenset()):
        n, pad_words = self.number, 4
        results = list(self.results())
        slots = len(results) + pad_words
        lines = [text for *_, text in self.functions]
        if self.record:
            fields = [f"u32 {name} : {width};" if type == "bits" else f"{type} {name};" for name, type, width in self.record]
            lines.append(f"struct Record{n} {{\n  " + "\n  ".join(fields) + "\n};")
        shared = [f"{type} {name}[{self.threads}];" for name, type in self.shared]
        lines.append(f"struct Shared{n} {{\n  u32 own[{self.threads}], bins[8];\n  " + "\n  ".join(shared) + "\n};")
        lines.append(f"INLINE void body{n}(Group& group, Shared{n}& shared, const u64* in, u64* out, u64* totals) {{")
        lines.append(f"  const u32 index = group.block * {self.threads} + group.thread, at = 4 * index;")
        lines.append(f"  u64* const own_out = out + u64(index) * {slots};")
        lines.append(f"  u8* const pad = (u8*)(own_out + {len(results)});")
        lines.append("  shared.own[group.thread] = group.thread;")
        for declaration in self.declarations:
            lines += ["  " + line for line in declaration.split("\n")]
        for statement in self.body:
            lines += statement.lines(left_out, "  ")
        if self.tail:
            lines.append("  " + " ".join(f"own_out[{i}] = {r};" for i, r in enumerate(results[:2])))
            for statement in self.tail:
                lines += statement.lines(left_out, "  ")
        lines += [f"  own_out[{i}] = {text};" for i, text in enumerate(results)]
        lines.append("}")
        x, y, z = self.shape
        lines.append(f"KERNEL({n}, {x}, {y}, {z}, {self.groups}, {slots})")
        return "\n".join(lines) + "\n"


def source(kernels, left_out=frozenset()):
    """The file of some kernels."""
    table = ", ".join(f"&entry{k.number}" for k in kernels)
    return ('#include "language.h"\n\nnamespace fuzz {\n\n' + "\n".join(k.text(left_out) for k in kernels) +
            "\n#ifndef __HIP__\n" +
            f'extern "C" [[gnu::visibility("default")]] const HostKernel* const host_kernels[] = {{{table}, nullptr}};\n' +
            "#endif\n\n}  // namespace fuzz\n")
