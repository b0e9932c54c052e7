/* Included before all else: RHEL 9's libraries are older than Debian's, and the code has ways of its own for them. */
#include <curl/curl.h>
#include <microhttpd.h>

#undef LIBCURL_VERSION_NUM
#define LIBCURL_VERSION_NUM 0x074c01 /* 7.76.1 */
#undef MHD_VERSION
#define MHD_VERSION 0x00097200 /* 0.9.72 */
