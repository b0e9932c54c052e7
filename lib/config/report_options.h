/* The options of slurmscope report, for the command line, help, manual pages and what shells complete. */
#pragma once

enum report_option_id {
	REPORT_FROM,
	REPORT_TO,
	REPORT_MONTH,
	REPORT_BY,
	REPORT_FORMAT,
	REPORT_CSV_FILE,
	REPORT_URL,
	REPORT_MATCH,
	REPORT_CA_FILE,
	REPORT_AUTHORIZATION_FILE,
	REPORT_SLURMDBD,
	REPORT_HELP,
	REPORT_OPTIONS,
};

struct report_option {
	const char *name, *value, *help; /* value: what stands for it in help, NULL: the option takes none */
};

extern const struct report_option report_options[REPORT_OPTIONS];
