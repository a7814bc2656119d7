"""Student's two-sided quantiles of docs/spec/base-rate.md, in thousandths, rounded up.

Python 3.8 or later, the standard library, nothing else.

    python3 quantiles.py table   writes vectors/base-rate/quantiles.json to the standard output
    python3 quantiles.py check   makes the table, and holds each number against a second method
"""

import json
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60

DEGREES = [*range(4, 41), 45, 50, 60, 70, 80, 100, 120, 150, 200, 300, 500, 1000]
LEVELS = {
    "interval": Fraction(5, 100),
    "part": Fraction(10, 100),
    **{f"family/{j}": Fraction(5, 100 * 18 * 2 ** (j - 1) * j * (j + 1)) for j in range(1, 11)},
}
DESCRIPTION = (
    "Student's two-sided quantiles in thousandths, rounded up: by level, for each of the degrees of freedom."
)


def decimal(fraction):
    return Decimal(fraction.numerator) / fraction.denominator


def arctangent(x):
    """Halves the angle three times, then takes the alternating series."""
    for _ in range(3):
        x = x / (1 + (1 + x * x).sqrt())
    power, total, k = x, x, 1
    while abs(power) > Decimal(10) ** -65:
        power *= -x * x
        k += 2
        total += power / k
    return 8 * total


PI = 4 * arctangent(Decimal(1))


def tail(t, degrees):
    """
    The probability beyond t on both sides, by the finite sums of Abramowitz and Stegun (1964), 26.7.3 and 26.7.4.
    """
    root = Decimal(degrees).sqrt()
    square = degrees / (degrees + t * t)  # cos² of the angle
    sine = t / (degrees + t * t).sqrt()
    odd = degrees % 2
    term = square.sqrt() if odd else Decimal(1)
    total = term
    for k in range(2 + odd, degrees - 1, 2):
        term *= square * (k - 1) / k
        total += term
    if odd:
        return 1 - 2 / PI * (arctangent(t / root) + sine * total)
    return 1 - sine * total


def quantile(level, degrees):
    """The least number of thousandths with no more than the level beyond it."""
    most = decimal(level)
    low, high = 0, 1000
    while tail(Decimal(high) / 1000, degrees) > most:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if tail(Decimal(middle) / 1000, degrees) > most:
            low = middle
        else:
            high = middle
    return high


def table():
    return {name: [quantile(level, n) for n in DEGREES] for name, level in LEVELS.items()}


def beta_with_a_half(degrees):
    """B(degrees / 2, 1/2), from B(1, 1/2) = 2 or B(1/2, 1/2) = pi by B(a + 1, b) = B(a, b) a / (a + b)."""
    value = PI if degrees % 2 else Decimal(2)
    for k in range(2 - degrees % 2, degrees, 2):
        value = value * k / (k + 1)
    return value


def tail_by_fraction(t, degrees):
    """
    The same probability as the incomplete beta function I_x(n/2, 1/2), x = n / (n + t²), by its continued fraction
    (DLMF 8.17.22), from the back.
    """
    a, b = Decimal(degrees) / 2, Decimal(1) / 2
    x, y = degrees / (degrees + t * t), t * t / (degrees + t * t)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(b, a, y, x, degrees)
    return beta_share(a, b, x, y, degrees)


def beta_share(a, b, x, y, degrees):
    """I_x(a, b) with y = 1 - x, for x not above (a + 1) / (a + b + 2)."""
    below = Decimal(1)
    for m in range(400, 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        rising = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        below = 1 + even / (1 + rising / below)
    first = 1 - (a + b) * x / ((a + 1) * below)
    front = (a * x.ln() + b * y.ln()).exp() / (a * beta_with_a_half(degrees))
    return front / first


def check(found):
    """The least distance of any level from the probabilities beyond its two thousandths, in parts of the level."""
    near = Decimal(1)
    for name, level in LEVELS.items():
        most = decimal(level)
        for n, thousandths in zip(DEGREES, found[name]):
            here, before = (tail_by_fraction(Decimal(each) / 1000, n) for each in (thousandths, thousandths - 1))
            assert here <= most < before, (name, n, thousandths)
            near = min(near, (most - here) / most, (before - most) / most)
            for each, at in ((here, thousandths), (before, thousandths - 1)):
                apart = abs(each / tail(Decimal(at) / 1000, n) - 1)
                assert apart < Decimal(10) ** -40, (name, n, apart)
    return near


def text(found):
    levels = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
    description, degrees = json.dumps(DESCRIPTION), json.dumps(DEGREES)
    return f'{{\n "description": {description},\n "degrees": {degrees},\n "levels": {{\n{levels}\n }}\n}}\n'


def main(arguments):
    if arguments == ["table"]:
        sys.stdout.write(text(table()))
    elif arguments == ["check"]:
        found = table()
        near = check(found)
        print(f"{sum(map(len, found.values()))} quantiles, the nearest {near:.1e} of its level away")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
