// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// \file
/// The entire library except files: those are in stream.hpp, hdf5.hpp and nwb.hpp.

#include <synelix/alignment.hpp>
#include <synelix/basis.hpp>
#include <synelix/bilinear_forms.hpp>
#include <synelix/calibrate.hpp>
#include <synelix/choice.hpp>
#include <synelix/conv.hpp>
#include <synelix/convolve.hpp>
#include <synelix/convolve_stream.hpp>
#include <synelix/design_matrix.hpp>
#include <synelix/devices.hpp>
#include <synelix/error.hpp>
#include <synelix/eval_basis.hpp>
#include <synelix/expression.hpp>
#include <synelix/features.hpp>
#include <synelix/filter_bank.hpp>
#include <synelix/glm.hpp>
#include <synelix/glm_path.hpp>
#include <synelix/glm_score.hpp>
#include <synelix/linear_algebra.hpp>
#include <synelix/loss.hpp>
#include <synelix/machine_file.hpp>
#include <synelix/matmul.hpp>
#include <synelix/penalty.hpp>
#include <synelix/series.hpp>
#include <synelix/session.hpp>
#include <synelix/strided.hpp>
#include <synelix/time_bins.hpp>
#include <synelix/trials.hpp>
#include <synelix/version.hpp>
