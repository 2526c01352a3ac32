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

/// How far the files may lie apart that one dataset is read from.
///
/// An HDF5 file can name others: by external links, as sources of virtual datasets, and as external
/// raw data. HDF5 opens whatever is named there, so a file from elsewhere could have any file of
/// the user read. What is missing it replaces with fill values. Here each file behind a dataset is
/// looked at before: it must be a regular file, hold what it is used for, and lie in the folder of
/// the file that was named, or below, after symbolic links are resolved.
enum class Links : std::uint8_t {
  within_folder,  ///< what lies elsewhere is an error
  anywhere        ///< for files that are trusted
};

/// A dataset in a file, written FILE:/dataset.
struct FilePath {
  std::string file;                    ///< its name, absolute or from the current folder
  std::string dataset;                 ///< with its slash; empty where only a file was named
  Links links = Links::within_folder;  ///< where other files may lie that the dataset is read from
};

/// Splits FILE:/dataset at the last ":/"; text without one is a file.
/// \throws Error for an empty file or a dataset that is only a slash
FilePath parse_file_path(std::string_view text);

/// FILE:/dataset.
std::string to_string(const FilePath& path);

/// Whether the attributes of a dataset say what its stored values mean: `conversion` and `offset`
/// (NWB), `scale_factor` and `add_offset` (netCDF) scale them. `_Unsigned` changes the sign of
/// integers. Values are missing, and read as NaN, where `_FillValue`, `missing_value` or netCDF's
/// default marks them, or where they are outside of `valid_range`, `valid_min` and `valid_max`.
enum class AttributeScaling : std::uint8_t {
  use,    ///< they are applied, and so is `channel_conversion`
  ignore  ///< the samples are the stored values
};

/// Whether `timestamps` beside a dataset (NWB) say when its samples were taken.
enum class Timestamps : std::uint8_t {
  use,    ///< they give rate, start and epochs; an Error where no rate fits them
  ignore  ///< rate and start come from attributes, where the file has any
};

/// What timestamps say of a recording.
struct TimestampsFit {
  double rate_hz = 0;         ///< samples a second: 1 / period
  double most_deviation = 0;  ///< of any timestamp from its fitted time, in samples: at most 0.5
  std::vector<TimeSegment> segments = {};  ///< at least one; samples are those of the file
};

/// What of a dataset is read, and how.
struct Hdf5SourceOptions {
  /// Samples of the file that are the series; absent: all. Its ends are ends of the recording: to
  /// compute a part of the rows only, see StreamOptions::samples.
  std::optional<Range> samples = {};
  /// Channels (flattened) of the file that are the series; absent: all.
  std::optional<Range> channels = {};
  /// Replaces what the dataset's attributes say.
  std::optional<Scaling> scaling = {};
  /// With `scaling`, only what says which values are missing and which sign they have is used.
  AttributeScaling attribute_scaling = AttributeScaling::use;
  /// The dimension that is time, from 0 on. The others are channels, in their order, the last one
  /// fastest. Absent: the first, as the program shows it that wrote the file (MATLAB and Octave
  /// count from the last dimension of HDF5); an Error where the file says that it is another.
  std::optional<std::int64_t> time_axis = {};
  /// Half-open ranges of samples of the file; what lies outside `samples` is cut off.
  Epochs epochs = {};
  /// The series is the samples of these intervals alone, one behind the other, and each interval is
  /// an epoch: as `read_intervals` gives them, in any order. An interval holds the samples from its
  /// start to its stop, where a time within a thousandth of a sample of one is the sample's. A
  /// sample at the stop belongs to it unless `interval_stop` excludes it, the next interval starts
  /// there, or samples are bins. One that reaches over a jump of the timestamps is an epoch on
  /// either side; one without a sample is left out with a warning; what lies outside `samples` is
  /// cut off. Needs a rate, and no `epochs` beside it.
  std::vector<Interval> intervals = {};
  IntervalStop interval_stop = IntervalStop::included;  ///< of `intervals`
  Timestamps timestamps = Timestamps::use;              ///< whether they are read
  /// What another source has fitted to the timestamps of this dataset (`timestamps_fit` below):
  /// they are then not read. For processes that compute parts of one recording.
  std::optional<TimestampsFit> timestamps_fit = {};
};

/// A dataset of rank 1 to 7 as a source, its first dimension time unless `time_axis` says
/// otherwise; or a group that holds one named `data`, as the TimeSeries and ElectricalSeries of NWB
/// do.
///
/// Stored float32, float64, (u)int8 and (u)int16 are read as they are, in either byte order;
/// booleans and bit fields of 0 and 1 as int8, float16 as float32, (u)int32 as float64, all
/// exactly. (u)int64 are read as float64 if their values fit 32 bits: reading the first that does
/// not is an Error. Integers with marks of missing values are read as float32 or float64. The
/// sampling rate is taken from an attribute `rate_hz`, `rate` or `sampling_rate` of the dataset, or
/// from the attribute `rate` of a dataset `starting_time` beside it (NWB). The attribute
/// `bin_seconds` says that samples are counts of bins, which start at their times.
///
/// Beside a dataset named `data`, two more datasets of NWB are looked at. `channel_conversion` has
/// a number for each entry of the second dimension: value = stored * conversion *
/// channel_conversion + offset. And `timestamps`, seconds of each sample, become one rate by this
/// rule:
///
///     jump        a difference above 1.5 times the median of the first 65535 differences
///     segment     the samples between two jumps
///     period      slope of the straight lines, one through each segment, of one common slope, that
///                 fit all timestamps in the sense of least squares; rate = 1 / period
///     start       of each segment: where its line is at its first sample
///
/// Every timestamp has to lie within half a period of its line: |timestamp - line| <= period / 2.
/// Then the time of a sample is that of its line, and each segment is an epoch: no window reaches
/// over a jump. Otherwise the first sample that lies further away is named and refused, as is one
/// that is not finite or goes down. Timestamps are read twice, 512 KiB at a time (or a chunk of the
/// file, if that is more), the first piece once before; not at all where the options give the fit.
/// Where `starting_time` stands beside
/// `timestamps`, which NWB does not foresee, they have to agree within half a sample. With neither
/// the series has no rate.
///
/// Where a block does not hold whole chunks of the file, HDF5's chunk cache is made large enough
/// for one row of chunks, inside the stream's budget.
class Hdf5Source final : public Source {
 public:
  /// \throws Error where the file or dataset is missing, is no HDF5, is truncated, has another type
  ///         or rank, is empty, needs a filter that HDF5 does not have, or a range leaves it; where
  ///         a file behind it is missing, too short, elsewhere (see Links), or the dataset its own
  ///         source; for an attribute that is no usable number; for
  ///         timestamps as above, a `starting_time` or `channel_conversion` that is none;
  ///         intervals that overlap, end before they start, are not finite, or hold no sample
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
  /// What was fitted to timestamps, of all samples of the file; absent: there were none to fit.
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

/// What happens to a file that stands where the output goes.
enum class Existing : std::uint8_t {
  refuse,   ///< an error
  replace,  ///< it is replaced once the new one is complete
  append    ///< the dataset is added to a copy, which replaces it once complete
};

/// How a dataset is written.
struct Hdf5OutputOptions {
  Existing existing = Existing::refuse;    ///< what happens to a file of that name
  Filter filter = {};                      ///< of the chunks; default: none
  std::string history = {};                ///< what made the file: a command line; an attribute
  std::vector<Attribute> attributes = {};  ///< further attributes of the dataset
};

/// Where a run begins.
enum class Start : std::uint8_t {
  anew,   ///< at the beginning; what another run has left in FILE.part is replaced
  resume  ///< where the run before has stopped; at the beginning where there was none
};

/// What becomes of FILE.part where a run fails or is cancelled after its first block.
enum class Unfinished : std::uint8_t {
  keep,   ///< it stays, for Start::resume
  remove  ///< nothing stays, but a whole FILE.part whose final name was taken meanwhile
};

/// One of the parts of a run that several processes share; parts are counted from 0.
struct OutputPart {
  std::int64_t number = 0;  ///< of this part, 0 to of - 1
  std::int64_t of = 1;      ///< parts of the whole run, at least 1
};

/// How features are written.
struct Hdf5SinkOptions {
  Hdf5OutputOptions output = {};  ///< filter, attributes, and what happens to a file of that name
  /// Rows, channels, bases; absent: 1 to 4 MiB, all bases; or what the run before has chosen.
  std::optional<BlockShape> chunk = {};
  Start start = Start::anew;                 ///< `resume` goes on with FILE.part
  Unfinished unfinished = Unfinished::keep;  ///< what a run that fails leaves behind
  /// This run writes only these rows. Without a filter, in a FILE.part that other processes write
  /// as well, and no chunk can be given; with one, in a file of its own (join_parts.hpp). Implies
  /// Start::resume and Unfinished::keep; goes with no Existing::append.
  std::optional<OutputPart> part = {};
};

/// Rows of a FILE.part that one process at a time writes.
struct ShareDescription {
  Range rows = {};                ///< of the whole output
  std::int64_t rows_written = 0;  ///< rows whose values are all there
  bool is_whole = false;          ///< all are there, and the process ended as it should
  bool is_being_written = false;  ///< a process writes these rows now
  /// Host of the process that wrote last. Empty: none has, or the one that writes has not said it.
  std::string host = {};
  std::int64_t process = 0;  ///< its number on that host
  std::int64_t seconds = 0;  ///< when it wrote last, since 1970
  std::string failure = {};  ///< why the process stopped; empty: it did not say
};

/// What is there of an output that several processes write.
struct PartsDescription {
  std::string file = {};                      ///< FILE.part
  std::int64_t rows = 0;                      ///< of the whole output
  std::int64_t rows_written = 0;              ///< of all shares
  std::vector<ShareDescription> shares = {};  ///< in the order of their rows; together all rows
};

/// What FILE.part holds, whoever writes it; nothing where it is no file of a run in parts.
/// \throws Error where its ledger is damaged
std::optional<PartsDescription> describe_parts(const std::string& file);

/// Features as a dataset (rows, channels..., bases). Beside it, in the same group, `time` (seconds
/// of each row, or its sample where no rate is known) and `channel` (the ids); where these names
/// are taken, DATASET_time and DATASET_channel. The attribute `position` of the times says what
/// they stand for: "sample"; or, where SeriesDescription::bin_seconds is known, "start of the bin".
/// Then `time_center` (DATASET_time_center) has the centers, and the attributes `bin_seconds` and
/// `centers` of the times name them. A design (FeaturesDescription::terms) is a dataset
/// (rows, columns); in place of the channels stands DATASET_terms, a table with a record (name,
/// first_column, columns, channels, bases) for each term. Attributes of the dataset: axes,
/// coordinates, window, basis and its parameters, causality, shift, border, every, method,
/// instruction_set, rate_hz (of the rows), synelix_version, synelix_revision, synelix_build,
/// history.
///
/// Everything is written to FILE.part beside FILE, brought to the disk, and renamed at the end. A
/// file that is replaced hands on its owner, group and mode, as far as the system allows. Where
/// FILE is a symbolic link, all of this happens to the file that it names, and the link stays.
/// FILE.part has to be a file that an interrupted run has left, or not to be there: a file of
/// anybody else, a link, a folder or a pipe of that name is refused. One that something else
/// replaces, removes or cuts while a run writes it does not become FILE.
///
/// FILE.part holds a checkpoint, which is renewed after each block, and a fingerprint of what is
/// computed (FeaturesDescription::fingerprint). With Start::resume a run goes on from there: the
/// values have the bits of a run that nothing has stopped, whatever the budget, the batch and the
/// threads of either. It is refused where the fingerprints differ, naming what does. Where FILE
/// holds the dataset already and its fingerprint agrees, there is nothing to do.
///
/// What is taken over is compared with checksums first. Values that do not match theirs are
/// computed again, with a warning that names their rows. A checkpoint that is damaged, or of
/// another version of its format, and damage to HDF5's own records in FILE.part, are errors;
/// FILE.part then stays as it is. Compressed chunks are copied to a new file, which takes the place
/// of FILE.part once it is on the disk: where the disk has no space for both, begin throws and says
/// how many bytes it takes.
///
/// A killed process (also by SIGKILL) costs the block that was being written and the one that was
/// being computed. Where the machine itself stops, everything counts that has reached the disk:
/// that is seen to after each ten seconds of a run, and wherever a run ends. Two kinds of output
/// lose more. A filtered chunk that blocks write in parts counts once all of it is there; and a
/// file with a user block that is appended to has no checkpoint: it cannot be gone on with.
///
/// With a part, processes that know nothing of each other write one FILE.part, each the rows of its
/// part. They may run at the same time, on hosts that share a file system, or one after another.
/// The first makes the file, with one contiguous dataset; each writes its values in place, and
/// notes in a ledger inside the file what it has written. The last to finish gives the file its
/// name: FILE is there once all rows are. Parts that were killed or failed are gone on with, by any
/// number of parts. Rows that another process is writing are refused, as is another fingerprint.
/// The values have the bits of a run in one process.
///
/// With a part and a filter, each process writes a file of its own, FILE.part-I-of-N, with whole
/// chunks of the output. It is written and resumed as FILE is by a run without parts. `join_parts`
/// makes FILE of all of them. Another number of parts is refused while part files are there.
class Hdf5Sink final : public Sink {
 public:
  /// \throws Error where FILE stands already and may not be replaced, or the folder is not there
  explicit Hdf5Sink(FilePath path, Hdf5SinkOptions options = {});
  Hdf5Sink(Hdf5Sink&&) noexcept;  ///< moves: leaves the source unusable
  ~Hdf5Sink() override;

  [[nodiscard]] BlockShape chunk(const FeaturesShape& shape,
                                 std::int64_t bytes_at_most) const override;
  /// With a filter: a chunk that is written in parts is filtered for each.
  [[nodiscard]] bool needs_whole_chunks() const override;
  [[nodiscard]] std::int64_t own_bytes(const FeaturesShape& shape, const BlockShape& chunk,
                                       const BlockShape& block) const override;
  void begin(const FeaturesDescription& description) override;
  [[nodiscard]] std::optional<Unwritten> unwritten() const override;
  void write(const Block& block, const void* values) override;
  void finish() override;
  void abandon() noexcept override;
  /// After `begin` of a resumed run: whether FILE was there already, so that nothing was done.
  [[nodiscard]] bool was_finished() const;
  /// After `finish` of a part: FILE.part, where rows of other parts are missing; of part files, one
  /// entry for each part, its rows being written once it is finished. Nothing where FILE is there.
  [[nodiscard]] const std::optional<PartsDescription>& missing_parts() const;

 private:
  struct Opened;
  std::unique_ptr<Opened> m_opened;
};

/// FILE.part, beside the file that is written, where an interrupted run has left it; nothing where
/// there is none, another run is writing it, or it is somebody else's file. \throws Error where
/// FILE is a symbolic link to nothing
std::optional<std::string> unfinished_output(const std::string& file);

/// Length and checksum of a text, as "NAME bytes" and "NAME checksum", for
/// SeriesDescription::fingerprint.
Fingerprint fingerprint_of_text(const std::string& name, const std::string& text);

/// Size and time of change of a file, for SeriesDescription::fingerprint. \throws Error where it is
/// missing
Fingerprint fingerprint_of_file(const std::string& file);

/// All files that a dataset is read from, the named one first; of a group, those of the datasets
/// that lie directly in it, whether these can be read or not. \throws Error as Hdf5Source
std::vector<InputFile> files_behind(const FilePath& path);

/// Whether HDF5 loads filters that it does not have from the folders of HDF5_PLUGIN_PATH: code that
/// a file asks for by a number. HDF5 loads them unless it is told otherwise.
enum class FilterPlugins : std::uint8_t {
  refuse,  ///< a dataset that needs one is an error
  load     ///< they are loaded
};

/// Sets for the whole process whether HDF5 loads filters from plug-ins. Call it before anything is
/// read. The library itself leaves the setting to the program; the command line tool refuses
/// plug-ins unless --allow-plugins is given.
void set_filter_plugins(FilterPlugins plugins);

/// Adds a folder to those in which HDF5 looks for the plug-ins of filters, behind those of
/// HDF5_PLUGIN_PATH. A setting of the whole process. \throws FileError where HDF5 refuses it
void append_plugin_folder(const std::string& folder);

/// Writes a recording, samples x channels, block by block, as Hdf5Sink writes features.
class Hdf5SeriesWriter {
 public:
  /// \param shape    samples, channels and stored type; the rest is not looked at
  /// \param rate_hz  written as attribute `rate_hz` where given
  Hdf5SeriesWriter(FilePath path, const SeriesShape& shape, std::optional<double> rate_hz,
                   Hdf5OutputOptions options = {});
  /// The same with the time of each sample and the ids of the channels, in datasets `time` and
  /// `channel` beside it, as Hdf5Sink writes them; where these names are taken, DATASET_time and
  /// DATASET_channel. Where the width of bins is known, their centers are written too.
  /// \param series  start, rate, jumps of time, width of bins and ids are read
  Hdf5SeriesWriter(FilePath path, const SeriesDescription& series, const SeriesShape& shape,
                   Hdf5OutputOptions options = {});
  ~Hdf5SeriesWriter();
  /// All channels of the given samples, row-major, in the stored type.
  void write(Range samples, const void* values);
  /// The file is there only after this. Without it, nothing is.
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

/// Reads taps (window, bases) of the user's own. \throws Error as read_matrix
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
  std::vector<std::string> filters;   ///< "shuffle", "deflate 1", ...; a missing one says so
  std::int64_t stored_bytes = 0;      ///< in the file, behind its filters
  std::vector<std::pair<std::string, std::string>> attributes;  ///< name and value as text
  std::vector<InputFile> files = {};  ///< behind it, beside the file that it lies in
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
  std::string nwb_version;                   ///< empty: no NWB file
  std::vector<DatasetDescription> datasets;  ///< in the order of their paths
  std::vector<LinkDescription> links = {};   ///< to other files, which are not looked through
};

/// Looks through a file; with a dataset in the path, at that one only. What is wrong with the files
/// behind one dataset is its `refusal`. \throws Error as Hdf5Source, and where there are more than
/// 2^20 groups and datasets
FileDescription describe_file(const FilePath& path);

/// The version of the HDF5 library that is in use: "1.14.5".
std::string hdf5_version();

/// What built the linked library: "Kokkos 5.2.2 OpenMP, HDF5 1.14.5, GNU 14.2.0, Release".
/// Attribute synelix_build of outputs.
std::string build_summary();

}  // namespace synelix
