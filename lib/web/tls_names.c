#include "web/tls.h"

#include <string.h>

/* Go names whole cipher suites. GnuTLS's priority string names key exchanges, ciphers and MACs, and allows all their
 * combinations. tls.c sees to it that these are no more than what was named. */
static const struct suite {
	const char *name; /* of Go's tls.CipherSuites() */
	const char *exchange; /* NULL: TLS 1.3, whose suites do not name it */
	const char *cipher, *mac;
} suites[] = {
	{"TLS_AES_128_GCM_SHA256", NULL, "AES-128-GCM", "AEAD"},
	{"TLS_AES_256_GCM_SHA384", NULL, "AES-256-GCM", "AEAD"},
	{"TLS_CHACHA20_POLY1305_SHA256", NULL, "CHACHA20-POLY1305", "AEAD"},
	{"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA", "AES-128-GCM", "AEAD"},
	{"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA", "AES-256-GCM", "AEAD"},
	{"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA", "CHACHA20-POLY1305", "AEAD"},
	{"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA", "AES-128-CBC", "SHA1"},
	{"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA", "AES-256-CBC", "SHA1"},
	{"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA", "AES-128-GCM", "AEAD"},
	{"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA", "AES-256-GCM", "AEAD"},
	{"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA", "CHACHA20-POLY1305", "AEAD"},
	{"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA", "AES-128-CBC", "SHA1"},
	{"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA", "AES-256-CBC", "SHA1"},
	/* Go before 1.22 has these, too. */
	{"TLS_RSA_WITH_AES_128_GCM_SHA256", "RSA", "AES-128-GCM", "AEAD"},
	{"TLS_RSA_WITH_AES_256_GCM_SHA384", "RSA", "AES-256-GCM", "AEAD"},
	{"TLS_RSA_WITH_AES_128_CBC_SHA", "RSA", "AES-128-CBC", "SHA1"},
	{"TLS_RSA_WITH_AES_256_CBC_SHA", "RSA", "AES-256-CBC", "SHA1"},
};

static const struct curve {
	const char *name, *group;
} curves[] = {
	{"CurveP256", "SECP256R1"},
	{"CurveP384", "SECP384R1"},
	{"CurveP521", "SECP521R1"},
	{"X25519", "X25519"},
};

static const char *const version_names[TLS_VERSIONS] = {
	[TLS_VERSION_10] = "TLS1.0",
	[TLS_VERSION_11] = "TLS1.1",
	[TLS_VERSION_12] = "TLS1.2",
	[TLS_VERSION_13] = "TLS1.3",
};

static const struct suite *find_suite(const char *name)
{
	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
		if (strcmp(suites[i].name, name) == 0)
			return &suites[i];
	return NULL;
}

static const struct curve *find_curve(const char *name)
{
	for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
		if (strcmp(curves[i].name, name) == 0)
			return &curves[i];
	return NULL;
}

bool tls_is_cipher(const char *name)
{
	return find_suite(name) != NULL;
}

bool tls_is_curve(const char *name)
{
	return find_curve(name) != NULL;
}

static bool is_in(const char *name, const char *const *seen, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(seen[i], name) == 0)
			return true;
	return false;
}

/* One component of the suites, each once, in their order. */
static void add_components(struct buf *to, const struct tls_names *names, size_t member)
{
	const char *seen[TLS_NAMES_MAX];
	unsigned count = 0;
	for (unsigned i = 0; i < names->count; i++) {
		const char *component = *(const char *const *)((const char *)find_suite(names->names[i]) + member);
		if (!component || is_in(component, seen, count))
			continue;
		seen[count++] = component;
		buf_printf(to, ":+%s", component);
	}
}

/* TLS 1.3 needs one of its ciphers, and what is below a key exchange: a version for which nothing was named would
 * only make handshakes fail. */
static bool has_suite(const struct tls_names *names, enum tls_version version)
{
	for (unsigned i = 0; i < names->count; i++) {
		const struct suite *suite = find_suite(names->names[i]);
		if (version == TLS_VERSION_13 ? strcmp(suite->mac, "AEAD") == 0 : suite->exchange != NULL)
			return true;
	}
	return names->count == 0;
}

bool tls_priorities(const struct tls_settings *settings, struct buf *to, struct error *err)
{
	const struct tls_names *ciphers = &settings->ciphers;
	bool has_version = false;
	/* Without a list: what GnuTLS holds safe, but only with forward secrecy by elliptic curves, as Go. */
	buf_add_string(to, ciphers->count ? "NONE:+COMP-NULL:+SIGN-ALL:+CTYPE-X509" : "NORMAL:-RSA:-DHE-RSA:-VERS-ALL");
	for (int version = settings->max; version >= (int)settings->min; version--) {
		if (!has_suite(ciphers, (enum tls_version)version))
			continue;
		buf_printf(to, ":+VERS-%s", version_names[version]);
		has_version = true;
	}
	if (!has_version)
		return error_set(err, "no suite in cipher_suites belongs to a TLS version from min_version to "
				      "max_version");
	add_components(to, ciphers, offsetof(struct suite, exchange));
	add_components(to, ciphers, offsetof(struct suite, cipher));
	add_components(to, ciphers, offsetof(struct suite, mac));
	if (settings->curves.count)
		buf_add_string(to, ":-GROUP-ALL");
	else /* clients guess X25519; with another first choice here they would have to send a second hello */
		buf_add_string(to, ":-GROUP-ALL:+GROUP-X25519:+GROUP-ALL");
	for (unsigned i = 0; i < settings->curves.count; i++)
		buf_printf(to, ":+GROUP-%s", find_curve(settings->curves.names[i])->group);
	if (!settings->clients_choose)
		buf_add_string(to, ":%SERVER_PRECEDENCE");
	return true;
}

bool tls_names_suite(const struct tls_names *names, const char *exchange, const char *cipher, const char *mac)
{
	for (unsigned i = 0; i < names->count; i++) {
		const struct suite *suite = find_suite(names->names[i]);
		if (suite->exchange && strcmp(suite->exchange, exchange) == 0 && strcmp(suite->cipher, cipher) == 0 &&
		    strcmp(suite->mac, mac) == 0)
			return true;
	}
	return false;
}
