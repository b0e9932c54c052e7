/* Which of two slurmscopes leads, by what ping says of their controllers. */
#include "check.h"
#include "poll/role.h"

/* "ctl1 ctl2-" is ctl1, which responds, and ctl2, which does not. The first is primary because it is named first. */
static void answer(struct role *role, const char *host, const char *words)
{
	struct controller_state controllers[CONTROLLERS_MAX];
	unsigned count = 0;
	struct text rest = text_of(words), word;
	while (text_next(&rest, ' ', &word)) {
		struct controller_state *controller = &controllers[count];
		*controller = (struct controller_state){.is_primary = count == 0, .is_up = true};
		if (word.bytes[word.len - 1] == '-') {
			controller->is_up = false;
			word.len--;
		}
		text_to_string(word, controller->host, sizeof controller->host);
		count++;
	}
	role_note(role, host, controllers, count);
}

static void lives(void)
{
	static const struct {
		const char *what, *host;
		const char *answers[8]; /* "": ping failed */
		const char *leads; /* after each of them */
	} rows[] = {
		{"the primary's begins", "ctl1", {"ctl1 ctl2", "ctl1 ctl2"}, "yy"},
		{"the backup's begins", "ctl2", {"ctl1 ctl2", "ctl1 ctl2"}, "nn"},
		{"a waiting backup answers ping, too", "ctl2", {"ctl1- ctl2", "ctl1 ctl2", "ctl1 ctl2"}, "ynn"},
		{"the backup's takes over at the second answer",
		 "ctl2",
		 {"ctl1 ctl2", "ctl1- ctl2", "ctl1- ctl2", "ctl1- ctl2"},
		 "nnyy"},
		{"and gives way at once", "ctl2", {"ctl1- ctl2", "ctl1- ctl2", "ctl1 ctl2", "ctl1 ctl2"}, "yynn"},
		{"the primary's gives way at once, and takes two to be back",
		 "ctl1",
		 {"ctl1 ctl2", "ctl1- ctl2", "ctl1 ctl2", "ctl1 ctl2"},
		 "ynny"},
		{"one answer between is none", "ctl2", {"ctl1 ctl2", "ctl1- ctl2", "ctl1 ctl2", "ctl1- ctl2"}, "nnnn"},
		{"a failure keeps the role", "ctl1", {"ctl1 ctl2", "", "", "ctl1 ctl2"}, "yyyy"},
		{"of a standby, too", "ctl2", {"ctl1 ctl2", "", ""}, "nnn"},
		{"two answers with a failure between are not in a row",
		 "ctl2",
		 {"ctl1 ctl2", "ctl1- ctl2", "", "ctl1- ctl2", "ctl1- ctl2"},
		 "nnnny"},
		{"nor with one between that none responds",
		 "ctl2",
		 {"ctl1 ctl2", "ctl1- ctl2", "ctl1- ctl2-", "ctl1- ctl2", "ctl1- ctl2"},
		 "nnnny"},
		{"nothing is known at the start: standby", "ctl1", {"", "", "ctl1 ctl2"}, "nny"},
		{"none responds: it stays as it is", "ctl1", {"ctl1 ctl2", "ctl1- ctl2-", "ctl1 ctl2"}, "yyy"},
		{"of a standby, too", "ctl2", {"ctl1 ctl2", "ctl1- ctl2-", "ctl1- ctl2", "ctl1- ctl2"}, "nnny"},
		{"none responds at the start: not known", "ctl1", {"ctl1- ctl2-", "ctl1- ctl2", "ctl1 ctl2"}, "nnn"},
		{"nor is one that ping does not name", "ctl3", {"ctl1 ctl2", "ctl1- ctl2"}, "nn"},
		{"of three",
		 "ctl3",
		 {"ctl1 ctl2 ctl3", "ctl1- ctl2- ctl3", "ctl1- ctl2- ctl3", "ctl1- ctl2 ctl3"},
		 "nnyn"},
		{"full names", "CTL2.site.example", {"ctl1.site.example- ctl2"}, "y"},
		{"not a part of a name", "ctl", {"ctl1 ctl2"}, "n"},
		{"nor is another's a part of it", "ctl10", {"ctl1 ctl2"}, "n"},
		{"one alone", "ctl1", {"ctl1", "ctl1-"}, "yy"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct role role = ROLE_INIT;
		char leads[9] = "";
		for (size_t at = 0; at < 8 && rows[i].answers[at]; at++) {
			if (*rows[i].answers[at])
				answer(&role, rows[i].host, rows[i].answers[at]);
			else
				role_note_failure(&role);
			leads[at] = role.leads ? 'y' : 'n';
		}
		check_row(rows[i].what);
		CHECK_STRING(leads, rows[i].leads);
	}
	check_row(NULL);
}

static void what_is_said(void)
{
	struct role role = ROLE_INIT;
	CHECK(role.is_named && !role.is_known);
	answer(&role, "ctl2", "ctl1- ctl2");
	CHECK(role.is_named && role.is_known);
	CHECK_STRING(role.serving, "ctl2");
	answer(&role, "ctl9", "ctl1 ctl2");
	CHECK(!role.is_named);
	CHECK_STRING(role.serving, "ctl1");
	answer(&role, "ctl2", "ctl1- ctl2-");
	CHECK(role.is_named);
	CHECK_STRING(role.serving, "");
	answer(&role, "a", "A.b.c");
	CHECK(role.is_named);
	answer(&role, "a", "b");
	CHECK(!role.is_named);
	answer(&role, "", ".b");
	CHECK(!role.is_named);
}

int main(void)
{
	lives();
	what_is_said();
	return check_done();
}
