"""A second implementation of sealed messages, from docs/spec/timelock.md alone.

Python 3.8 or later, the standard library, nothing else. It shares no code with the first one. It opens, and it recomputes
chain hashes and rounds; sealing and the verification of signatures need hashing to the curve, which it does not have.

    python3 timelock.py vectors FOLDER    recompute the vectors of the repository's vectors folder
    python3 timelock.py open < LINES      a signature and a sealed message in hex a line; the message or "refused", a line each
"""

import hashlib
import json
import os
import sys

P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
# The parameter of the curve is negative: this is its absolute value.
X = 0xD201000000010000

# Fp2: (a, b) is a + b u, u^2 = -1. Fp6: three of Fp2 by powers of v, v^3 = 1 + u. Fp12: two of Fp6 by powers of w, w^2 = v.


def add2(a, b):
    return ((a[0] + b[0]) % P, (a[1] + b[1]) % P)


def sub2(a, b):
    return ((a[0] - b[0]) % P, (a[1] - b[1]) % P)


def mul2(a, b):
    s, t = a[0] * b[0], a[1] * b[1]
    return ((s - t) % P, ((a[0] + a[1]) * (b[0] + b[1]) - s - t) % P)


def scale2(a, k):
    return (a[0] * k % P, a[1] * k % P)


def inv2(a):
    n = pow(a[0] * a[0] + a[1] * a[1], -1, P)
    return (a[0] * n % P, -a[1] * n % P)


def xi(a):
    """Times 1 + u."""
    return ((a[0] - a[1]) % P, (a[0] + a[1]) % P)


ZERO2, ONE2 = (0, 0), (1, 0)
ZERO6, ONE6 = (ZERO2, ZERO2, ZERO2), (ONE2, ZERO2, ZERO2)
ONE12 = (ONE6, ZERO6)


def add6(a, b):
    return tuple(add2(s, t) for s, t in zip(a, b))


def sub6(a, b):
    return tuple(sub2(s, t) for s, t in zip(a, b))


def mul6(a, b):
    (a0, a1, a2), (b0, b1, b2) = a, b
    t0, t1, t2 = mul2(a0, b0), mul2(a1, b1), mul2(a2, b2)
    c0 = sub2(sub2(mul2(add2(a1, a2), add2(b1, b2)), t1), t2)
    c1 = sub2(sub2(mul2(add2(a0, a1), add2(b0, b1)), t0), t1)
    c2 = sub2(sub2(mul2(add2(a0, a2), add2(b0, b2)), t0), t2)
    return (add2(t0, xi(c0)), add2(c1, xi(t2)), add2(c2, t1))


def times_v(a):
    return (xi(a[2]), a[0], a[1])


def inv6(a):
    a0, a1, a2 = a
    t0 = sub2(mul2(a0, a0), xi(mul2(a1, a2)))
    t1 = sub2(xi(mul2(a2, a2)), mul2(a0, a1))
    t2 = sub2(mul2(a1, a1), mul2(a0, a2))
    n = inv2(add2(mul2(a0, t0), xi(add2(mul2(a2, t1), mul2(a1, t2)))))
    return (mul2(t0, n), mul2(t1, n), mul2(t2, n))


def mul12(a, b):
    s, t = mul6(a[0], b[0]), mul6(a[1], b[1])
    cross = sub6(sub6(mul6(add6(a[0], a[1]), add6(b[0], b[1])), s), t)
    return (add6(s, times_v(t)), cross)


def conjugate(a):
    """a to the power of p^6."""
    return (a[0], sub6(ZERO6, a[1]))


def inv12(a):
    n = inv6(sub6(mul6(a[0], a[0]), times_v(mul6(a[1], a[1]))))
    return (mul6(a[0], n), sub6(ZERO6, mul6(a[1], n)))


def pow12(a, e):
    out = ONE12
    for bit in bin(e)[2:]:
        out = mul12(out, out)
        if bit == "1":
            out = mul12(out, a)
    return out


# ---------------------------------------------------------------- points

# Points are (x, y), or None for infinity; those of E' have coordinates in Fp2, and those of E are written with coordinates in Fp2
# whose second part is 0, so that one addition does for both.


def chord(s, t, slope):
    x = sub2(sub2(mul2(slope, slope), s[0]), t[0])
    return (x, sub2(mul2(slope, sub2(s[0], x)), s[1]))


def slope_of(s, t):
    if s == t:
        return mul2(scale2(mul2(s[0], s[0]), 3), inv2(scale2(s[1], 2)))
    return mul2(sub2(t[1], s[1]), inv2(sub2(t[0], s[0])))


def add(s, t):
    if s is None or t is None:
        return t if s is None else s
    if s[0] == t[0] and (s[1] != t[1] or s[1] == ZERO2):
        return None
    return chord(s, t, slope_of(s, t))


def times(k, point):
    out = None
    for bit in bin(k)[2:]:
        out = add(out, out)
        if bit == "1":
            out = add(out, point)
    return out


def root(a):
    """A square root in Fp, or None. p is 3 modulo 4."""
    y = pow(a, (P + 1) // 4, P)
    return y if y * y % P == a % P else None


def root2(a):
    """A square root in Fp2, or None."""
    re, im = a
    if im == 0:
        y = root(re)
        if y is not None:
            return (y, 0)
        y = root(-re)
        return None if y is None else (0, y)
    norm = root(re * re + im * im)
    if norm is None:
        return None
    half = (P + 1) // 2
    x = root((re + norm) * half)
    if x is None:
        x = root((re - norm) * half)
    if x is None or x == 0:
        return None
    return (x, im * half * pow(x, -1, P) % P)


def is_larger(y):
    deciding = y[1] if y[1] != 0 else y[0]
    return deciding > P - deciding


def point_of(data, size):
    """The point of `size` compressed bytes (48 in G1, 96 in G2), or None for what a reader must not take."""
    if len(data) != size or data[0] >> 6 != 0b10:
        return None
    bare = bytes([data[0] & 0x1F]) + data[1:]
    parts = [int.from_bytes(bare[i : i + 48], "big") for i in range(0, size, 48)]
    if any(part >= P for part in parts):
        return None
    x = (parts[0], 0) if size == 48 else (parts[1], parts[0])
    y = root2(add2(mul2(x, mul2(x, x)), (4, 0) if size == 48 else (4, 4)))
    # In G1 a root that is not in Fp is no coordinate.
    if y is None or (size == 48 and y[1] != 0):
        return None
    if is_larger(y) != bool(data[0] & 0x20):
        y = sub2(ZERO2, y)
    return (x, y) if times(R, (x, y)) is None else None


# ---------------------------------------------------------------- pairing


def pairing(p, q):
    """e(p, q) of p in G1 and q in G2."""
    f, t = ONE12, q
    for bit in bin(X)[3:]:
        slope = slope_of(t, t)
        f = mul12(mul12(f, f), line(t, slope, p))
        t = chord(t, t, slope)
        if bit == "1":
            slope = slope_of(t, q)
            f = mul12(f, line(t, slope, p))
            t = chord(t, q, slope)
    f = conjugate(f)
    # 3 (p^12 - 1) / r, of which p^6 - 1 comes first, because it costs a conjugation and an inverse.
    f = mul12(conjugate(f), inv12(f))
    return pow12(f, 3 * (P**2 + 1) * ((P**4 - P**2 + 1) // R))


def line(t, slope, p):
    """The line of that slope through the point (x / w^2, y / w^3) of E over Fp12, at p, times w^3.

    The slope there is slope / w, so the line is p.y - slope p.x / w - (y - slope x) / w^3.
    """
    (px, _), (py, _) = p
    constant = sub2(mul2(slope, t[0]), t[1])
    # w^2 = v and w^3 = v w.
    return ((constant, scale2(slope, -px), ZERO2), (ZERO2, (py, 0), ZERO2))


B = point_of(
    bytes.fromhex(
        "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
        "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
    ),
    96,
)

# ---------------------------------------------------------------- sealed messages


def xor(a, b):
    return bytes(s ^ t for s, t in zip(a, b))


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def h2(g):
    low, high = g
    pairs = [*reversed(high), *reversed(low)]
    return sha256(b"IBE-H2", *(part.to_bytes(48, "big") for a, b in pairs for part in (b, a)))


def h3(sigma, message):
    s = sha256(b"IBE-H3", sigma, message)
    i = 0
    while True:
        i += 1
        d = sha256(i.to_bytes(2, "little"), s)
        number = int.from_bytes(bytes([d[0] >> 1]) + d[1:], "big")
        if 0 < number < R:
            return number


def open_sealed(signature, sealed):
    """The 32 bytes that were sealed, or None."""
    if len(sealed) != 160:
        return None
    key, u = point_of(signature, 48), point_of(sealed[:96], 96)
    if key is None or u is None:
        return None
    sigma = xor(sealed[96:128], h2(pairing(key, u)))
    message = xor(sealed[128:], sha256(b"IBE-H4", sigma))
    return message if times(h3(sigma, message), B) == u else None


# ---------------------------------------------------------------- chains and rounds


def chain_hash(chain):
    name = "" if chain["beacon_id"] == "default" else chain["beacon_id"]
    return sha256(
        chain["period_s"].to_bytes(4, "big"),
        chain["genesis_time"].to_bytes(8, "big"),
        bytes.fromhex(chain["public_key"]),
        bytes.fromhex(chain["group_hash"]),
        name.encode("ascii"),
    ).hex()


def round_at(chain, seconds):
    late = seconds - chain["genesis_time"]
    return 1 if late <= 0 else -(-late // chain["period_s"]) + 1


# ---------------------------------------------------------------- the vectors


def recompute(folder):
    """What differs from the vectors, a line each, and how many were compared."""

    def read(name):
        with open(os.path.join(folder, "timelock", name + ".json"), encoding="utf-8") as file:
            return json.load(file)

    compared, wrong = 0, []

    def same(what, found, expected):
        nonlocal compared
        compared += 1
        if found != expected:
            wrong.append(f"{what}: {found}, expected {expected}")

    chains = {each["name"]: each["chain"] for each in read("chains")}
    for name, chain in chains.items():
        same(name, chain_hash(chain), chain["hash"])
        same(name, point_of(bytes.fromhex(chain["public_key"]), 96) is not None, True)
    for each in read("refused-chains"):
        if each["at"] == "chain.hash":
            same(each["name"], chain_hash(each["chain"]) == each["chain"]["hash"], False)
    for each in read("rounds"):
        chain = chains[each["chain"]]
        same(each, round_at(chain, each["seconds"]), each["round"])
        same(each, chain["genesis_time"] + (each["round"] - 1) * chain["period_s"], each["published"])
    signatures = {(each["chain"], each["round"]): each["signature"] for each in read("signatures")}
    for each in read("sealed"):
        signature = signatures[each["chain"], each["round"]]
        same(each["name"], opened(signature, each["sealed"]), each["message"])
    for each in read("refused-sealed"):
        same(each["name"], opened(each["signature"], each["sealed"]), "refused")
    return compared, wrong


def opened(signature, sealed):
    message = open_sealed(bytes.fromhex(signature), bytes.fromhex(sealed))
    return "refused" if message is None else message.hex()


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "vectors":
        compared, wrong = recompute(arguments[1])
        print("\n".join([*wrong, f"{compared} compared, {len(wrong)} differ"]))
        return 1 if wrong else 0
    if arguments == ["open"]:
        for text in sys.stdin:
            signature, sealed = text.rstrip("\n").split(" ")
            print(opened(signature, sealed))
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
