# SPDX-License-Identifier: MIT
# Pages are written in POD; the made pages are shipped, so users need no Perl.
pods = \
	%reldir%/mount.patchfs.pod \
	%reldir%/patchfs.pod \
	%reldir%/patchfs-cat.pod \
	%reldir%/patchfs-index.pod \
	%reldir%/patchfs-info.pod \
	%reldir%/patchfs-list.pod \
	%reldir%/patchfs-ls.pod \
	%reldir%/patchfs-mount.pod \
	%reldir%/patchfs-stats.pod \
	%reldir%/patchfs-umount.pod \
	%reldir%/patchfs-views.pod \
	$(NULL)
EXTRA_DIST += $(pods)
dist_man_MANS += \
	%reldir%/mount.patchfs.8 \
	%reldir%/patchfs.1 \
	%reldir%/patchfs-cat.1 \
	%reldir%/patchfs-index.1 \
	%reldir%/patchfs-info.1 \
	%reldir%/patchfs-list.1 \
	%reldir%/patchfs-ls.1 \
	%reldir%/patchfs-mount.1 \
	%reldir%/patchfs-stats.1 \
	%reldir%/patchfs-umount.1 \
	%reldir%/patchfs-views.7 \
	$(NULL)
MAINTAINERCLEANFILES += $(dist_man_MANS)
if HAVE_POD2MAN
SUFFIXES = .pod .1 .7 .8
pod_to_man = $(MKDIR_P) $(@D) && $(POD2MAN) --utf8 \
	-n "$$(basename $* | tr a-z A-Z)" -r 'patchfs $(VERSION)'
.pod.1:
	$(AM_V_GEN)$(pod_to_man) -s 1 -c 'User commands' $< $@-t && mv $@-t $@
.pod.7:
	$(AM_V_GEN)$(pod_to_man) -s 7 -c 'Conventions' $< $@-t && mv $@-t $@
.pod.8:
	$(AM_V_GEN)$(pod_to_man) -s 8 -c 'Administration' $< $@-t && \
		mv $@-t $@
endif
