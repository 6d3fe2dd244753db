/* SPDX-License-Identifier: MIT */
/* Each unit test program ends with UNIT_MAIN(suite); results go out as TAP. */

#include <check.h>
#include <stdlib.h>

#define UNIT_MAIN(make_suite)                                \
	int main(void)                                       \
	{                                                    \
		SRunner *sr = srunner_create(make_suite());  \
		srunner_set_tap(sr, "-");                    \
		srunner_run_all(sr, CK_SILENT);              \
		int failed = srunner_ntests_failed(sr);      \
		srunner_free(sr);                            \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS; \
	}
