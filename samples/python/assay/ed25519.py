"""Ed25519 under one strict profile, so that no two verifiers disagree about a signature.

`y` of a key and of R is below p, neither is a point of small order, S is below the group order, and the equation is the
cofactorless one: [S]B - [k]A encodes to the bytes of R (RFC 8032, section 5.1.7). The equation itself is that of the
package `cryptography`, that is of OpenSSL, which compares R by its bytes. What follows here decides what it is asked.
"""

from __future__ import annotations

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
SIGN_BIT = 1 << 255

Point = tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)

# y of the eight points whose order divides 8. The forms p and p + 1 are none: y must be below p.
SMALL_ORDER_Y = frozenset(
    int.from_bytes(bytes.fromhex(each), "little")
    for each in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    )
)


def is_profile_key(key: bytes) -> bool:
    """Whether 32 bytes encode y < p and no point of small order. Whether they lie on the curve is not checked."""
    if len(key) != 32:
        return False
    y = int.from_bytes(key, "little") % SIGN_BIT
    return y < P and y not in SMALL_ORDER_Y


def is_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes) is that of `key` (32 bytes) on `message`. Bad bytes are False."""
    if len(signature) != 64 or not is_profile_key(key) or not is_profile_key(signature[:32]):
        return False
    if int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    # Imported here, so that a recount, which checks no signature, needs the standard library alone.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def is_torsion_free(key: bytes) -> bool:
    """Whether the key is a point of the prime-order group, as every honestly made key is."""
    point = decompress(key) if is_profile_key(key) else None
    return point is not None and is_neutral(times(ORDER, point))


def is_on_curve(data: bytes) -> bool:
    """Whether Solana would decompress the 32 bytes: any y, and x = 0 with either sign."""
    return decompress(data, lax=True) is not None


def decompress(data: bytes, lax: bool = False) -> Point | None:
    """The point that 32 bytes encode (RFC 8032, section 5.1.3), or None. `lax` takes y above p, and a negative zero."""
    number = int.from_bytes(data, "little")
    y, sign = number % SIGN_BIT, number >> 255
    if y >= P and not lax:
        return None
    y %= P
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P) % P, (P - 5) // 8, P) % P
    if v * x * x % P == -u % P:
        x = x * ROOT_OF_MINUS_ONE % P
    elif v * x * x % P != u:
        return None
    if x == 0 and sign and not lax:
        return None
    if x % 2 != sign:
        x = -x % P
    return x, y, 1, x * y % P


def add(a: Point, b: Point) -> Point:
    """The sum of two points in extended coordinates (RFC 8032, section 5.1.4)."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    g, h, i, j = f - e, d - c, d + c, f + e
    return g * h % P, i * j % P, h * i % P, g * j % P


def times(scalar: int, point: Point) -> Point:
    total = NEUTRAL
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def is_neutral(point: Point) -> bool:
    return point[0] % P == 0 and (point[1] - point[2]) % P == 0
