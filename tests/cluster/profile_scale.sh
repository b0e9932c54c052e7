# shellcheck shell=bash disable=SC2034,SC2154 # the variables of cluster
# Sourced by cluster for RELEASE-scale, which tests/scale measures: a large cluster with few daemons.
#
#   rn01-02       64 CPUs each, the only ones with a slurmd: partition run
#   cl00001-...   $SCALE_NODES powered down ones: partition large, which is DOWN and only holds jobs
#
# Job IDs begin at $SCALE_FIRST_JOB_ID. With $SCALE_WITHOUT_SLURMDBD slurmctld keeps no accounts, and nothing answers in place
# of slurmdbd.

# Without accounts slurmrestd does not start if it is to serve slurmdb, too.
slurmrestd_options=${SCALE_WITHOUT_SLURMDBD:+-s slurmctld}
users=(alice bob carol)
nodes=(rn01 rn02)

# What is said twice in slurm.conf counts as it is said last.
write_nodes() {
	local host='NodeHostname=controller NodeAddr=127.0.0.1'
	cat >>"$root/etc/slurm/slurm.conf" <<-END
		MaxJobCount=300000
		FirstJobId=${SCALE_FIRST_JOB_ID:-1}
		MaxArraySize=100001
		SchedulerParameters=bf_interval=30
		NodeName=DEFAULT Boards=1 SocketsPerBoard=1 ThreadsPerCore=1
		NodeName=rn[01-02] $host Port=[$((port + 11))-$((port + 12))] CPUs=64 CoresPerSocket=64 RealMemory=64000
		NodeName=cl[00001-$(printf %05d "${SCALE_NODES:-10000}")] CPUs=64 CoresPerSocket=64 RealMemory=256000 State=CLOUD
		PartitionName=run Nodes=rn[01-02] Default=YES MaxTime=UNLIMITED DefaultTime=01:00:00
		PartitionName=large Nodes=ALL MaxTime=2-00:00:00 DefaultTime=01:00:00 State=DOWN
	END
	: >"$root/etc/slurm/gres.conf"
}

# Before slurmctld is started.
forget_slurmdbd() {
	stop_daemon slurmdbd
	sed -i '/^Accounting/d; /^Preempt/d' "$root/etc/slurm/slurm.conf"
}

create_accounts() {
	enter <<-END
		add cluster cluster${release/./}
		add account science
		add user alice,bob,carol account=science
		modify user root set adminlevel=admin
		add user $admin account=science adminlevel=admin
	END
	[ ! "${SCALE_WITHOUT_SLURMDBD:-}" ] || forget_slurmdbd
}

limit_gpus() { :; }
