# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution operators that the library and its peers are asked for (perf/runners/conv_runner.hpp says what arrays hold)."""
import itertools
import math


class Conv:
    def __init__(self, operator, batch, channels, results, space, taps, groups=1, padding=0, channels_last=True,
                 stored="float32"):
        self.operator, self.batch, self.channels, self.results = operator, batch, channels, results
        self.space, self.taps, self.groups, self.padding = space, taps, groups, padding
        self.channels_last, self.stored = channels_last, stored

    def of(self, **changes):
        return Conv(**{**vars(self), **changes})

    def words(self):
        return vars(self)

    def outputs(self):
        return [n + 2 * self.padding - k + 1 for n, k in zip(self.space, self.taps)]

    def result(self):
        """Extents of the result."""
        return {"forward": [self.batch, self.results, *self.outputs()],
                "grad_input": [self.batch, self.channels, *self.space],
                "grad_weights": [self.results, self.channels // self.groups, *self.taps]}[self.operator]

    def operations(self):
        """Multiply-adds count twice; those with padding are included."""
        return (2.0 * self.batch * self.results * self.channels // self.groups
                * math.prod(self.outputs()) * math.prod(self.taps))

    # ------------------------------------------------------------ values, with numpy
    @staticmethod
    def number(extents, place):
        """The number at a place in the order of the dimensions; its last index may be an array."""
        i = 0
        for extent, index in zip(extents, place):
            i = i * extent + index
        return i

    def x(self, *place):
        return (self.number([self.batch, self.channels, *self.space], place) * 7919 % 251 - 125) / 128

    @staticmethod
    def made(numpy, i, factor, divisor):
        return numpy.asarray(i * factor % divisor / divisor - 0.5, "f4").astype("f8")

    def w(self, numpy, *place):
        return self.made(numpy, self.number([self.results, self.channels // self.groups, *self.taps], place), 104729, 1013)

    def y(self, numpy, *place):
        return self.made(numpy, self.number([self.batch, self.results, *self.outputs()], place), 7907, 1009)

    def terms(self, numpy, place):
        """The terms of a value of the result, an array."""
        return numpy.concatenate([numpy.atleast_1d(found) for found in getattr(self, "of_" + self.operator)(numpy, place)])

    def of_forward(self, numpy, place):
        n, o, *at = place
        group = self.channels // self.groups
        first = o // (self.results // self.groups) * group
        for c, *taps in itertools.product(range(group), *map(range, self.taps[:-1])):
            outer = [p + k - self.padding for p, k in zip(at, taps)]
            if all(0 <= p < extent for p, extent in zip(outer, self.space)):
                inner = numpy.arange(self.taps[-1])
                inner = inner[(at[-1] + inner >= self.padding) & (at[-1] + inner < self.padding + self.space[-1])]
                yield self.x(n, first + c, *outer, at[-1] + inner - self.padding) * self.w(numpy, o, c, *taps, inner)

    def of_grad_input(self, numpy, place):
        n, c, *at = place
        group, results = self.channels // self.groups, self.results // self.groups
        first = c // group * results
        for o, *taps in itertools.product(range(results), *map(range, self.taps[:-1])):
            outer = [p - k + self.padding for p, k in zip(at, taps)]
            if all(0 <= p < extent for p, extent in zip(outer, self.outputs())):
                inner = numpy.arange(self.taps[-1])
                seen = at[-1] - inner + self.padding
                inner = inner[(seen >= 0) & (seen < self.outputs()[-1])]
                yield (self.y(numpy, n, first + o, *outer, at[-1] - inner + self.padding)
                       * self.w(numpy, first + o, c % group, *taps, inner))

    def of_grad_weights(self, numpy, place):
        o, c, *taps = place
        channel = o // (self.results // self.groups) * (self.channels // self.groups) + c
        for n, *at in itertools.product(range(self.batch), *map(range, self.outputs()[:-1])):
            outer = [p + k - self.padding for p, k in zip(at, taps)]
            if all(0 <= p < extent for p, extent in zip(outer, self.space)):
                inner = numpy.arange(self.outputs()[-1])
                seen = inner + taps[-1] - self.padding
                inner = inner[(seen >= 0) & (seen < self.space[-1])]
                yield (self.x(n, channel, *outer, inner + taps[-1] - self.padding) * self.y(numpy, n, o, *at, inner))
