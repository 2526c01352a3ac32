# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings up the loopback device of a new network namespace."""
import fcntl
import socket
import struct

# linux/sockios.h and linux/if.h
SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCSIFADDR, IFF_UP = 0x8913, 0x8914, 0x8916, 1

with socket.socket() as connection:
    request = struct.pack("16sh", b"lo", 0)
    flags = struct.unpack("16sh", fcntl.ioctl(connection, SIOCGIFFLAGS, request))[1]
    fcntl.ioctl(connection, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP))
    # Slurm resolves names with AI_ADDRCONFIG, which finds nothing if all addresses are loopback addresses.
    address = struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("10.0.0.1"))
    fcntl.ioctl(connection, SIOCSIFADDR, address)
