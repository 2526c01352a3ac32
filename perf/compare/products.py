# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of matrix products that the library and its peers are asked for."""
import array


class Problem:
    """A set of products: rows, inner and columns of each, or of all; perf/runners/products_runner.hpp describes their
    values."""

    def __init__(self, kind, shapes, count=1, length=0, scalar="float32", stored=None):
        self.kind, self.shapes, self.count, self.length, self.scalar = kind, shapes, count, length, scalar
        self.stored = stored or scalar         # of left operands

    def of(self, **changes):
        return Problem(**{**vars(self), **changes})

    def words(self):
        return {"kind": self.kind, "shapes": self.shapes, "count": self.count, "length": self.length,
                "scalar": self.scalar, "stored": self.stored}

    def operations(self):
        """Operations of the products, computed one by one."""
        return 2.0 * self.count * sum(rows * inner * columns for rows, inner, columns in self.shapes)

    def products(self):
        if self.kind == "forms":
            return 1
        if self.kind == "windows":
            return self.length - self.shapes[0][2] + 1
        return self.count if self.kind == "batch" else len(self.shapes)

    def terms(self, product, i, j):
        """The terms of value (i, j) of a product, of operands that are rounded to the scalar."""
        if self.kind == "forms":
            return self.terms_of_form(i)
        _, inner, columns = self.shapes[product if self.kind == "list" else 0]
        left, right, row = i * inner, j, columns
        if self.kind == "windows":
            right, row = product + j, self.length
        elif self.kind == "list":
            left += sum(rows * n for rows, n, _ in self.shapes[:product])
            right += sum(n * width for _, n, width in self.shapes[:product])
        else:
            left += product * self.shapes[0][0] * inner
            right += product * inner * columns
        a = [((left + k) * 7919 % 251 - 125) / 128 for k in range(inner)] if self.stored == "int8" else \
            self.values((left + k for k in range(inner)), 7919, 1009)
        b = self.values((right + k * row for k in range(inner)), 104729, 1013)
        return [x * y for x, y in zip(a, b)]

    def terms_of_form(self, i):
        """The terms of x_i a x_i: value (0, i, 0) of forms, whose left operands are vectors and whose right one is
        a."""
        _, inner, columns = self.shapes[0]
        x = self.values((i * inner + k for k in range(inner)), 7919, 1009)
        a = self.values(range(inner * columns), 104729, 1013)
        return [x[k] * a[k * columns + j] * x[j] for k in range(inner) for j in range(columns)]

    def values(self, places, factor, divisor):
        code = "f" if self.scalar == "float32" else "d"
        return array.array(code, (i * factor % divisor / divisor - 0.5 for i in places))
