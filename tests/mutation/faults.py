# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that nobody would see but for one test, and that test. Mutate.py plants each and wants the test to fail."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Fault:
    """Edits of a copy of the tree: (file, text before, text after), of which each has to be found once. `sources` are
    compiled again; none: all that are or include what is edited. The test is one of GoogleTest in the program of `target`
    (`test` is its filter), the program itself, or a script of Python that finds it in SYNELIX_TOOL; with `arguments`."""

    name: str
    edits: tuple
    target: str
    test: str = ""
    script: str = ""
    arguments: tuple = ()
    sources: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    is_quick: bool = False                                    # CI runs it: one small file to compile


# Each barrier of the FFT method with a window in parts: what a thread would not wait for, and the place of the barrier.
BARRIERS = (
    ("blocks that are cut", "item.blocks_out[first + i] = block;\n    });\n    BARRIER"),
    ("samples that are moved", "to[value] = from[value];\n      });\n      BARRIER"),
    ("samples that come in", "{lane, lane + item.work.pack_lanes}, moved);\n    }\n    BARRIER"),
    ("marks of what is not finite", "marks[i] = is_finite(energy[i]) ? Scalar(0) : Scalar(1); });\n    BARRIER"),
    ("zeros for what is not finite", "{ zero_what_is_not_finite(item.incoming, lane + i); });\n    BARRIER"),
    ("windows of a lane that is recomputed", "gather_packs(team, *this, window, {0, 1});\n      BARRIER"),
    ("rows of a lane that is recomputed", "LaneSamples<Scalar>{values, 1});\n      });\n      BARRIER"),
    ("threads that still recompute", "BARRIER  // the next block is cut where the slowest thread"),
    ("rows without a value", "LaneSamples<Scalar>{nullptr, 0});\n    });\n    BARRIER"),
)


def without_barrier(name, place):
    """The program of the test has one object that runs the sweep, and that is compiled again."""
    return Fault(f"the parted transform does not wait for {name}",
                 (("src/convolve/fft/fft.hpp", place.replace("BARRIER", "team.team_barrier();"),
                   place.replace("BARRIER", "")),),
                 "test_fft_barriers", "*FftPartsBarriers*AreEnough*",
                 sources=("tests/convolve/test_fft_parts_barriers.cpp",))


FAULTS = [
    # ---- products, forms and convolution operators
    Fault("a one-shot matmul returns before it is done",
          (("src/products/plan/matmul.cpp", '  exec.fence("synelix::matmul: the workspace is released");\n', ""),),
          "test_launches", "OneShots.*", is_quick=True),
    Fault("one-shot forms return before they are done",
          (("src/products/plan/bilinear_forms.cpp",
            '    exec.fence("synelix::bilinear_forms: the workspace is released");\n', ""),),
          "test_launches", "OneShots.*"),
    Fault("beta = 0 reads a result that lies with gaps",
          (("src/products/sweep/matmul.hpp", "if (product.beta != Scalar(0)) value += product.beta * *to;",
            "value += product.beta * *to;"),),
          "test_matmul", "*BetaZeroReadsNoResultOfAnyPlacement*", sources=("src/products/plan/prepared_products.cpp",)),
    Fault("the last single row of small products of a batch is left out",
          (("src/products/sweep/matmul.hpp", "if (rows > 0) table->matrix[packs][rows](tile);",
            "if (rows > 1) table->matrix[packs][rows](tile);"),),
          "test_matmul", "*BatchesOfSmallProductsAreTheThreeLoops*", sources=("src/products/plan/prepared_products.cpp",)),
    Fault("a sum of products forgets where the last block of inner indices ends",
          (("src/products/sweep/matmul.hpp", "tile.ends = is_direct && k + inner == product.inner;",
            "tile.ends = is_direct && k + inner >= product.inner - 1;"),),
          "test_matmul", "*AnyShapeLayoutAndTypeIsTheThreeLoops*:*BetaZeroReadsNoResultOfAnyPlacement*",
          sources=("src/products/plan/prepared_products.cpp",)),
    Fault("the scales of an operand of a convolution are not looked at for overlap",
          (("src/launch/apart.cpp", '  add(name, "\'s scales", operand.scale());\n', ""),),
          "test_arguments", "ConvOverlap.*", is_quick=True),
    Fault("a borrowed workspace is not looked at for overlap",
          (("src/convolve/plan/prepared_convolution.hpp",
            '    arguments.writes("features", features)\n        .writes("workspace", m_workspace.data(), m_workspace.size());\n',
            '    arguments.writes("features", features);\n'),),
          "test_arguments", "Overlap.OfEveryArgumentOfAConvolutionIsRefused", sources=("src/convolve/plan/convolve.cpp",)),
    Fault("the least budget of windows is that of products that are not sliced",
          (("src/products/choice/product_parts.cpp", "least = std::min(least, least_bytes(cut));", "least = least_bytes(cut);"),),
          "test_arguments", "LeastBudgetOfMatrices.OfProductsAndWindowsWorks"),
    Fault("the table of a list of products is held twice",
          (("src/launch/upload.hpp", "  if constexpr (is_host_space<ExecutionSpace>) {\n    return values.data();",
            "  if constexpr (!is_host_space<typename ExecutionSpace::execution_space>) {\n    return values.data();"),),
          "test_allocations", "Heap.OfAListOfProductsIsInTheBudget", sources=("src/products/plan/prepared_products.cpp",)),
    Fault("a stride that reaches beyond all memory is taken",
          (("src/launch/arrays.cpp", "    if (bytes == most_bytes) {", "    if (bytes < 0) {"),),
          "test_arguments", "CountedSizes.OfMatricesAreRefused", is_quick=True),
    Fault("a convolution mirrors its input one position too far",
          (("src/operators/plan/conv_padding.hpp", "true, {axis.in - 1 - axis.after, axis.in - 1}}",
            "true, {axis.in - axis.after, axis.in - 1}}"),),
          "test_conv", "*EveryPaddingStrideDilationAndGroupIsTheObviousLoops*",
          sources=("src/operators/plan/conv_shape.cpp",)),
    # ---- models
    Fault("pairs of events are left out where a chunk has no valid row",
          (("src/glm/pass/event_pass.cpp", "has_valid(design.valid, {chunk.begin, chunk.end + design.halo})",
            "has_valid(design.valid, chunk)"),),
          "test_glm_event_pass", "EventPass.TakesPairsOfAChunkWithoutValidRows"),
    Fault("an answer of a walk of one request is taken for that of several",
          (("src/glm/pass/remembered_pass.cpp", ".word(way)", ".word(0 * way)"),),
          "test_glm_remembered_pass", "RememberedPass.AnswersOfOtherProductsAreNotTaken"),
    Fault("a dense pass says of all products that they are of one way",
          (("src/glm/pass/dense_pass.cpp", "return takes_one_by_one(predictors, lanes) ? 1 : 0;",
            "return takes_one_by_one(predictors, lanes) ? 0 : 0;"),),
          "test_glm_remembered_pass", "RememberedPass.OfADensePassHasTheBitsOfEachWay"),
    Fault("the number of classes is taken for a class",
          (("src/glm/rows/check_targets.cpp", "y < static_cast<double>(loss.classes)",
            "y <= static_cast<double>(loss.classes)"),),
          "test_glm_score", "ScoreRefuses.TargetsThatTheFamilyCannotHave"),
    Fault("a refused target has the number of its row in its part",
          (("src/glm/rows/check_targets.cpp", "const std::int64_t t = rows.begin + i;",
            "const std::int64_t t = 0 * rows.begin + i;"),),
          "test_glm_score", "ScoreRefuses.TargetsBehindTheFirstPartOfTheRows"),
    Fault("weights below 0 are taken where targets are sound",
          (("src/glm/rows/check_targets.cpp", "!(block.weights[i] >= 0 && std::isfinite(block.weights[i]))",
            "!std::isfinite(block.weights[i])"),),
          "test_glm_score", "ScoreRefuses.WeightsAndOffsetsThatAreNone"),
    Fault("a result may lie on the stored matrix of its design",
          (("src/glm/design/results_apart.cpp", "input : pass.inputs()", "input : pass.inputs().first(0)"),),
          "test_glm_score", "Predict.RefusesResultsOverTheFeatures"),
    Fault("the search of a dispersion ignores the cancellation",
          (("src/glm/fit/dispersion.cpp", "if (is_cancelled(problem.options)) return {};", ""),),
          "test_glm_fit", "FitEnds.TheSearchOfADispersionHeedsTheCancellation"),
    Fault("a path has strength 0 with fewer rows than parameters",
          (("src/glm/path/path_problem.cpp", "if (std::count(given.begin(), given.end(), 0.0) > 0)",
            "if (std::count(given.begin(), given.end(), -1.0) > 0)"),),
          "test_glm_path", "PathEnds.OfStrengthZeroNeedsAsManyRowsAsParameters"),
    # ---- models on a device
    Fault("a device leaves out the blocks of the waves before",
          (("src/glm/sweep/device_losses.hpp", "double total = begins ? 0.0 : totals[i];", "double total = 0.0;"),),
          "test_device_pass", "DevicePass.HasOneAnswer", sources=("tests/glm/test_device_pass.cpp",)),
    Fault("rows whose features are not finite have a loss on a device",
          (("src/glm/sweep/device_losses.hpp", "const double weight = from.valid[t] == 0 ? 0.0 : observed.weights[at];",
            "const double weight = observed.weights[at];"),),
          "test_device_pass", "DevicePass.EvaluatesManySidesAndClasses", sources=("tests/glm/test_device_pass.cpp",)),
    # ---- convolution
    Fault("windows reach over the last sample of an epoch",
          (("src/index/segment.hpp", "return {range.begin + layout.front, range.end - layout.back};",
            "return {range.begin + layout.front, range.end - layout.back + (layout.back > 1 ? 1 : 0)};"),),
          "test_index", "Index.*", sources=("tests/ground/test_index.cpp",)),
    Fault("a filter that is a part of another is taken for the same",
          (("src/convolve/plan/shared_filter.cpp", "if (size == 0 || support(b).size() != size) return false;",
            "if (size == 0 || support(b).size() < size) return false;"),),
          "test_convolve", "*SharedFilters*:*Shared*"),
    Fault("one value that is not finite hides behind another chain of sums",
          (("src/tile/scan.hpp", "  for (const Scalar value : values) {\n    if (value != Scalar(0)) return false;",
            "  for (int i = 0; i < Pack::lanes; ++i) {\n    if (values[i] != Scalar(0)) return false;"),),
          "test_tile", "*FindsEachSampleThatIsNotFinite*"),
    *(without_barrier(*barrier) for barrier in BARRIERS),
    Fault("a line of less than a pack is read where it lies",
          (("src/convolve/direct/line_strips.hpp", "stored.size() == seen.size() && rows.size() * m_channels >= m_tiles.lanes() &&",
            "stored.size() == seen.size() &&"),),
          "test_convolve_random", "*OfLinesWithFewRowsOfAWholeWindow*"),
    Fault("events that a stream keeps lose their counts",
          (("src/pack/past.hpp", "        to.counts[next++] = past.counts[e];", "        to.counts[next++] = 1.0F;"),),
          "test_convolve_stream", "*HasTheBitsOfTheWholeForAnyBlocks*"),
    Fault("products of spectra leave out the imaginary half of one term",
          (("src/spectral/sums.hpp", "sums[r].re = subtract_product(multiply_add(c, x.re, sums[r].re), s, x.im);",
            "sums[r].re = multiply_add(c, x.re, sums[r].re);"),),
          "test_conv", "*ConvFft*EveryPaddingDilationAndGroupIsTheObviousLoops*"),
    Fault("staged blocks forget the events of whole lists",
          (("src/convolve/staged/staging.cpp", "      blocks.device_bytes += event_list_bytes(m_problem.channels, m_problem.events);\n",
            "      blocks.device_bytes += 0;\n"),),
          "test_choose", "*Staging*"),
    # ---- bases and the vocabulary
    Fault("the last tap of a window is a step times its number",
          (("src/bases/window_grid.hpp", "  if (w == window - 1) return 1.0;\n", ""),),
          "test_basis", "*Spline*:*RaisedCosine*:Taps.*"),
    Fault("a train may repeat its sample",
          (("src/vocabulary/series.cpp", "if (sample > previous && sample < samples) return;",
            "if (sample >= previous && sample < samples) return;"),),
          "test_vocabulary", "Events.*", is_quick=True),
    Fault("a jump of timestamps is seen later",
          (("src/files/source/timestamps_fit.cpp", "constexpr double jump_periods = 1.5;", "constexpr double jump_periods = 1.6;"),),
          "test_nwb", "TimestampsFit.*", is_quick=True),
    # ---- streams and files
    Fault("what is left behind a block that was written is taken twice",
          (("src/streams/boxes.hpp", "    add({{cut.rows.end, box.rows.end}, cut.channels, box.bases});",
            "    add({{cut.rows.begin, box.rows.end}, cut.channels, box.bases});"),),
          "test_stream", "*"),
    Fault("a block starts in a slot that is still in flight",
          (("src/blocks/in_flight.hpp", "    if (m_begun.size() == m_slots) finish_oldest();",
            "    if (m_begun.size() > m_slots) finish_oldest();"),),
          "test_blocks", "InFlight.*"),
    Fault("what is stopped is still handed on",
          (("src/blocks/handoff.hpp", "    if (m_stopped || m_items.empty()) return std::nullopt;",
            "    if (m_items.empty()) return std::nullopt;"),),
          "test_stream", "Stream.*"),
    Fault("channels behind the last block of a stopped run are taken for written",
          (("src/streams/boxes.hpp", "    add({box.rows, {cut.channels.end, box.channels.end}, box.bases});\n", ""),),
          "test_hdf5_resume", "Boxes.*:Hdf5Resume.ChannelsBehindTheLastBlockAreComputed"),
    Fault("a checkpoint is on the disk before the values that it tells of",
          (("src/files/sink/checkpoint.cpp",
            "void Checkpoint::save_to_disk(const Advance& advance) {\n  sync_data(m_descriptor, m_name);\n",
            "void Checkpoint::save_to_disk(const Advance& advance) {\n"),),
          "test_hdf5_syncs", "*Syncs.*", is_quick=True),
    Fault("an output gets its name before it is on the disk",
          (("src/files/part/part_file.cpp", "  if (finished([&] { return fsync(descriptor()); }) != 0) fail();\n  require_whole();\n",
            "  require_whole();\n"),),
          "test_hdf5_syncs", "*Syncs.*", is_quick=True),
    Fault("a sink's budget leaves out the buffers of its filter",
          (("src/files/sink/hdf5_sink.cpp",
            "  return needs_whole_chunks() ? plain + stream::own_bytes_of_filter(shape, chunk, block) : plain;",
            "  return plain;"),),
          "test_hdf5", "Hdf5Sink.AFilterCountsWhatItsChunksTake", is_quick=True),
    Fault("progress counts the bytes of the run before",
          (("src/streams/pipeline.cpp", "                        .bytes_written = values * size_of(features.type),",
            "                        .bytes_written = (m_values_before + values) * size_of(features.type),"),),
          "test_hdf5_resume", "Hdf5Resume.ProgressCountsTheBytesOfThisRunAndTheValuesOfAll"),
]
