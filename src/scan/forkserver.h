/* SPDX-License-Identifier: MIT */

#ifndef SCAN_FORKSERVER_H
#define SCAN_FORKSERVER_H

/*
 * Serve SCAN_FD, the socket that scanners are asked for on. Returns in each
 * scanner, whose own socket SCAN_FD then is; the process that calls it ends,
 * and all scanners with it, when the socket is closed. One thread.
 */
void forkserver(void);
/* In a scanner, once it has a request: seen by ps. */
void forkserver_wanted(void);

#endif
