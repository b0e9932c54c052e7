# shellcheck shell=bash disable=SC2034,SC2154 # the variables of cluster
# Sourced by cluster for RELEASE-pair: the same cluster with a second controller, for test_failover.py. Its slurmctld
# and its slurmrestd are at 127.0.0.2 and believe that their host is controller2; StateSaveLocation is shared.

pair_of() { declare -f "$1" | sed "1s/.*/first_$1 ()/"; }
eval "$(for function in make_folders write_nodes start_daemon bring_up; do pair_of "$function"; done)"

# What is of the host alone: pid files, by which a slurmctld ends the one before.
make_folders() {
	first_make_folders
	inside install -d -o slurm -g slurm /run/controller2
	echo '127.0.0.2 controller2' >>"$root/etc/hosts"
}

# The backup takes over after SlurmctldTimeout; what ended is forgotten at once.
write_nodes() {
	first_write_nodes
	cat >>"$root/etc/slurm/slurm.conf" <<-END
		SlurmctldHost=controller2(127.0.0.2)
		SlurmctldTimeout=10
		MinJobAge=2
	END
}

answers() { inside scontrol ping | grep -q "at $1 is UP"; }
second_port_open() { : <>"/dev/tcp/127.0.0.2/$((port + 3))"; }

start_daemon() {
	case $1 in
	slurmctld2)
		! running "$1" || return 0
		as_host=controller2 launch_as "$1" slurm slurmctld -D -i -L /var/log/slurm/slurmctld2.log
		wait_for "$patience" "$1" answers controller2
		;;
	slurmrestd2)
		! running "$1" || return 0
		as_host=controller2 launch_as "$1" slurmrestd env SLURM_JWT=daemon \
			SLURMRESTD_SECURITY=disable_unshare_files,disable_unshare_sysv \
			slurmrestd -a rest_auth/jwt "127.0.0.2:$((port + 3))"
		wait_for "$patience" "$1" second_port_open
		;;
	*) first_start_daemon "$1" ;;
	esac
}

bring_up() {
	first_bring_up
	start_daemon slurmctld2
	start_daemon slurmrestd2
}
