#include "config/report_options.h"

#include <stddef.h>

const struct report_option report_options[REPORT_OPTIONS] = {
	[REPORT_FROM] =
		{"from", "TIME",
		 "From when on, in the local time zone: 2026-11-01 or 2026-11-01T08:30, with a Z after it in UTC; or "
		 "@1793491200, Unix seconds."},
	[REPORT_TO] = {"to", "TIME", "Until when. Default: now."},
	[REPORT_MONTH] = {"month", "MONTH", "A month instead of the two: 2026-11, last or this."},
	[REPORT_BY] =
		{"by", "KINDS",
		 "A table for each of these, separated by commas: cluster, partition, account, user, qos. Default: account."},
	[REPORT_FORMAT] =
		{"format", "FORMAT",
		 "table, csv or json. Tables have hours and kWh, the others seconds and joules. Default: table."},
	[REPORT_CSV_FILE] = {"csv-file", "FILE",
			     "Write the report into this file, too, as CSV. What is in it is replaced."},
	[REPORT_URL] = {"prometheus.url", "URL", "The Prometheus that scrapes slurmscope, or what answers like one."},
	[REPORT_MATCH] = {"prometheus.match", "MATCHERS", "Only series with these labels, such as cluster=\"alpha\"."},
	[REPORT_CA_FILE] = {"prometheus.ca-file", "FILE",
			    "Certificates (PEM) that the certificate of Prometheus has to come from."},
	[REPORT_AUTHORIZATION_FILE] =
		{"prometheus.authorization-file", "FILE",
		 "Its text is sent as the header Authorization: Bearer and a token, or Basic and a password."},
	[REPORT_SLURMDBD] =
		{"slurmdbd", NULL,
		 "Ask slurmdbd, through slurmrestd, and not Prometheus. Further options are then those of slurmscope, "
		 "such as --config.file."},
	[REPORT_HELP] = {"help", NULL, "Print these options."},
};
