# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set(PACKAGE_VERSION 4.2.1)
set(PACKAGE_VERSION_COMPATIBLE TRUE)
