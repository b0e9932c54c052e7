# shellcheck shell=bash disable=SC2154 # the variables of cluster
# Sourced by cluster: starting, stopping and freezing single daemons.
#
# Each daemon has a file in $pids with its process ID and start time. So no
# signal goes to a process that later got the same number from the kernel.

# Seconds. A slurmctld that takes back from its backup needs 29; one that is killed as it ends has not written all it knew.
patience=300

daemons=(munged mariadbd slurmdbd slurmctld slurmrestd) # beside a slurmd for each node

# Of a live process: nobody may be in a hurry to reap the dead.
started_at() { awk '$3 != "Z" { print $22 }' "/proc/$1/stat" 2>/dev/null; }

# Sets pid if the daemon runs.
running() {
	local start
	[ -s "$pids/$1" ] && read -r pid start <"$pids/$1" && [ "$(started_at "$pid")" = "$start" ]
}

port_open() { : <>"/dev/tcp/127.0.0.1/$1"; }
port_closed() { ! port_open "$1" 2>/dev/null; }

# `with`, which ends what a test has left behind, spares the daemons.
launch() {
	local name=$1
	shift
	mkdir -p "$pids"
	(become='exec env -u SLURMSCOPE_TEST_ON setsid' inside "$@") >"$root/var/log/slurm/$name.out" 2>&1 </dev/null &
	echo "$! $(started_at $!)" >"$pids/$name"
}

launch_as() { local name=$1 user=$2; shift 2; launch "$name" setpriv --reuid "$user" --regid "$user" --init-groups "$@"; }

start_daemon() {
	local name=$1 node
	if [ "$name" = slurmd ]; then
		for node in "${nodes[@]}"; do start_daemon "slurmd.$node"; done
		return
	fi
	! running "$name" || return 0
	case $name in
	munged)
		launch_as munged munge munged --foreground
		wait_for "$patience" munged inside munge -n
		;;
	mariadbd)
		launch_as mariadbd mysql mariadbd --skip-networking --socket=/run/mysqld/mysqld.sock \
			--innodb-flush-log-at-trx-commit=0
		wait_for "$patience" mariadbd inside mariadb-admin ping
		;;
	slurmdbd)
		launch_as slurmdbd slurm slurmdbd -D
		wait_for "$patience" slurmdbd inside sacctmgr -n show stats
		;;
	slurmctld)
		# What it counts for associations then differs. 26.05 counts a node that jobs share once for each of them, and
		# no longer once for all. 24.11 takes what has run from the running minutes up to ten minutes late, no longer
		# five.
		touch "$root/var/restarted"
		launch_as slurmctld slurm slurmctld -D -i
		wait_for "$patience" slurmctld inside scontrol show config
		;;
	slurmd.*)
		# In a pid namespace of its own, so that its jobs end with it; the shell
		# reaps what they leave behind.
		# shellcheck disable=SC2016
		launch "$name" --pid --fork --kill-child sh -c 'slurmd -D -N "$0" & wait' "${name#slurmd.}"
		;;
	slurmrestd)
		# A large one keeps its port for a moment after its end.
		wait_for "$patience" 'free port' port_closed "$((port + 3))"
		rm -f "$root/run/slurmrestd/slurmrestd.sock"
		# shellcheck disable=SC2086
		launch_as slurmrestd slurmrestd env SLURM_JWT=daemon ${SLURMRESTD_ENVIRONMENT:-} \
			SLURMRESTD_SECURITY=disable_unshare_files,disable_unshare_sysv \
			slurmrestd -a rest_auth/jwt ${slurmrestd_options:-} "127.0.0.1:$((port + 3))" unix:/run/slurmrestd/slurmrestd.sock
		wait_for "$patience" slurmrestd port_open "$((port + 3))"
		;;
	*) die "no such daemon: $name" ;;
	esac
}

stop_daemon() {
	local name=$1 signal=${2:-TERM} node pid deadline=$((SECONDS + patience))
	if [ "$name" = slurmd ]; then
		for node in "${nodes[@]}"; do stop_daemon "slurmd.$node"; done
		return
	fi
	# Ends the whole pid namespace.
	[[ $name != slurmd.* ]] || signal=KILL
	if running "$name"; then
		kill "-$signal" "$pid"
		kill -CONT "$pid" 2>/dev/null || true # it may be gone
		while running "$name"; do
			((SECONDS < deadline)) || kill -KILL "$pid" 2>/dev/null || true
			sleep 0.05
		done
	fi
	rm -f "$pids/$name"
}

kill_daemon() { stop_daemon "$1" KILL; }

restart_daemon() { stop_daemon "$1"; start_daemon "$1"; }

# The process to freeze: a slurmd runs two generations below its namespace.
freezable() {
	local name=$1
	running "$name" || die "$name does not run"
	if [[ $name == slurmd.* ]]; then
		pid=$(pgrep -P "$(pgrep -P "$pid")" slurmd)
	fi
}

pause_daemon() { local pid; freezable "$1"; kill -STOP "$pid"; }
resume_daemon() { local pid; freezable "$1"; kill -CONT "$pid"; }

daemon_status() {
	local file pid
	for file in "$pids"/*; do
		if [ ! -e "$file" ]; then
			echo "$cluster is down"
		elif running "${file##*/}"; then
			echo "${file##*/} runs as $pid"
		else
			echo "${file##*/} has died"
		fi
	done
}

# Prints which daemons ended though nobody stopped them, with the last that each of them said.
print_dead() {
	local file name
	for file in "$pids"/*; do
		name=${file##*/}
		[ -e "$file" ] && ! running "$name" || continue
		echo "$name has ended by itself. Its last words:"
		tail -qn 10 "$root/var/log/slurm/$name".{log,out} 2>/dev/null | sed 's/^/  /'
	done
}

revive_dead() {
	local file
	print_dead
	for file in "$pids"/*; do
		[ ! -e "$file" ] || start_daemon "${file##*/}"
	done
}

registered() { [ "$(inside sinfo -h -N -o %N -n "$(IFS=,; echo "${nodes[*]}")" -t idle | sort -u | wc -l)" -eq ${#nodes[@]} ]; }

create_database() {
	inside mariadb <<-'END'
		DROP DATABASE IF EXISTS slurm_acct_db;
		CREATE DATABASE slurm_acct_db;
		CREATE USER IF NOT EXISTS slurm@localhost IDENTIFIED VIA unix_socket;
		GRANT ALL ON slurm_acct_db.* TO slurm@localhost;
	END
}

bring_up() {
	bring_down
	wipe_state
	configure_cluster
	start_daemon munged
	start_daemon mariadbd
	create_database
	start_daemon slurmdbd
	create_accounts
	start_daemon slurmctld
	limit_gpus
	start_daemon slurmd
	start_daemon slurmrestd
	wait_for "$patience" nodes registered
}

# Whatever runs there, of another profile too. Nothing is worth an orderly end: the next bring_up wipes it.
bring_down() {
	local file
	for file in "$pids"/*; do
		[ ! -e "$file" ] || kill_daemon "${file##*/}"
	done
	rm -f "$root"/var/{settled,unused} # nobody has to wait for it
}

print_token() { inside scontrol token "username=$1" "lifespan=$2" | sed 's/^SLURM_JWT=//'; }
print_url() { echo "http://127.0.0.1:$((port + 3))"; }
