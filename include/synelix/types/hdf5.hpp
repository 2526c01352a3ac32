// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>
#include <synelix/types/stream.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// What hdf5.hpp declares, without Kokkos. Programs include hdf5.hpp.

namespace synelix {

/// Which other files a dataset may be read from.
///
/// An HDF5 file can name others: by external links, as sources of virtual datasets, and as external
/// raw data. HDF5 opens every file that is named there, so an untrusted file could make it read any
/// file of the user. HDF5 replaces missing files with fill values. This library checks each file of
/// a dataset before: it must be a regular file, hold the named object, and be in the folder of the
/// opened file or below, after symbolic links are resolved.
enum class Links : std::uint8_t {
  within_folder,  ///< other files outside the folder are an error
  anywhere        ///< for files that are trusted
};

/// A dataset in a file, written FILE:/dataset.
struct FilePath {
  std::string file;                    ///< its name, absolute or from the current folder
  std::string dataset;                 ///< with its slash; empty if only a file was named
  Links links = Links::within_folder;  ///< where other files of the dataset may be
};

/// Splits FILE:/dataset at the last ":/"; text without one is a file.
/// \throws Error for an empty file or a dataset that is only a slash
FilePath parse_file_path(std::string_view text);

/// FILE:/dataset.
std::string to_string(const FilePath& path);

/// Whether the attributes of a dataset are used to interpret its stored values: `conversion` and
/// `offset` (NWB), `scale_factor` and `add_offset` (netCDF) scale them. `_Unsigned` changes the
/// sign of integers. Values are missing, and read as NaN, if `_FillValue`, `missing_value` or
/// netCDF's default marks them, or if they are outside of `valid_range`, `valid_min`, `valid_max`.
enum class AttributeScaling : std::uint8_t {
  use,    ///< they are applied, and so is `channel_conversion`
  ignore  ///< the samples are the stored values
};

/// Whether `timestamps` next to a dataset (NWB) give the times of its samples.
enum class Timestamps : std::uint8_t {
  use,    ///< they give rate, start and epochs; an Error if no rate fits them
  ignore  ///< rate and start come from attributes, if the file has any
};

/// The rate and segments that fit the timestamps of a recording.
struct TimestampsFit {
  double rate_hz = 0;         ///< samples a second: 1 / period
  double most_deviation = 0;  ///< of any timestamp from its fitted time, in samples: at most 0.5
  std::vector<TimeSegment> segments = {};  ///< at least one; samples are those of the file
};

/// Which part of a dataset is read, and how.
struct Hdf5SourceOptions {
  /// Samples of the file that form the series; absent: all. No window reaches beyond them. To
  /// compute only a part of the rows, see StreamOptions::samples.
  std::optional<Range> samples = {};
  /// Channels (flattened) of the file that form the series; absent: all.
  std::optional<Range> channels = {};
  /// Replaces the scaling of the dataset's attributes.
  std::optional<Scaling> scaling = {};
  /// With `scaling`, only the attributes for missing values and for the sign are used.
  AttributeScaling attribute_scaling = AttributeScaling::use;
  /// The dimension that is time, from 0 on. The others are channels, in their order, the last one
  /// fastest. Absent: the first that the program shows that wrote the file (of MATLAB and Octave,
  /// the last of HDF5). An Error if the file says that time is another one.
  std::optional<std::int64_t> time_axis = {};
  /// Half-open ranges of samples of the file; parts outside `samples` are cut off.
  Epochs epochs = {};
  /// The series consists of the samples of these intervals only, one interval after the other; each
  /// is an epoch. They may be in any order, as `read_intervals` returns them. An interval holds the
  /// samples from its start to its stop, where a time that differs from that of a sample by at most
  /// a thousandth of the period counts as equal. A sample at the stop belongs to it unless
  /// `interval_stop` excludes it, the next interval starts there, or samples are bins. An interval
  /// that spans a jump of the timestamps is an epoch on either side. One without a sample is left
  /// out with a warning. Parts outside `samples` are cut off. Needs a rate; excludes `epochs`.
  std::vector<Interval> intervals = {};
  IntervalStop interval_stop = IntervalStop::included;  ///< of `intervals`
  Timestamps timestamps = Timestamps::use;              ///< whether they are read
  /// The fit of another source to the timestamps of this dataset (`timestamps_fit` below); they are
  /// then not read. For processes that compute parts of one recording.
  std::optional<TimestampsFit> timestamps_fit = {};
};

/// A dataset of rank 1 to 7 as a source, with time as the first dimension unless `time_axis` says
/// otherwise; or a group with a dataset named `data`, such as a TimeSeries or ElectricalSeries of
/// NWB.
///
/// Stored float32, float64, (u)int8 and (u)int16 are read as they are, in either byte order;
/// booleans and bit fields of 0 and 1 as int8, float16 as float32, (u)int32 as float64, all
/// exactly. (u)int64 are read as float64 if their values fit in 32 bits: a value that does not is
/// an Error when it is read. Integers with marks of missing values are read as float32 or float64.
/// The sampling rate is taken from an attribute `rate_hz`, `rate` or `sampling_rate` of the
/// dataset, or from the attribute `rate` of a dataset `starting_time` next to it (NWB). The
/// attribute `bin_seconds` says that samples are counts of bins, which start at their times.
///
/// Next to a dataset named `data`, two more datasets of NWB are read. `channel_conversion` has a
/// number for each entry of the second dimension: value = stored * conversion * channel_conversion
/// + offset. And `timestamps`, seconds of each sample, become one rate by this rule:
///
///     jump        a difference above 1.5 times the median of the first 65535 differences
///     segment     the samples between two jumps
///     period      slope of the straight lines, one through each segment, of one common slope, that
///                 fit all timestamps in the sense of least squares; rate = 1 / period
///     start       of each segment: the time of its line at its first sample
///
/// Every timestamp must be within half a period of its line: |timestamp - line| <= period / 2. Then
/// the time of a sample is that of its line, and each segment is an epoch: no window spans a jump.
/// Otherwise an Error names the first sample that is further away. Timestamps that are not finite
/// or that decrease are an Error, too. Timestamps are read twice, 512 KiB at a time (or a chunk of
/// the file, if that is more), and the first piece once more before. They are not read if the
/// options give the fit. If there are both `starting_time` and `timestamps`, which NWB does not
/// provide for, they must agree within half a sample. With neither, the series has no rate.
///
/// If a block does not hold complete chunks of the file, HDF5's chunk cache is made large enough
/// for one row of chunks, within the stream's budget.
class Hdf5Source final : public Source {
 public:
  /// \throws Error if the file or dataset is missing, is not HDF5, is truncated, has another type
  ///         or rank, is empty, needs a filter that HDF5 does not have, or a range leaves it; if
  ///         another file of the dataset is missing, too short or outside the folder (see Links),
  ///         or the dataset is its own source; for an attribute that is not a usable number; for
  ///         timestamps as above; for an invalid `starting_time` or `channel_conversion`; intervals
  ///         that overlap, end before they start, are not finite, or hold no sample
  explicit Hdf5Source(FilePath path, const Hdf5SourceOptions& options = {});
  Hdf5Source(Hdf5Source&&) noexcept;  ///< moves: leaves the source unusable
  ~Hdf5Source() override;

  [[nodiscard]] const SeriesShape& shape() const override;
  void read(Range samples, Range channels, void* buffer) override;
  [[nodiscard]] std::vector<std::int64_t> channel_extents() const override;
  [[nodiscard]] SeriesDescription description() const override;
  [[nodiscard]] std::int64_t own_bytes(std::int64_t samples, std::int64_t channels,
                                       std::int64_t allowed) const override;
  [[nodiscard]] double read_cost(std::int64_t samples, std::int64_t channels,
                                 std::int64_t own_bytes) const override;
  void begin(std::int64_t samples, std::int64_t channels, std::int64_t own_bytes) override;
  /// The fit to the timestamps of all samples of the file; absent: there were none.
  [[nodiscard]] const std::optional<TimestampsFit>& timestamps_fit() const;
  /// Bytes that HDF5's chunk cache of the dataset may take now.
  [[nodiscard]] std::int64_t chunk_cache_bytes() const;

 private:
  struct Opened;
  std::unique_ptr<Opened> m_opened;
};

/// How chunks are compressed.
enum class Compression : std::uint8_t {
  none,            ///< chunks are not compressed
  deflate,         ///< the method of gzip, at a level of 1 to 9
  shuffle_deflate  ///< bytes are reordered first, which often makes numbers smaller
};

/// A filter and its level.
struct Filter {
  Compression compression = Compression::none;  ///< none: `level` is not used
  int level = 1;                                ///< 1 (fast) to 9 (small)
};

/// Reads "none", "deflate:N" or "shuffle,deflate:N". \throws Error for anything else
Filter parse_filter(std::string_view text);

/// What happens to an existing file of the output's name.
enum class Existing : std::uint8_t {
  refuse,   ///< an error
  replace,  ///< it is replaced once the new one is complete
  append    ///< the dataset is added to a copy, which replaces the file once complete
};

/// How a dataset is written.
struct Hdf5OutputOptions {
  Existing existing = Existing::refuse;    ///< what happens to an existing file of that name
  Filter filter = {};                      ///< of the chunks; default: none
  std::string history = {};                ///< what made the file: a command line; an attribute
  std::vector<Attribute> attributes = {};  ///< further attributes of the dataset
};

/// Where a run starts.
enum class Start : std::uint8_t {
  anew,   ///< at the beginning; the FILE.part of another run is replaced
  resume  ///< where the previous run stopped, if there was one, else at the beginning
};

/// What becomes of FILE.part if a run fails or is cancelled after its first block.
enum class Unfinished : std::uint8_t {
  keep,   ///< it stays, for Start::resume
  remove  ///< FILE.part is removed, unless it is complete and its final name was taken meanwhile
};

/// One of the parts of a run that several processes share.
struct OutputPart {
  std::int64_t number = 0;  ///< of this part, 0 to of - 1
  std::int64_t of = 1;      ///< parts of the entire run, at least 1
};

/// How features are written.
struct Hdf5SinkOptions {
  Hdf5OutputOptions output = {};  ///< filter, attributes, and what happens to an existing file
  /// Rows, channels, bases; absent: 1 to 4 MiB, all bases; or the choice of the previous run.
  std::optional<BlockShape> chunk = {};
  Start start = Start::anew;                 ///< `resume` continues with FILE.part
  Unfinished unfinished = Unfinished::keep;  ///< what a failed run leaves
  /// This run writes only these rows. Without a filter, they are written to a FILE.part that other
  /// processes write, too, and `chunk` must be absent. With a filter, they are written to a
  /// separate file (join_parts.hpp). Implies Start::resume and Unfinished::keep; excludes
  /// Existing::append.
  std::optional<OutputPart> part = {};
};

/// A share of the rows of a FILE.part, which one process at a time writes.
struct ShareDescription {
  Range rows = {};                ///< of the entire output
  std::int64_t rows_written = 0;  ///< rows with all values written
  bool is_whole = false;          ///< all rows are written, and the process ended normally
  bool is_being_written = false;  ///< a process writes these rows now
  /// Host of the process that wrote last. Empty: no process has written, or the current one has not
  /// recorded it.
  std::string host = {};
  std::int64_t process = 0;  ///< its number on that host
  std::int64_t seconds = 0;  ///< when it wrote last, since 1970
  std::string failure = {};  ///< why the process stopped; empty: not recorded
};

/// The state of an output that several processes write.
struct PartsDescription {
  std::string file = {};                      ///< FILE.part
  std::int64_t rows = 0;                      ///< of the entire output
  std::int64_t rows_written = 0;              ///< of all shares
  std::vector<ShareDescription> shares = {};  ///< in the order of their rows; together all rows
};

/// The state of FILE.part, whichever process writes it; no value if it is not a file of a run in
/// parts.
/// \throws Error if its ledger is damaged
std::optional<PartsDescription> describe_parts(const std::string& file);

/// Features as a dataset (rows, channels..., bases). In the same group are `time` (seconds of each
/// row, or its sample if no rate is known) and `channel` (the ids); if these names are taken,
/// DATASET_time and DATASET_channel. The attribute `position` of the times says what they mean:
/// "sample"; or, if SeriesDescription::bin_seconds is known, "start of the bin". Then `time_center`
/// (DATASET_time_center) has the centers, and the attributes `bin_seconds` and `centers` of the
/// times name them. A design (FeaturesDescription::terms) is a dataset (rows, columns); in place of
/// the channels there is DATASET_terms, a table with a record (name, first_column, columns,
/// channels, bases) for each term. Attributes of the dataset: axes, coordinates, window, basis and
/// its parameters, causality, shift, border, every, method, instruction_set, rate_hz (of the rows),
/// synelix_version, synelix_revision, synelix_build, history.
///
/// Everything is written to FILE.part next to FILE, flushed to the disk, and renamed at the end. If
/// FILE is replaced, its owner, group and mode are kept as far as the system allows. If FILE is a
/// symbolic link, all of this applies to the target, and the link stays. FILE.part must not exist,
/// or must be left from an interrupted run: a file of another origin, a link, a folder or a pipe of
/// that name is refused. If something else replaces, removes or truncates FILE.part while a run
/// writes it, it does not become FILE.
///
/// FILE.part holds a checkpoint, which is updated after each block, and a fingerprint of what is
/// computed (FeaturesDescription::fingerprint). With Start::resume a run continues from there. The
/// values have the bits of an uninterrupted run, for any budget, batch and number of threads of
/// either run. If the fingerprints differ, an Error names the difference. If FILE holds the dataset
/// already and its fingerprint agrees, there is nothing to do.
///
/// Existing values are first compared with their checksums. Values that do not match are computed
/// again, with a warning that names their rows. A checkpoint that is damaged, or of another version
/// of its format, and damage to HDF5's own records in FILE.part, are errors; FILE.part then stays
/// as it is. Compressed chunks are copied to a new file, which replaces FILE.part once it is on the
/// disk. If the disk has no space for both, `begin` throws an Error with the number of bytes that
/// are needed.
///
/// A killed process (also by SIGKILL) loses the block that was being written and the one that was
/// being computed. If the machine itself stops, everything that was flushed to the disk counts.
/// Data is flushed every ten seconds of a run, and when a run ends. Two kinds of output lose more.
/// A filtered chunk that blocks write in parts counts once it is complete. A file with a user block
/// that is appended to has no checkpoint, and cannot be resumed.
///
/// With a part, independent processes write one FILE.part, each the rows of its part. They may run
/// at the same time, on hosts that share a file system, or one after another. The first creates the
/// file, with one contiguous dataset. Each writes its values in place, and records in a ledger
/// inside the file what it has written. The last to finish renames the file: FILE exists once all
/// rows are written. Parts that were killed or failed can be resumed, by any number of parts. Rows
/// that another process is writing are refused, as is another fingerprint. The values have the bits
/// of a run in one process.
///
/// With a part and a filter, each process writes its own file, FILE.part-I-of-N, with complete
/// chunks of the output. It is written and resumed like FILE in a run without parts. `join_parts`
/// makes FILE of all of them. Another number of parts is refused while part files exist.
class Hdf5Sink final : public Sink {
 public:
  /// \throws Error if FILE exists and may not be replaced, or the folder does not exist
  explicit Hdf5Sink(FilePath path, Hdf5SinkOptions options = {});
  Hdf5Sink(Hdf5Sink&&) noexcept;  ///< moves: leaves the source unusable
  ~Hdf5Sink() override;

  [[nodiscard]] BlockShape chunk(const FeaturesShape& shape,
                                 std::int64_t bytes_at_most) const override;
  /// True with a filter, because a chunk that is written in parts is filtered for each part.
  [[nodiscard]] bool needs_whole_chunks() const override;
  [[nodiscard]] std::int64_t own_bytes(const FeaturesShape& shape, const BlockShape& chunk,
                                       const BlockShape& block) const override;
  void begin(const FeaturesDescription& description) override;
  [[nodiscard]] std::optional<Unwritten> unwritten() const override;
  void write(const Block& block, const void* values) override;
  void finish() override;
  void abandon() noexcept override;
  /// After `begin` of a resumed run: whether FILE existed already, so nothing was done.
  [[nodiscard]] bool was_finished() const;
  /// After `finish` of a part: the state of FILE.part, if rows of other parts are missing. For part
  /// files, one entry for each part, whose rows count as written once it is finished. No value if
  /// FILE is complete.
  [[nodiscard]] const std::optional<PartsDescription>& missing_parts() const;

 private:
  struct Opened;
  std::unique_ptr<Opened> m_opened;
};

/// FILE.part next to FILE, if an interrupted run has left it. No value if there is none, another
/// run is writing it, or it is of another origin. \throws Error if FILE is a dangling symbolic link
std::optional<std::string> unfinished_output(const std::string& file);

/// Length and checksum of a text, as "NAME bytes" and "NAME checksum", for
/// SeriesDescription::fingerprint.
Fingerprint fingerprint_of_text(const std::string& name, const std::string& text);

/// Size and time of change of a file, for SeriesDescription::fingerprint. \throws Error if it is
/// missing
Fingerprint fingerprint_of_file(const std::string& file);

/// All files that a dataset is read from, the named one first; for a group, those of the datasets
/// directly in it, whether these can be read or not. \throws Error as Hdf5Source
std::vector<InputFile> files_behind(const FilePath& path);

/// Whether HDF5 loads filters that it does not have from the folders of HDF5_PLUGIN_PATH: code that
/// a file selects by number. By default HDF5 loads them.
enum class FilterPlugins : std::uint8_t {
  refuse,  ///< a dataset that needs one is an error
  load     ///< they are loaded
};

/// Sets for the entire process whether HDF5 loads filters from plug-ins. Call it before reading
/// files. The library itself leaves the setting to the program; the command line tool refuses
/// plug-ins unless --allow-plugins is given.
void set_filter_plugins(FilterPlugins plugins);

/// Adds a folder to those in which HDF5 looks for filter plug-ins, after those of HDF5_PLUGIN_PATH.
/// Applies to the entire process. \throws FileError if HDF5 refuses it
void append_plugin_folder(const std::string& folder);

/// Writes a recording, samples x channels, block by block, as Hdf5Sink writes features.
class Hdf5SeriesWriter {
 public:
  /// \param shape    samples, channels and stored type; the rest is ignored
  /// \param rate_hz  written as attribute `rate_hz` if given
  Hdf5SeriesWriter(FilePath path, const SeriesShape& shape, std::optional<double> rate_hz,
                   Hdf5OutputOptions options = {});
  /// The same with the time of each sample and the ids of the channels, in datasets `time` and
  /// `channel` in the same group, as Hdf5Sink writes them; if these names are taken, DATASET_time
  /// and DATASET_channel. If the width of bins is known, their centers are written too.
  /// \param series  only start, rate, jumps of time, width of bins and ids are used
  Hdf5SeriesWriter(FilePath path, const SeriesDescription& series, const SeriesShape& shape,
                   Hdf5OutputOptions options = {});
  ~Hdf5SeriesWriter();
  /// All channels of the given samples, row-major, in the stored type.
  void write(Range samples, const void* values);
  /// Completes the file. Without this call, the file does not appear.
  void finish();

 private:
  struct Opened;
  std::unique_ptr<Opened> m_opened;
};

/// A matrix, row-major.
struct Matrix {
  std::int64_t rows = 0;       ///< first extent of the dataset
  std::int64_t columns = 0;    ///< 1 for a dataset of rank 1
  std::vector<double> values;  ///< rows x columns, row-major
};

/// Reads a dataset of numbers of rank 1 (one column) or 2, of at most 2^27 values.
/// \throws Error as Hdf5Source
Matrix read_matrix(const FilePath& path);

/// Reads user-supplied taps (window, bases). \throws Error as read_matrix
CustomTaps read_bank(const FilePath& path);

/// Writes taps with the name and the parameters of their basis as attributes.
void write_bank(const FilePath& path, const Taps& taps, const Hdf5OutputOptions& options = {});

/// Reads an (E, 2) dataset of integers as half-open ranges of samples. \throws Error as read_matrix
std::vector<Epoch> read_epochs(const FilePath& path);

/// A dataset of a file.
struct DatasetDescription {
  std::string path;                   ///< with its slash: "/acquisition/voltage/data"
  std::string type;                   ///< "int16", "float32 (big endian)", "string", ...
  std::vector<std::int64_t> extents;  ///< empty: a scalar
  std::vector<std::int64_t> chunk;    ///< empty: not in chunks
  std::vector<std::string> filters;   ///< "shuffle", "deflate 1", ...; a missing one is marked
  std::int64_t stored_bytes = 0;      ///< in the file, after filters
  std::vector<std::pair<std::string, std::string>> attributes;  ///< name and value as text
  std::vector<InputFile> files = {};  ///< the other files that it is read from
  std::string refusal = {};           ///< why its values cannot be read; empty: they can
};

/// A link of a file to another.
struct LinkDescription {
  std::string path;          ///< of the link, with its slash
  std::string file;          ///< as it is written
  std::string object;        ///< in that file
  std::string refusal = {};  ///< why it is not followed; empty: it leads to a dataset or group
};

/// What a file holds.
struct FileDescription {
  std::string file;                          ///< as it was named
  std::int64_t bytes = 0;                    ///< length of the file
  std::string nwb_version;                   ///< empty: not an NWB file
  std::vector<DatasetDescription> datasets;  ///< in the order of their paths
  std::vector<LinkDescription> links = {};   ///< to other files, which are not searched
};

/// Describes the contents of a file; with a dataset in the path, only that one. Errors in the other
/// files of a dataset become its `refusal`. \throws Error as Hdf5Source, and for more than 2^20
/// groups and datasets
FileDescription describe_file(const FilePath& path);

/// The version of the HDF5 library that is in use: "1.14.5".
std::string hdf5_version();

/// The build of the linked library: "Kokkos 5.2.2 OpenMP, HDF5 1.14.5, GNU 14.2.0, Release".
/// Attribute synelix_build of outputs.
std::string build_summary();

}  // namespace synelix
