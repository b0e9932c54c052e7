# shellcheck shell=bash disable=SC2154 # the variables of cluster
# Sourced by cluster: what a test must leave as it found it, in lines that diff compares. What moves by itself is left out:
# ended jobs, reasons, priorities, counters.

print_jobs() { inside squeue -r -a -h -t PD,CF,R,S,CG -o 'job %i %T' | sort; }
# PLANNED comes and goes with the backfill scheduler.
print_nodes() { scontrol -o show nodes | sed -E 's/^NodeName=([^ ]*) .* State=([^ ]*) .*/node \1 \2/; s/[+]PLANNED//' | sort; }
print_partitions() { scontrol -a -o show partitions | sed -E 's/^PartitionName=([^ ]*) .* State=([^ ]*) .*/partition \1 \2/' | sort; }
print_reservations() { scontrol -o show reservations | sed -E 's/^ReservationName=([^ ]*) .* Nodes=([^ ]*) .* Flags=([^ ]*) .*/reservation \1 \2 \3/' | sort; }
print_accounts() {
	inside sacctmgr -n -P show user withassoc | sort | sed 's/^/user /'
	inside sacctmgr -n -P show assoc | sort | sed 's/^/association /'
	inside sacctmgr -n -P show qos | sort | sed 's/^/qos /'
}
print_files() { (cd "$root" && find etc/slurm etc/munge -type f -exec sha256sum {} + | sort -k 2 | sed 's/^/file /'); }

print_daemon() {
	local pid
	if ! running "$1"; then
		echo "daemon $1 does not run"
	elif freezable "$1" && [ "$(awk '{ print $3 }' "/proc/$pid/stat")" = T ]; then
		echo "daemon $1 is stopped by a signal"
	else
		echo "daemon $1 runs"
	fi
}

print_daemons() {
	local name pid
	for name in "${daemons[@]}" "${nodes[@]/#/slurmd.}"; do
		print_daemon "$name"
	done
	if running slurmrestd; then
		tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^SLURM_BITSTR/slurmrestd SLURM_BITSTR/p'
	fi
}

# Commands of a Slurm that is away wait long, and say nothing more.
print_state() {
	local said
	said=$(print_daemons)
	echo "$said"
	! grep -q '^daemon \(slurmctld\|slurmdbd\|munged\) \(does\|is\)' <<<"$said" || return 0
	print_jobs
	print_nodes
	print_partitions
	print_reservations
	print_accounts
	print_files
}

# Seconds. A test that let a job come may have to wait for its end, or for a daemon that has to find its nodes again.
settles_within=60

settled() {
	local mark=$root/var/settled deadline=$((SECONDS + settles_within)) differs
	[ -e "$mark" ] || { echo "$cluster is not up, or without its workload"; return 1; }
	until differs=$(diff --unchanged-line-format= --old-line-format='was: %L' --new-line-format='is:  %L' "$mark" <(print_state 2>&1)); do
		if ((SECONDS >= deadline)); then
			echo "$differs"
			return 1
		fi
		sleep 1
	done
}
