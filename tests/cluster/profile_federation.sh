# shellcheck shell=bash disable=SC2034,SC2154 # the variables of cluster
# Sourced by cluster for RELEASE-federation: two clusters on one slurmdbd, which are a federation. The second one is called
# west; its commands need SLURM_CONF=/etc/slurm/west.conf.
#
#   ea01-02   4 CPUs each, of the first one
#   we01-02   likewise, of west
#
# slurmctld forgets at once what ended. `cluster url` prints the URL of each one's slurmrestd.

users=(alice bob carol)
nodes=(ea01 ea02 we01 we02)

first_of() { declare -f "$1" | sed "1s/.*/first_$1 ()/"; }
eval "$(for function in make_folders start_daemon bring_up print_url; do first_of "$function"; done)"

make_folders() {
	first_make_folders
	inside install -d -o slurm -g slurm /var/spool/west
}

# What is said twice in slurm.conf counts as it is said last.
write_nodes() {
	local host='NodeHostname=controller NodeAddr=127.0.0.1' west=$root/etc/slurm/west.conf each
	cat >>"$root/etc/slurm/slurm.conf" <<-END
		MinJobAge=2
		SchedulerParameters=bf_interval=2,default_queue_depth=1000,sched_interval=5
		NodeName=DEFAULT Boards=1 SocketsPerBoard=1 ThreadsPerCore=1 CPUs=4 CoresPerSocket=4 RealMemory=16000
		PartitionName=DEFAULT MaxTime=01:00:00 DefaultTime=00:05:00
	END
	sed -e 's/^ClusterName=.*/ClusterName=west/' -e "s/^SlurmctldPort=.*/SlurmctldPort=$((port + 51))/" \
		-e 's:/spool/slurmctld:/spool/west:; s:slurmctld\.\(log\|pid\):west.\1:' "$root/etc/slurm/slurm.conf" >"$west"
	cat >>"$root/etc/slurm/slurm.conf" <<-END
		NodeName=ea[01-02] $host Port=[$((port + 11))-$((port + 12))]
		PartitionName=cpu Nodes=ea[01-02] Default=YES
		PartitionName=side Nodes=ea[01-02]
	END
	cat >>"$west" <<-END
		NodeName=we[01-02] $host Port=[$((port + 61))-$((port + 62))]
		PartitionName=cpu Nodes=we[01-02] Default=YES
		PartitionName=side Nodes=we[01-02]
	END
	for each in "$root/etc/slurm/slurm.conf" "$west"; do
		sed -i '/^\(PreemptType\|PreemptMode\|Licenses\|GresTypes\|AccountingStorageTRES\)=/d' "$each"
	done
	: >"$root/etc/slurm/gres.conf"
}

create_accounts() {
	enter <<-END
		add cluster cluster${release/./}
		add cluster west
		add account science cluster=cluster${release/./},west
		add user alice,bob,carol account=science cluster=cluster${release/./},west
		modify user root set adminlevel=admin
		add user $admin account=science adminlevel=admin cluster=cluster${release/./},west
	END
}

limit_gpus() { :; }

in_west() { inside SLURM_CONF=/etc/slurm/west.conf "$@"; }
registered() {
	[ "$(inside sinfo -h -N -o %N -t idle | sort -u | wc -l)" -eq 2 ] &&
		[ "$(in_west sinfo -h -N -o %N -t idle | sort -u | wc -l)" -eq 2 ]
}

start_daemon() {
	local name=$1
	case $name in
	slurmctld-west)
		! running "$name" || return 0
		launch_as "$name" slurm env SLURM_CONF=/etc/slurm/west.conf slurmctld -D -i
		wait_for "$patience" "$name" in_west scontrol show config
		;;
	slurmd.we*)
		! running "$name" || return 0
		# shellcheck disable=SC2016
		launch "$name" --pid --fork --kill-child env SLURM_CONF=/etc/slurm/west.conf sh -c 'slurmd -D -N "$0" & wait' "${name#slurmd.}"
		;;
	slurmrestd-west)
		! running "$name" || return 0
		launch_as "$name" slurmrestd env SLURM_JWT=daemon SLURM_CONF=/etc/slurm/west.conf \
			SLURMRESTD_SECURITY=disable_unshare_files,disable_unshare_sysv \
			slurmrestd -a rest_auth/jwt "127.0.0.1:$((port + 53))"
		wait_for "$patience" "$name" port_open "$((port + 53))"
		;;
	slurmd) first_start_daemon slurmctld; start_daemon slurmctld-west; first_start_daemon slurmd ;;
	*) first_start_daemon "$name" ;;
	esac
}

# Each slurmctld has registered with slurmdbd by now, and hears of the federation from it.
knows_its_sibling() { inside scontrol show federation | grep -q 'west.*PersistConnSend/Recv:Yes/Yes'; }
known_by_its_sibling() { in_west scontrol show federation | grep -q "cluster${release/./}.*PersistConnSend/Recv:Yes/Yes"; }

bring_up() {
	first_bring_up
	start_daemon slurmrestd-west
	patiently inside sacctmgr -i add federation both "clusters=cluster${release/./},west"
	wait_for "$patience" federation knows_its_sibling
	wait_for "$patience" federation known_by_its_sibling
}

print_url() { first_print_url; echo "http://127.0.0.1:$((port + 53))"; }
