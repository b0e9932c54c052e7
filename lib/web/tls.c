#include "web/tls.h"

#include "base/memory.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509-ext.h>
#include <gnutls/x509.h>
#include <stdlib.h>

/* What GnuTLS does here: it gives no session tickets, since nobody enables them, and keeps no sessions. It does not
 * renegotiate, since libmicrohttpd ends the connection when a client asks to. 0-RTT is off by default. */

struct tls {
	unsigned references; /* the server's thread's only */
	gnutls_certificate_credentials_t credentials;
	gnutls_priority_t priorities;
	enum tls_client_auth client_auth;
	char *client_sans[TLS_NAMES_MAX];
	unsigned client_san_count;
	int64_t expiry;
};

static gnutls_datum_t datum(struct text text)
{
	return (gnutls_datum_t){(unsigned char *)text.bytes, (unsigned)text.len};
}

static bool verifies(enum tls_client_auth auth)
{
	return auth == TLS_CLIENT_VERIFY_IF_GIVEN || auth == TLS_CLIENT_REQUIRE_AND_VERIFY;
}

static bool requires(enum tls_client_auth auth)
{
	return auth == TLS_CLIENT_REQUIRE_ANY || auth == TLS_CLIENT_REQUIRE_AND_VERIFY;
}

static bool read_expiry(struct tls *tls, struct text pem, struct error *err)
{
	gnutls_x509_crt_t *list;
	unsigned count;
	gnutls_datum_t bytes = datum(pem);
	int code = gnutls_x509_crt_list_import2(&list, &count, &bytes, GNUTLS_X509_FMT_PEM, 0);
	if (code < 0)
		return error_set(err, "%s", gnutls_strerror(code));
	tls->expiry = gnutls_x509_crt_get_expiration_time(list[0]);
	for (unsigned i = 0; i < count; i++)
		gnutls_x509_crt_deinit(list[i]);
	gnutls_free(list);
	return true;
}

static bool set_key_pair(struct tls *tls, const struct tls_settings *settings, struct error *err)
{
	if (!read_expiry(tls, settings->cert, err))
		return error_prefix(err, "certificate");
	gnutls_datum_t cert = datum(settings->cert), key = datum(settings->key);
	int code = gnutls_certificate_set_x509_key_mem2(tls->credentials, &cert, &key, GNUTLS_X509_FMT_PEM, NULL, 0);
	return code >= 0 || error_set(err, "certificate and key: %s", gnutls_strerror(code));
}

static bool set_trust(struct tls *tls, const struct tls_settings *settings, struct error *err)
{
	if (!settings->client_ca.len)
		return true;
	gnutls_datum_t pem = datum(settings->client_ca);
	int count = gnutls_certificate_set_x509_trust_mem(tls->credentials, &pem, GNUTLS_X509_FMT_PEM);
	return count > 0 || error_set(err, "client CA: %s", count ? gnutls_strerror(count) : "no certificate in it");
}

/* GnuTLS allows all combinations of the names in its priority string: are all of them meant? */
static bool check_combinations(struct tls *tls, const struct tls_names *ciphers, struct error *err)
{
	unsigned suite;
	int code;
	for (unsigned i = 0; (code = gnutls_priority_get_cipher_suite_index(tls->priorities, i, &suite)) !=
			     GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE;
	     i++) {
		gnutls_kx_algorithm_t exchange = GNUTLS_KX_UNKNOWN;
		gnutls_cipher_algorithm_t cipher;
		gnutls_mac_algorithm_t mac;
		const char *name =
			code < 0 ? NULL : gnutls_cipher_suite_info(suite, NULL, &exchange, &cipher, &mac, NULL);
		if (!name || exchange == GNUTLS_KX_UNKNOWN) /* of TLS 1.3 */
			continue;
		if (!tls_names_suite(ciphers, gnutls_kx_get_name(exchange), gnutls_cipher_get_name(cipher),
				     gnutls_mac_get_name(mac)))
			return error_set(err,
					 "cipher_suites: with this list GnuTLS would also allow %s: add it, or remove "
					 "others",
					 name);
	}
	return true;
}

static bool set_priorities(struct tls *tls, const struct tls_settings *settings, struct error *err)
{
	struct buf text = BUF_INIT;
	const char *where;
	bool is_said = tls_priorities(settings, &text, err);
	int code = is_said ? gnutls_priority_init(&tls->priorities, text.bytes, &where) : 0;
	if (code < 0)
		error_set(err, "%s: %s", text.bytes, gnutls_strerror(code));
	buf_done(&text);
	return is_said && code >= 0 && (!settings->ciphers.count || check_combinations(tls, &settings->ciphers, err));
}

static bool set_all(struct tls *tls, const struct tls_settings *settings, struct error *err)
{
	tls->client_auth = settings->client_auth;
	for (; tls->client_san_count < settings->client_sans.count; tls->client_san_count++) {
		const char *name = settings->client_sans.names[tls->client_san_count];
		tls->client_sans[tls->client_san_count] = memory_copy(name, strlen(name));
	}
	if (gnutls_certificate_allocate_credentials(&tls->credentials) < 0)
		return error_set(err, "out of memory");
	return set_key_pair(tls, settings, err) && set_trust(tls, settings, err) && set_priorities(tls, settings, err);
}

struct tls *tls_new(const struct tls_settings *settings, struct error *err)
{
	struct tls *tls = NEW(struct tls);
	tls->references = 1;
	if (set_all(tls, settings, err))
		return tls;
	tls_release(tls);
	return NULL;
}

struct tls *tls_hold(struct tls *tls)
{
	tls->references++;
	return tls;
}

void tls_release(struct tls *tls)
{
	if (!tls || --tls->references)
		return;
	while (tls->client_san_count)
		free(tls->client_sans[--tls->client_san_count]);
	if (tls->credentials)
		gnutls_certificate_free_credentials(tls->credentials);
	if (tls->priorities)
		gnutls_priority_deinit(tls->priorities);
	free(tls);
}

void tls_system_trust(struct buf *to)
{
	gnutls_x509_trust_list_t list;
	gnutls_x509_trust_list_iter_t at = NULL;
	gnutls_x509_crt_t certificate;
	gnutls_datum_t pem;
	if (gnutls_x509_trust_list_init(&list, 0) < 0)
		return;
	gnutls_x509_trust_list_add_system_trust(list, 0, 0);
	while (gnutls_x509_trust_list_iter_get_ca(list, &at, &certificate) >= 0) {
		if (gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &pem) >= 0) {
			buf_add(to, pem.data, pem.size);
			gnutls_free(pem.data);
		}
		gnutls_x509_crt_deinit(certificate);
	}
	gnutls_x509_trust_list_iter_deinit(at);
	gnutls_x509_trust_list_deinit(list, 1);
}

int64_t tls_expiry(const struct tls *tls)
{
	return tls->expiry;
}

/* A name of a certificate as text; empty: of another kind. */
static struct text san_of(unsigned type, const gnutls_datum_t *name, char address[INET6_ADDRSTRLEN])
{
	switch (type) {
	case GNUTLS_SAN_DNSNAME:
	case GNUTLS_SAN_RFC822NAME:
	case GNUTLS_SAN_URI:
		if (memchr(name->data, '\0', name->size)) /* it would look like a shorter one */
			break;
		return (struct text){(const char *)name->data, name->size};
	case GNUTLS_SAN_IPADDRESS:
		if ((name->size == 4 || name->size == 16) &&
		    inet_ntop(name->size == 4 ? AF_INET : AF_INET6, name->data, address, INET6_ADDRSTRLEN))
			return text_of(address);
	}
	return (struct text){0};
}

/* Reads the extension once: gnutls_x509_crt_get_subject_alt_name would read all of it for each name. */
static void each_san(const gnutls_datum_t *certificate, tls_name_fn *take, void *context)
{
	static const char oid[] = "2.5.29.17";
	gnutls_x509_crt_t parsed = NULL;
	gnutls_subject_alt_names_t names = NULL;
	gnutls_datum_t extension = {NULL, 0}, name;
	unsigned type;
	char address[INET6_ADDRSTRLEN] = "";
	if (gnutls_x509_crt_init(&parsed) >= 0 && gnutls_subject_alt_names_init(&names) >= 0 &&
	    gnutls_x509_crt_import(parsed, certificate, GNUTLS_X509_FMT_DER) >= 0 &&
	    gnutls_x509_crt_get_extension_by_oid2(parsed, oid, 0, &extension, NULL) >= 0 &&
	    gnutls_x509_ext_import_subject_alt_names(&extension, names, 0) >= 0)
		for (unsigned i = 0; gnutls_subject_alt_names_get(names, i, &type, &name, NULL) >= 0; i++) {
			struct text san = san_of(type, &name, address);
			if (san.len)
				take(context, san);
		}
	gnutls_free(extension.data);
	if (names)
		gnutls_subject_alt_names_deinit(names);
	if (parsed)
		gnutls_x509_crt_deinit(parsed);
}

struct wanted_san {
	const struct tls *tls;
	bool is_found;
};

static void look_for_san(void *context, struct text name)
{
	struct wanted_san *wanted = context;
	for (unsigned i = 0; i < wanted->tls->client_san_count; i++)
		wanted->is_found |= text_equal(text_of(wanted->tls->client_sans[i]), name);
}

static bool has_wanted_san(const struct tls *tls, const gnutls_datum_t *certificate)
{
	struct wanted_san wanted = {tls, false};
	each_san(certificate, look_for_san, &wanted);
	return wanted.is_found;
}

bool tls_verifies(const struct tls *tls)
{
	return tls && verifies(tls->client_auth);
}

void tls_client_names(const struct tls *tls, void *session, tls_name_fn *take, void *context)
{
	unsigned count = 0;
	const gnutls_datum_t *chain = tls_verifies(tls) ? gnutls_certificate_get_peers(session, &count) : NULL;
	if (chain && count)
		each_san(&chain[0], take, context);
}

static bool is_trusted(gnutls_session_t session)
{
	gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
					 .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};
	unsigned status;
	return gnutls_certificate_verify_peers(session, &purpose, 1, &status) >= 0 && status == 0;
}

/* Called during the handshake; 0: goes on. */
static int check_client(gnutls_session_t session)
{
	const struct tls *tls = ((const struct tls_client *)gnutls_db_get_ptr(session))->tls;
	unsigned count = 0;
	const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
	if (!chain || !count)
	return requires(tls->client_auth) ? GNUTLS_E_NO_CERTIFICATE_FOUND : 0;
	if (verifies(tls->client_auth) && !is_trusted(session)) {
		gnutls_alert_send(session, GNUTLS_AL_FATAL, GNUTLS_A_UNKNOWN_CA);
		return GNUTLS_E_CERTIFICATE_ERROR;
	}
	if (tls->client_san_count && !has_wanted_san(tls, &chain[0])) {
		gnutls_alert_send(session, GNUTLS_AL_FATAL, GNUTLS_A_BAD_CERTIFICATE);
		return GNUTLS_E_CERTIFICATE_ERROR;
	}
	return 0;
}

/* Called when a hello is complete; 0: goes on. */
static int check_hello(gnutls_session_t session)
{
	const struct tls_client *client = gnutls_db_get_ptr(session);
	return client->may_go_on(client->context) ? 0 : GNUTLS_E_APPLICATION_ERROR_MIN;
}

void tls_greet(struct tls_client *client, void *session)
{
	const struct tls *tls = client->tls;
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials);
	gnutls_priority_set(session, tls->priorities);
	/* The session's own pointer is libmicrohttpd's. That for a cache of sessions is free: there is none. */
	gnutls_db_set_ptr(session, client);
	gnutls_certificate_server_set_request(session, requires(tls->client_auth) ? GNUTLS_CERT_REQUIRE
						       : tls->client_auth	  ? GNUTLS_CERT_REQUEST
										  : GNUTLS_CERT_IGNORE);
	gnutls_session_set_verify_function(session, check_client);
	gnutls_handshake_set_post_client_hello_function(session, check_hello);
}
