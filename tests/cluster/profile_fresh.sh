# shellcheck shell=bash disable=SC2034,SC2154 # the variables of cluster
# Sourced by cluster for RELEASE-fresh, which tests/freshness measures. Each job that changes has a user, an account and a
# partition of the same name. So each change has rows of its own on the page.
#
#   rn01-02   64 CPUs each: partition run, and partitions job01-12, whose jobs start and end
#   bz01      4 CPUs, for a job that holds all of it: partition full, and why01-24, whose jobs wait for other reasons
#   fn01-24   go down and are drained: partition nodes
#
# part01-50 are partitions that go down. Jobs of bg1-5 are there and do not change.

names() { seq -f "$1%02g" "$2"; }
mapfile -t users < <(printf 'bg%d\n' 1 2 3 4 5; names job 12; names why 24)
mapfile -t nodes < <(names rn 2; names bz 1; names fn 24)

# What is said twice in slurm.conf counts as it is said last. slurmctld forgets jobs when it does by default. It notices a changed limit
# when it schedules next; that takes up to a minute by default, in which nothing could be measured.
write_nodes() {
	local host='NodeHostname=controller NodeAddr=127.0.0.1' name
	{
		cat <<-END
			MinJobAge=300
			SchedulerParameters=bf_interval=5,bf_window=10080,default_queue_depth=1000,sched_interval=10
			MaxJobCount=300000
			MaxArraySize=100001
			NodeName=DEFAULT Boards=1 SocketsPerBoard=1 ThreadsPerCore=1
			NodeName=rn[01-02] $host Port=[$((port + 11))-$((port + 12))] CPUs=64 CoresPerSocket=64 RealMemory=64000
			NodeName=bz01 $host Port=$((port + 13)) CPUs=4 CoresPerSocket=4 RealMemory=64000
			NodeName=fn[01-24] $host Port=[$((port + 14))-$((port + 37))] CPUs=4 CoresPerSocket=4 RealMemory=16000
			PartitionName=DEFAULT MaxTime=UNLIMITED DefaultTime=01:00:00
			PartitionName=run Nodes=rn[01-02] Default=YES
			PartitionName=full Nodes=bz01
			PartitionName=nodes Nodes=fn[01-24]
			PartitionName=large Nodes=ALL State=DOWN
		END
		for name in $(names job 12); do echo "PartitionName=$name Nodes=rn[01-02] PriorityTier=100"; done
		for name in $(names why 24); do echo "PartitionName=$name Nodes=bz01 PriorityTier=100"; done
		for name in $(names part 50); do echo "PartitionName=$name Nodes=fn01"; done
	} >>"$root/etc/slurm/slurm.conf"
	: >"$root/etc/slurm/gres.conf"
}

create_accounts() {
	local user
	{
		echo "add cluster cluster${release/./}"
		echo "modify user root set adminlevel=admin"
		for user in "${users[@]}"; do
			echo "add account $user"
			echo "add user $user account=$user"
		done
		echo "add user $admin account=bg1 adminlevel=admin"
	} | enter
}

limit_gpus() { :; }
