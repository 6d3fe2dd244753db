# SPDX-License-Identifier: MIT
# mount(8) looks in /sbin and /usr/sbin: a prefix of /usr puts it there.
sbin_SCRIPTS = %reldir%/mount.patchfs
bashcompdir = @bashcompdir@
dist_bashcomp_DATA = completion/patchfs.bash
