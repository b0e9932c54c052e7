/* How long a start may keep slurmrestd busier. */
#include "check.h"
#include "poll/start.h"

#define SECONDS(n) ((uint64_t)(n)*UINT64_C(1000000000))

static void test_lives(void)
{
	static const struct {
		const char *what;
		uint64_t complete_s, looked_s; /* after it began */
		double left_s;
	} rows[] = {
		{"it goes on while jobs are unknown", 9999, 60, 540},
		{"it ends when all are known", 60, 60, 0},
		{"jobs that come later begin no other one", 60, 61, 0},
		{"it ends after ten minutes", 9999, 599, 1},
		{"to the second", 9999, 600, 0},
		{"and stays over", 9999, 7200, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct start start = {0};
		check_row(rows[i].what);
		start_begin(&start, SECONDS(5000));
		bool goes_on = true;
		for (uint64_t s = 0; s <= rows[i].looked_s; s++)
			goes_on = start_goes_on(&start, s == rows[i].complete_s, SECONDS(5000 + s));
		CHECK(goes_on == (rows[i].left_s > 0));
		CHECK_NUMBER(start_left_s(&start, SECONDS(5000 + rows[i].looked_s)), rows[i].left_s);
	}
}

static void test_another(void)
{
	struct start start = {0};
	check_row("none has begun");
	CHECK(!start_goes_on(&start, false, SECONDS(1)));
	CHECK_NUMBER(start_left_s(&start, SECONDS(1)), 0);
	check_row("a takeover is another start");
	start_begin(&start, SECONDS(1));
	CHECK(!start_goes_on(&start, true, SECONDS(2)));
	start_begin(&start, SECONDS(100));
	CHECK(start_goes_on(&start, false, SECONDS(101)));
	CHECK_NUMBER(start_left_s(&start, SECONDS(101)), 599);
}

int main(void)
{
	test_lives();
	test_another();
	return check_done();
}
