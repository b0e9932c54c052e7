/* What TLS connections are greeted with: certificate, versions, ciphers, and what is asked of clients. It knows no
 * files: certificates and keys are PEM texts. One of the three users of GnuTLS. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

enum tls_client_auth {
	TLS_CLIENT_NONE,
	TLS_CLIENT_REQUEST, /* asked for a certificate, which nobody checks */
	TLS_CLIENT_REQUIRE_ANY, /* must show a certificate, from any authority */
	TLS_CLIENT_VERIFY_IF_GIVEN,
	TLS_CLIENT_REQUIRE_AND_VERIFY,
};

enum tls_version { TLS_VERSION_10, TLS_VERSION_11, TLS_VERSION_12, TLS_VERSION_13, TLS_VERSIONS };

enum { TLS_NAMES_MAX = 64 };

struct tls_names {
	const char *names[TLS_NAMES_MAX];
	unsigned count;
};

struct tls_settings {
	struct text cert, key; /* PEM */
	struct text client_ca; /* PEM; empty: nobody is trusted */
	enum tls_client_auth client_auth;
	enum tls_version min, max;
	bool clients_choose; /* among the ciphers; else the server's order counts */
	struct tls_names ciphers; /* Go's names; none: GnuTLS's own choice */
	struct tls_names curves; /* Go's names */
	struct tls_names client_sans; /* one of which a client's certificate must have; none: any */
};

struct tls;

/* Copies what it needs of the settings. */
struct tls *tls_new(const struct tls_settings *settings, struct error *err);
struct tls *tls_hold(struct tls *tls);
void tls_release(struct tls *tls); /* NULL is fine */

struct tls_client {
	struct tls *tls;
	bool (*may_go_on)(void *context); /* asked for each hello that is complete, before the server signs */
	void *context;
};

/* Prepares a session (gnutls_session_t) before its handshake. The session must have ended before `client`, and before the
 * reference to `tls`. */
void tls_greet(struct tls_client *client, void *session);

/* The certificates that the system trusts, as PEM; appends. Reads files. */
void tls_system_trust(struct buf *to);

/* Does it know whose a client's certificate is? NULL: no TLS, no. */
bool tls_verifies(const struct tls *tls);

/* Calls back with each name (SAN: DNS, email, URI, IP address) of the certificate that the client of a session showed, if it
 * was verified. Names are as in client_allowed_sans. */
typedef void tls_name_fn(void *context, struct text name);
void tls_client_names(const struct tls *tls, void *session, tls_name_fn *take, void *context);

/* When the certificate expires, Unix seconds. */
int64_t tls_expiry(const struct tls *tls);

/* GnuTLS's priority string for versions, ciphers and curves; an error if Go's names cannot be said in it. */
bool tls_priorities(const struct tls_settings *settings, struct buf *to, struct error *err);

/* Is this suite of TLS 1.2 or below, in GnuTLS's names, one of these? */
bool tls_names_suite(const struct tls_names *names, const char *exchange, const char *cipher, const char *mac);

/* Are these known? */
bool tls_is_cipher(const char *name);
bool tls_is_curve(const char *name);
