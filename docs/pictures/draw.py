#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the pictures of the pages under docs/, beside itself.

    draw.py            writes them
    draw.py --check    whether the ones that are there are those it would write

Numbers in the cells are computed here, by the formulas of the pages.
"""
import sys
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).resolve().parent
LINE, TEXT, SOFT = "#555555", "#222222", "#777777"
WHITE, GREY = "#ffffff", "#ebebeb"
BLUE, ORANGE, GREEN, PURPLE = "#2f6db0", "#d9730d", "#3a8f3a", "#8250a8"
PALE = {BLUE: "#cfe2f5", ORANGE: "#fde0c2", GREEN: "#d3ecd1", PURPLE: "#e6daf0"}


class Picture:
    """Shapes on a white ground of their own, so that they are read on dark pages too."""

    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [f"<title>{escape(title)}</title>", f'<rect width="{width}" height="{height}" fill="{WHITE}"/>']

    def rect(self, x, y, width, height, fill=WHITE, stroke=LINE, thick=1, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" '
                          f'stroke="{stroke}" stroke-width="{thick:g}"{dashed}/>')

    def frame(self, x, y, width, height, colour, thick=3, dash=""):
        self.rect(x, y, width, height, "none", colour, thick, dash)

    def text(self, x, y, words, size=14, colour=TEXT, anchor="middle", weight="normal"):
        """Words whose middle is at height y."""
        self.parts.append(f'<text x="{x:g}" y="{y + size * 0.35:g}" font-size="{size:g}" fill="{colour}" '
                          f'text-anchor="{anchor}" font-weight="{weight}">{escape(str(words))}</text>')

    def line(self, x0, y0, x1, y1, colour=LINE, thick=1.5, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{colour}" '
                          f'stroke-width="{thick:g}"{dashed}/>')

    def arrow(self, x0, y0, x1, y1, colour=LINE, thick=1.5):
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        bx, by = x1 - 8 * ux, y1 - 8 * uy
        self.line(x0, y0, bx, by, colour, thick)
        self.parts.append(f'<polygon points="{x1:.1f},{y1:.1f} {bx - 4 * uy:.1f},{by + 4 * ux:.1f} '
                          f'{bx + 4 * uy:.1f},{by - 4 * ux:.1f}" fill="{colour}"/>')

    def grid(self, x, y, rows, columns, cell, words=None, fill=None, size=None):
        """Cells; words(row, column) and fill(row, column) say what is in them."""
        for r in range(rows):
            for c in range(columns):
                self.rect(x + c * cell, y + r * cell, cell, cell, fill(r, c) if fill else WHITE)
                if words:
                    self.text(x + (c + 0.5) * cell, y + (r + 0.5) * cell, words(r, c), size or cell * 0.48)

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" font-family="Helvetica, Arial, sans-serif">')
        note = ("<!-- SPDX-FileCopyrightText: 2026 The Synelix developers -->\n"
                "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->\n")
        return note + "\n".join([head, *self.parts, "</svg>"]) + "\n"


def convolve():
    x = [0, 1, 0, 0, 2, 0, 1, 0, 0, 3, 1, 0, 0, 1, 0]
    taps = [[4, 1], [3, 1], [2, -1], [1, -1]]
    window, at, cell, left = 4, 8, 36, 130
    picture = Picture(700, 322, "Convolution of a series with a bank of filters")
    picture.text(left - 12, 58, "x(t, c)", anchor="end")
    picture.grid(left, 40, 1, len(x), cell, lambda _, t: x[t],
                 lambda _, t: PALE[BLUE] if at - window <= t < at else WHITE)
    picture.frame(left + (at - window) * cell, 40, window * cell, cell, BLUE)
    picture.text(left + (at - window / 2) * cell, 24, "window of row t", colour=BLUE)
    for b, colour in enumerate((ORANGE, GREEN)):                      # newest tap on the right
        y = 112 + b * 50
        picture.text(left - 12, y + cell / 2, f"taps(w, {b})", anchor="end")
        picture.grid(left + (at - window) * cell, y, 1, window, cell,
                     lambda _, i: taps[window - 1 - i][b], lambda *_: PALE[colour])
        picture.arrow(left + at * cell + 6, y + cell / 2, left + at * cell + 30, y + cell / 2, colour)
        terms = [(x[at - 1 - w], taps[w][b]) for w in reversed(range(window))]
        products = " + ".join(f"{v}·{k if k >= 0 else f'({k})'}" for v, k in terms)
        picture.text(left + at * cell + 38, y + cell / 2, f"{products} = {sum(v * k for v, k in terms)}",
                     anchor="start", colour=colour)
    for i in range(window):
        picture.text(left + (at - window + i + 0.5) * cell, 94, window - 1 - i, 12, SOFT)
    picture.text(left - 12, 94, "w", 12, SOFT, "end")

    def feature(b, t):
        return "NaN" if t < window else sum(taps[w][b] * x[t - 1 - w] for w in range(window))
    top = 222
    for b, colour in enumerate((ORANGE, GREEN)):
        picture.text(left - 12, top + (b + 0.5) * cell, f"features(t, c, {b})", anchor="end")
        picture.grid(left, top + b * cell, 1, len(x), cell, lambda _, t: feature(b, t),
                     lambda _, t: GREY if t < window else PALE[colour] if t == at else WHITE, 14)
    picture.frame(left + at * cell, top, cell, 2 * cell, BLUE)
    picture.text(left + (at + 0.5) * cell, top + 2 * cell + 14, "t", colour=BLUE)
    picture.text(left + window / 2 * cell, top + 2 * cell + 14, "no whole window yet", 12, SOFT)
    return picture


def matmul():
    colours, share, cell = (BLUE, ORANGE, GREEN, PURPLE), 28, 18
    picture = Picture(700, 330, "A list of products, cut into equal shares")
    done = 0
    places = ((12, 7, 84), (4, 4, 300), (2, 4, 462), (2, 2, 624))
    for i, (rows, columns, x) in enumerate(places):
        inner, top = 3, 84
        picture.grid(x - (inner + 0.5) * cell, top, rows, inner, cell, fill=lambda *_: GREY)
        picture.grid(x, top - (inner + 0.5) * cell, inner, columns, cell, fill=lambda *_: GREY)
        first = done
        picture.grid(x, top, rows, columns, cell,
                     fill=lambda r, c: PALE[colours[(first + r * columns + c) // share]])
        for team, colour in enumerate(colours):
            begin, end = max(first, team * share), min(first + rows * columns, (team + 1) * share)
            if begin < end:
                y = top + (begin - first) // columns * cell
                height = (end - begin) // columns * cell
                picture.frame(x, y, columns * cell, height, colour)
        done += rows * columns
        picture.text(x - (inner / 2 + 0.5) * cell, top - 14, "a", weight="bold")
        picture.text(x + columns * cell / 2, top - (inner + 0.5) * cell - 12, f"b of product {i}", 12)
    left, top = 300, 196
    picture.text(left, top, "what each team computes, in values of c", anchor="start", size=13)
    for team, (colour, parts) in enumerate(zip(colours, ((28,), (28,), (28,), (16, 8, 4)))):
        y, x = top + 18 + team * 28, left + 64
        picture.text(left, y + 10, f"team {team}", anchor="start", colour=colour, size=13)
        for part in parts:
            picture.rect(x, y, part * 9, 20, PALE[colour], colour, 2)
            picture.text(x + part * 4.5, y + 10, part, 12)
            x += part * 9
    return picture


def sliding_windows():
    cell, length, columns = 26, 12, 5
    picture = Picture(700, 306, "Products with overlapping windows are slices of one product")
    left = 190
    picture.grid(40, 184, 3, 4, cell, fill=lambda *_: GREY)
    picture.text(40 + 2 * cell, 184 + 3 * cell + 18, "a (rows, inner)")
    picture.grid(left, 42, 4, length, cell)
    picture.text(left + length * cell + 14, 42 + 2 * cell, "b (inner, length)", anchor="start")
    picture.grid(left, 184, 3, length, cell)
    picture.text(left + length * cell + 14, 184 + 1.5 * cell, "a b (rows, length)", anchor="start")
    for place, colour, inset in ((0, BLUE, 0), (3, ORANGE, 4), (7, GREEN, 0)):
        for y, rows in ((42, 4), (184, 3)):
            picture.frame(left + place * cell + inset, y + inset, columns * cell - 2 * inset,
                          rows * cell - 2 * inset, colour)
        x = left + (place + columns / 2) * cell
        picture.arrow(x, 42 + 4 * cell + 5, x, 180, colour)
        picture.text(x, 26, f"window {place}", colour=colour, size=13)
        picture.text(x, 184 + 3 * cell + 18, f"c({place}, :, :)", colour=colour, size=13)
    return picture


def bilinear_forms():
    cell, n, rows, row, first, tile = 22, 8, 6, 2, 2, 3
    picture = Picture(700, 330, "A form is a product tile, then a dot product")
    xs, top = 30, 88

    def mark(x, y, columns, at, colour):
        picture.frame(x, y + at * cell, columns * cell, cell, colour)
    picture.grid(xs, top, rows, n, cell, fill=lambda r, _: PALE[BLUE] if r == row else WHITE)
    mark(xs, top, n, row, BLUE)
    picture.text(xs + n * cell / 2, top - 16, "x (count, m)")
    picture.text(xs - 10, top + (row + 0.5) * cell, "i", colour=BLUE)
    picture.text(xs + n * cell + 18, top + (row + 0.5) * cell, "·", 24)
    xa, ya = xs + n * cell + 36, top + (row + 0.5) * cell - n * cell / 2
    picture.grid(xa, ya, n, n, cell, fill=lambda _, c: PALE[ORANGE] if first <= c < first + tile else WHITE)
    picture.frame(xa + first * cell, ya, tile * cell, n * cell, ORANGE)
    picture.text(xa + n * cell / 2, ya - 16, "a (m, n)")
    xy = xa + n * cell + 36
    picture.text(xy - 18, top + (row + 0.5) * cell, "·", 24)
    picture.grid(xy, top, rows, n, cell, fill=lambda r, c: WHITE if r != row else
                 PALE[GREEN] if first <= c < first + tile else GREY)
    picture.frame(xy + first * cell, top + row * cell, tile * cell, cell, GREEN)
    picture.text(xy + n * cell / 2, top - 16, "y (count, n)")
    yc = 262
    xc = xa + first * cell
    picture.grid(xc, yc, 1, tile, cell, fill=lambda *_: PALE[ORANGE])
    picture.frame(xc, yc, tile * cell, cell, ORANGE)
    picture.arrow(xc + tile * cell / 2, ya + n * cell + 5, xc + tile * cell / 2, yc - 4, ORANGE)
    picture.text(xc + tile * cell / 2, yc + cell + 16, "x_i a, a tile at a time, in cache", 13, ORANGE)
    xd = xy + (first + tile / 2) * cell
    picture.line(xd, top + (row + 1) * cell + 4, xd, yc + cell / 2, GREEN)
    picture.line(xc + tile * cell + 4, yc + cell / 2, xd, yc + cell / 2)
    picture.arrow(xd, yc + cell / 2, xy + n * cell + 18, yc + cell / 2)
    picture.text((xc + tile * cell + xd) / 2, yc + cell / 2 - 12, "dot", 13)
    xq = xy + n * cell + 20
    picture.rect(xq, yc, cell, cell, PALE[BLUE], BLUE, 3)
    picture.text(xq + cell / 2, yc + cell + 16, "q(i)", colour=BLUE)
    picture.text(xq + cell / 2, yc - 12, "+=", 13)
    return picture


def convolution():
    image = [[1, 0, 2, 1, 0], [0, 3, 1, 0, 2], [2, 1, 0, 1, 1], [0, 0, 1, 2, 0], [1, 2, 0, 0, 3]]
    taps = [[1, 0, -1], [2, 1, 0], [0, 1, 1]]
    cell, left, top = 34, 30, 52
    padded = [[image[r][c] if 0 <= r < 5 and 0 <= c < 5 else 0 for c in range(-1, 6)] for r in range(-1, 6)]
    result = [[sum(taps[i][j] * padded[2 * r + i][2 * c + j] for i in range(3) for j in range(3))
               for c in range(3)] for r in range(3)]
    picture = Picture(700, 318, "A convolution in two dimensions, with padding and stride")
    picture.grid(left, top, 7, 7, cell, lambda r, c: padded[r][c],
                 lambda r, c: WHITE if 0 < r < 6 and 0 < c < 6 else GREY)
    picture.frame(left + cell, top + cell, 5 * cell, 5 * cell, TEXT, 2)
    picture.text(left + 3.5 * cell, 20, "x, padding 1")
    xw, xy = 340, 530
    picture.grid(xw, top + 2 * cell, 3, 3, cell, lambda r, c: taps[r][c], lambda *_: PALE[PURPLE])
    picture.text(xw + 1.5 * cell, top + 1.5 * cell, "w, 3 × 3 taps")
    picture.grid(xy, top + 2 * cell, 3, 3, cell, lambda r, c: result[r][c],
                 lambda r, c: {(0, 0): PALE[BLUE], (0, 1): PALE[ORANGE]}.get((r, c), WHITE))
    picture.text(xy + 1.5 * cell, top + 1.5 * cell, "y")
    picture.text((left + 7 * cell + xw) / 2, top + 3.5 * cell, "·", 28)
    picture.text((xw + 3 * cell + xy) / 2, top + 3.5 * cell, "=", 22)
    for c, colour, inset in ((0, BLUE, 0), (1, ORANGE, 4)):
        picture.frame(left + 2 * c * cell + inset, top + inset, 3 * cell - 2 * inset, 3 * cell - 2 * inset, colour)
        picture.frame(xy + c * cell, top + 2 * cell, cell, cell, colour)
    picture.arrow(left + 1.5 * cell, top - 12, left + 3.5 * cell, top - 12, ORANGE)
    picture.text(left + 3.6 * cell, top - 12, "stride 2", 12, ORANGE, "start")
    return picture


def padding_and_groups():
    cell, left = 30, 110
    values = "abcde"
    picture = Picture(700, 268, "Kinds of padding, and groups of channels")
    kinds = (("zero", lambda i: values[i] if 0 <= i < 5 else "0"), ("circular", lambda i: values[i % 5]),
             ("reflect", lambda i: values[-i if i < 0 else 8 - i if i > 4 else i]))
    for k, (name, value) in enumerate(kinds):
        y = 54 + k * 66
        picture.text(left - 12, y + cell / 2, name, anchor="end")
        picture.grid(left, y, 1, 9, cell, lambda _, i: value(i - 2),
                     lambda _, i: WHITE if 2 <= i < 7 else PALE[ORANGE])
        picture.frame(left + 2 * cell, y, 5 * cell, cell, TEXT, 2)
    picture.text(left + 4.5 * cell, 26, "padding 2 of five values")
    for x, title, channels, results, groups in ((440, "groups 2", 4, 6, 2), (590, "depthwise", 4, 4, 4)):
        picture.text(x + 40, 26, title)
        colours = (BLUE, GREEN, ORANGE, PURPLE)

        def y_of(i, count):
            return 54 + (i + 0.5) * 180 / count
        for c in range(channels):
            for o in range(results):
                if c * groups // channels == o * groups // results:
                    picture.line(x + 9, y_of(c, channels), x + 71, y_of(o, results),
                                 colours[c * groups // channels])
        for at, count in ((x, channels), (x + 80, results)):
            for i in range(count):
                colour = colours[i * groups // count]
                picture.rect(at - 10, y_of(i, count) - 10, 20, 20, PALE[colour], colour, 2)
        picture.text(x, 250, "channels", 12)
        picture.text(x + 80, 250, "results", 12)
    return picture


def transposed_convolution():
    x, taps, stride, cell, left = [2, 1, 3], [1, 4, 2], 2, 38, 250
    length = (len(x) - 1) * stride + len(taps)
    y = [sum(x[p] * taps[q - p * stride] for p in range(len(x)) if 0 <= q - p * stride < len(taps))
         for q in range(length)]
    picture = Picture(700, 300, "A transposed convolution adds up scattered taps")
    picture.text(102, 24, "x", weight="bold")
    picture.text(left + 3.5 * cell, 24, "x(p) times the taps 1, 4, 2, stride 2")
    for p, colour in enumerate((BLUE, ORANGE, GREEN)):
        top = 46 + p * 56
        picture.rect(83, top, cell, cell, PALE[colour], colour, 3)
        picture.text(102, top + cell / 2, x[p], 18)
        picture.arrow(83 + cell + 8, top + cell / 2, left + p * stride * cell - 6, top + cell / 2, colour)
        picture.grid(left + p * stride * cell, top, 1, len(taps), cell, lambda _, k: x[p] * taps[k],
                     lambda *_: PALE[colour])
    top = 46 + 3 * 56 + 16
    picture.line(left - 6, top - 12, left + length * cell + 6, top - 12, TEXT, 2)
    picture.grid(left, top, 1, length, cell, lambda _, q: y[q])
    picture.text(left - 14, top + cell / 2, "y", weight="bold")
    picture.text(left + length * cell + 16, top + cell / 2, "sums of columns", 13, SOFT, "start")
    return picture


def convolution_gradients():
    cell = 22
    picture = Picture(700, 296, "A convolution and its gradients meet the same three values")
    panels = (("forward", "w", "x", "y", "y"), ("by the input", "w", "grad_x", "grad_y", "x"),
              ("by the weights", "grad_w", "x", "grad_y", "w"))
    for i, (title, w, x, y, result) in enumerate(panels):
        left = 16 + i * 228
        picture.text(left + 3.5 * cell + 16, 24, title, weight="bold")
        fills = {name: PALE[ORANGE] if name == result else PALE[BLUE] for name in "xwy"}
        places = {"x": (left, 222, 7), "w": (left + 2 * cell, 144, 3), "y": (left + cell, 66, 5)}
        first = 2                                                     # of the window, which is that of y(2)
        for name, (px, py, count) in places.items():
            def fill(_, c, name=name):
                used = {"x": first <= c < first + 3, "w": True, "y": c == first}[name]
                return fills[name] if used else WHITE
            picture.grid(px, py, 1, count, cell, fill=fill)
        labels = {"x": x, "w": w, "y": y}
        for name, (px, py, count) in places.items():
            at, width = {"x": (first, 3), "w": (0, 3), "y": (first, 1)}[name]
            picture.frame(px + at * cell, py, width * cell, cell, ORANGE if name == result else BLUE)
            picture.text(left + 7 * cell + 8, py + cell / 2, labels[name], 13,
                         ORANGE if name == result else TEXT, "start")
        middle = left + 3.5 * cell
        for k in range(3):
            wx = left + (2.5 + k) * cell
            up = (wx, 144 - 3, middle, 66 + cell + 3)
            down = (wx, 144 + cell + 3, wx, 222 - 3)
            if result == "y":
                picture.line(down[2], down[3], down[0], down[1], BLUE)
                picture.arrow(*up, ORANGE)
            elif result == "x":
                picture.line(up[2], up[3], up[0], up[1], BLUE)
                picture.arrow(*down, ORANGE)
            else:
                picture.arrow(up[2], up[3], up[0], up[1], ORANGE)
                picture.arrow(down[2], down[3], down[0], down[1], ORANGE)
        formula = {"y": "y(p) += w(k) x(p + k)", "x": "grad_x(p + k) += grad_y(p) w(k)",
                   "w": "grad_w(k) += grad_y(p) x(p + k)"}[result]
        picture.text(left + 90, 274, formula, 12, SOFT)
    return picture


def stored_types():
    stored = [[-37, 12, 90, 4], [55, -128, 7, 31], [0, 64, -9, 127], [18, -3, 101, -64]]
    cell, left, top = 40, 30, 56
    picture = Picture(700, 290, "Stored values are converted in cache, tile by tile")
    picture.text(left + 3 * cell, 24, "memory: int8, read where it lies")
    picture.grid(left, top, 4, 6, cell, lambda r, c: stored[r][c] if c < 4 else (stored[c - 2][r] + 7) % 128,
                 lambda r, c: PALE[BLUE] if 1 <= r < 3 and 1 <= c < 3 else WHITE, 15)
    picture.frame(left + cell, top + cell, 2 * cell, 2 * cell, BLUE)
    wide, xt = 58, 380
    picture.arrow(left + 6 * cell + 8, top + 2 * cell, xt - 8, top + 2 * cell, BLUE)
    picture.text(xt + wide, 24, "cache: one tile")
    for r in range(2):
        for c in range(2):
            picture.rect(xt + c * wide, top + cell + r * cell, wide, cell, PALE[ORANGE])
            picture.text(xt + (c + 0.5) * wide, top + (r + 1.5) * cell, f"{stored[r + 1][c + 1] / 128:.3f}", 15)
    picture.frame(xt, top + cell, 2 * wide, 2 * cell, ORANGE)
    picture.text(xt + wide, top + 3 * cell + 18, "stored / 128", 13, ORANGE)
    picture.arrow(xt + 2 * wide + 8, top + 2 * cell, xt + 2 * wide + 48, top + 2 * cell, ORANGE)
    picture.text(xt + 2 * wide + 56, top + 2 * cell - 9, "multiplied", 14, anchor="start")
    picture.text(xt + 2 * wide + 56, top + 2 * cell + 9, "at once", 14, anchor="start")
    for i, (name, size) in enumerate((("int8", 1), ("int16", 2), ("float", 4))):
        y = 236 + i * 17
        picture.rect(left + 60, y, size * 45, 12, PALE[BLUE], BLUE)
        picture.text(left + 50, y + 6, name, 12, anchor="end")
        picture.text(left + 60 + size * 45 + 8, y + 6, f"{size} byte{'s' * (size > 1)} a value", 12, anchor="start")
    return picture


def windows_and_borders():
    window, epochs, at, cell, left = 4, ((0, 7), (7, 17)), 11, 33, 172
    lines = (("causal", -1), ("causal, shift off", 0), ("acausal", window // 2),
             ("anti-causal, shift off", window - 1), ("anti-causal", window))
    samples = epochs[-1][1]
    picture = Picture(750, 330, "Which samples a row sees, and which rows are NaN")
    for number, (first, last) in enumerate(epochs):
        picture.text(left + (first + last) / 2 * cell, 18, f"epoch {number}", 13, SOFT)
    for i, (name, offset) in enumerate(lines):
        top = 36 + i * 50
        picture.text(left - 12, top + cell / 2, name, 13, anchor="end")
        for t in range(samples):
            first, last = next(epoch for epoch in epochs if epoch[0] <= t < epoch[1])
            is_nan = t + offset - (window - 1) < first or t + offset > last - 1
            is_seen = at + offset - (window - 1) <= t <= at + offset
            picture.rect(left + t * cell, top, cell, cell, PALE[BLUE] if is_seen else GREY if is_nan else WHITE)
            picture.text(left + (t + 0.5) * cell, top + cell / 2, "NaN" if is_nan else t, 11 if is_nan else 13,
                         SOFT if is_nan else TEXT)
        picture.frame(left + (at + offset - window + 1) * cell, top, window * cell, cell, BLUE)
        picture.frame(left + at * cell + 3, top + 3, cell - 6, cell - 6, ORANGE, 2)
    border = left + epochs[1][0] * cell
    picture.line(border, 28, border, 36 + 4 * 50 + cell + 6, PURPLE, 2.5, "5 4")
    picture.text(left, 304, f"row {at}", 13, ORANGE, "start")
    picture.text(left + 70, 304, f"its window of {window} samples", 13, BLUE, "start")
    picture.text(left + 262, 304, "rows without a whole window", 13, SOFT, "start")
    return picture


PICTURES = (convolve, matmul, sliding_windows, bilinear_forms, convolution, padding_and_groups,
            transposed_convolution, convolution_gradients, stored_types, windows_and_borders)


#: Pictures of numbers, which programs of perf/compare draw.
DRAWN_ELSEWHERE = {"scaling", "speed"}


def main(words):
    wrong = []
    for draw in PICTURES:
        path, svg = FOLDER / f"{draw.__name__}.svg", draw().svg()
        if words != ["--check"]:
            path.write_text(svg)
        elif not path.exists() or path.read_text() != svg:
            wrong.append(f"{path} is not what {Path(__file__).name} draws")
    wrong += [f"{path} is drawn by nobody" for path in FOLDER.glob("*.svg")
              if path.stem not in {draw.__name__ for draw in PICTURES} | DRAWN_ELSEWHERE]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
