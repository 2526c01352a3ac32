// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/join_options.hpp"

namespace synelix::tool {

const char* const join_example =
    "  synelix convolve rec.h5:/counts parts.h5:/features --basis history --window 20 \\\n"
    "      --filter shuffle,deflate:1 --part 0/2\n"
    "  synelix convolve rec.h5:/counts parts.h5:/features --basis history --window 20 \\\n"
    "      --filter shuffle,deflate:1 --part 1/2\n"
    "  synelix join parts.h5 --remove-parts\n";

void add_join_options(CLI::App& app, JoinFields& fields) {
  JoinRequest& request = fields.request;
  add_parsed(app, "OUT", request.output, parse_output_path, "FILE",
             "The output, as it was given to the parts. A dataset can be left out.")
      ->required();
  app.add_option("PART", request.parts,
                 "The files of all parts, in any order. Default: OUT.part-I-of-N beside OUT.")
      ->type_name("FILE");
  app.add_flag("-O,--overwrite", fields.existing.replace, "Replace an existing output file.")
      ->group("Output");
  app.add_flag("--remove-parts", request.remove_parts,
               "Remove the part files once OUT is whole and on the disk.")
      ->group("Output");
  add_progress_option(app, request.messages);
  add_message_options(app, request.messages);
}

JoinRequest join_request_from(const JoinFields& fields) {
  JoinRequest request = fields.request;
  request.standing = standing_from(fields.existing);
  return request;
}

}  // namespace synelix::tool
