/* The configuration file: what is read can be printed, and the printed file reads back as the same. A file that is
 * refused gives an error that names the file or an option. */
#include "config/setup.h"

#include "fuzz.h"

static bool read_setup(struct text file, struct buf *printed, struct error *err)
{
	char path[64], option[96];
	int descriptor = fuzz_file(file, path);
	snprintf(option, sizeof option, "--config.file=%s", path);
	char *argv[] = {(char *)"slurmscope", option, NULL};
	bool is_read;
	struct setup *setup = setup_new(2, argv, &is_read, err);
	if (is_read)
		setup_print(setup, printed);
	setup_release(setup);
	close(descriptor);
	return is_read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {""};
	struct buf printed = BUF_INIT, again = BUF_INIT;
	if (!read_setup((struct text){(const char *)data, size}, &printed, &err)) {
		REQUIRE(*err.text);
	} else {
		bool is_read = read_setup(buf_text(&printed), &again, &err);
		if (!is_read)
			fprintf(stderr, "%s\n%s\n", err.text, printed.bytes);
		REQUIRE(is_read);
		REQUIRE(text_equal(buf_text(&printed), buf_text(&again)));
	}
	buf_done(&printed);
	buf_done(&again);
	return 0;
}
