# shellcheck shell=bash disable=SC2154 # the variables of cluster
# Sourced by cluster: everything under the root folder that makes it a cluster
# of its own. These are users, keys, devices and Slurm's configuration.
#
#   cn01-12     4 CPUs each; 01-02 also in debug, 11 hidden, 12 in partitions
#               that start nothing
#   sp01        two threads per core, a core and memory set aside for the system
#   gn01-02     4 a100, nic without type     hn01  4 h100     mx01  2 of each
#   bn01-02     of partition busy, where jobs come and go
#   dead1-2     never register               fut1-2  FUTURE
#   cloud1-4    powered down, power up takes for ever

users=(alice bob carol dave erin frank grace heidi ivan judy kim leo mia nina omar)
outsider=scope # in no account: the user the exporter asks as
admin=warden  # may ask for slurmdbd's statistics
nodes=(cn01 cn02 cn03 cn04 cn05 cn06 cn07 cn08 cn09 cn10 cn11 cn12 sp01 gn01 gn02 hn01 mx01 bn01 bn02)

make_users() {
	local user
	inside useradd --system slurmrestd
	for user in "${users[@]}" "$outsider" "$admin"; do
		inside useradd --no-create-home --shell /bin/bash "$user"
	done
}

make_keys() {
	local etc=$root/etc
	head -c 1024 /dev/urandom >"$etc/munge/munge.key"
	head -c 32 /dev/urandom >"$etc/slurm/jwt_hs256.key"
	chmod 400 "$etc/munge/munge.key" "$etc/slurm/jwt_hs256.key"
	inside chown munge:munge /etc/munge/munge.key
	inside chown slurm:slurm /etc/slurm/jwt_hs256.key
}

make_folders() {
	inside install -d -o slurm -g slurm /run/slurm /var/log/slurm /var/spool/slurmctld
	inside install -d -o munge -g munge /run/munge
	inside install -d -o mysql -g mysql /run/mysqld
	inside install -d -o slurmrestd -g slurmrestd /run/slurmrestd
	inside install -d "${nodes[@]/#//var/spool/slurmd/}"
}

write_slurmdbd_conf() {
	cat >"$root/etc/slurm/slurmdbd.conf" <<-END
		AuthType=auth/munge
		AuthAltTypes=auth/jwt
		AuthAltParameters=jwt_key=/etc/slurm/jwt_hs256.key
		CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
		DbdHost=controller
		DbdAddr=127.0.0.1
		DbdPort=$((port + 2))
		SlurmUser=slurm
		StorageType=accounting_storage/mysql
		StorageHost=localhost
		StorageUser=slurm
		StorageLoc=slurm_acct_db
		LogFile=/var/log/slurm/slurmdbd.log
		PidFile=/run/slurm/slurmdbd.pid
	END
	chmod 600 "$root/etc/slurm/slurmdbd.conf"
	inside chown slurm:slurm /etc/slurm/slurmdbd.conf
}

# MinJobAge keeps ended jobs in sight; SlurmdTimeout is long so that a node that
# does not answer stays just that; usage is charged every minute.
write_slurm_conf() {
	cat >"$root/etc/slurm/slurm.conf" <<-END
		ClusterName=cluster${release/./}
		SlurmctldHost=controller(127.0.0.1)
		SlurmctldPort=$((port + 1))
		SlurmUser=slurm
		AuthType=auth/munge
		AuthAltTypes=auth/jwt
		AuthAltParameters=jwt_key=/etc/slurm/jwt_hs256.key
		CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
		StateSaveLocation=/var/spool/slurmctld
		SlurmdSpoolDir=/var/spool/slurmd/%n
		SlurmctldPidFile=/run/slurm/slurmctld.pid
		SlurmdPidFile=/run/slurm/slurmd.%n.pid
		SlurmctldLogFile=/var/log/slurm/slurmctld.log
		SlurmdLogFile=/var/log/slurm/slurmd.%n.log
		SlurmdParameters=config_overrides
		SlurmdTimeout=7200
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		MpiDefault=none
		MailProg=/bin/true
		Epilog=/etc/slurm/epilog
		RebootProgram=/bin/true
		SuspendProgram=/bin/true
		ResumeProgram=/bin/true
		ResumeTimeout=60000
		SuspendTimeout=60000
		SuspendTime=500000
		ReturnToService=1
		InactiveLimit=0
		KillWait=2
		MinJobAge=7200
		MaxArraySize=10001
		GresTypes=gpu,nic
		Licenses=matlab:10,fluent:4
		SchedulerType=sched/backfill
		SchedulerParameters=bf_interval=5,bf_window=10080,default_queue_depth=1000
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core_Memory
		DefMemPerCPU=500
		PriorityType=priority/multifactor
		PriorityCalcPeriod=1
		PriorityWeightAge=1000
		PriorityWeightPartition=1000
		PriorityWeightQOS=5000
		PreemptType=preempt/qos
		PreemptMode=REQUEUE
		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=127.0.0.1
		AccountingStoragePort=$((port + 2))
		AccountingStorageEnforce=associations,limits,qos
		AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpu:h100
		JobAcctGatherType=jobacct_gather/linux
		JobAcctGatherFrequency=task=5
	END
	[ "$release" != 26.05 ] || echo "MetricsType=metrics/openmetrics" >>"$root/etc/slurm/slurm.conf"
	local plugin=disabled
	[ "$release" != 22.05 ] || plugin=cgroup/v1
	echo "CgroupPlugin=$plugin" >"$root/etc/slurm/cgroup.conf"
}

write_nodes() {
	local host='NodeHostname=controller NodeAddr=127.0.0.1'
	cat >>"$root/etc/slurm/slurm.conf" <<-END
		NodeName=DEFAULT Boards=1 SocketsPerBoard=1 ThreadsPerCore=1
		NodeName=cn[01-12] $host Port=[$((port + 11))-$((port + 22))] CPUs=4 CoresPerSocket=4 RealMemory=16000 Weight=10
		NodeName=sp01 $host Port=$((port + 23)) CPUs=16 CoresPerSocket=8 ThreadsPerCore=2 CoreSpecCount=1 RealMemory=32000 MemSpecLimit=1500 Weight=20
		NodeName=gn[01-02] $host Port=[$((port + 24))-$((port + 25))] CPUs=8 CoresPerSocket=8 RealMemory=64000 Gres=gpu:a100:4,nic:2 Weight=30
		NodeName=hn01 $host Port=$((port + 26)) CPUs=8 CoresPerSocket=8 RealMemory=64000 Gres=gpu:h100:4 Weight=40
		NodeName=mx01 $host Port=$((port + 27)) CPUs=8 CoresPerSocket=8 RealMemory=64000 Gres=gpu:a100:2,gpu:h100:2 Weight=50
		NodeName=bn[01-02] $host Port=[$((port + 36))-$((port + 37))] CPUs=8 CoresPerSocket=8 RealMemory=16000 Weight=60
		NodeName=dead[1-2] $host Port=[$((port + 28))-$((port + 29))] CPUs=4 CoresPerSocket=4 RealMemory=16000
		NodeName=cloud[1-4] $host Port=[$((port + 30))-$((port + 33))] CPUs=4 CoresPerSocket=4 RealMemory=16000 State=CLOUD
		NodeName=fut[1-2] $host Port=[$((port + 34))-$((port + 35))] CPUs=4 CoresPerSocket=4 RealMemory=16000 State=FUTURE
		PartitionName=cpu Nodes=cn[01-10],sp01,dead[1-2] Default=YES MaxTime=2-00:00:00 DefaultTime=01:00:00 PriorityTier=10 TRESBillingWeights=CPU=1.5,Mem=0.25G
		PartitionName=gpu Nodes=gn[01-02],hn01,mx01 MaxTime=1-00:00:00 DefaultTime=00:30:00 PriorityTier=20 TRESBillingWeights=CPU=1.0,GRES/gpu=8.5
		PartitionName=debug Nodes=cn[01-02] MaxTime=1-12:00:00 DefaultTime=00:05:00 MaxNodes=1 PriorityTier=100 PriorityJobFactor=1000
		PartitionName=hidden Nodes=cn11 Hidden=YES MaxTime=UNLIMITED
		PartitionName=capped Nodes=cn11 QOS=partition
		PartitionName=shared Nodes=gn[01-02] QOS=shared MaxTime=1-00:00:00
		PartitionName=busy Nodes=bn[01-02] MaxTime=01:00:00 DefaultTime=00:01:00
		PartitionName=cloud Nodes=cloud[1-4],fut[1-2]
		PartitionName=down Nodes=cn12 State=DOWN
		PartitionName=drain Nodes=cn12 State=DRAIN
		PartitionName=inactive Nodes=cn12 State=INACTIVE
		PartitionName=empty
	END
	cat >"$root/etc/slurm/gres.conf" <<-END
		AutoDetect=off
		NodeName=gn[01-02] Name=gpu Type=a100 File=/dev/gpu[0-3]
		NodeName=gn[01-02] Name=nic Count=2
		NodeName=hn01 Name=gpu Type=h100 File=/dev/gpu[0-3]
		NodeName=mx01 Name=gpu Type=a100 File=/dev/gpu[0-1]
		NodeName=mx01 Name=gpu Type=h100 File=/dev/gpu[2-3]
	END
}

# A job whose mark exists keeps COMPLETING for as long as it does.
write_epilog() {
	cat >"$root/etc/slurm/epilog" <<-'END'
		#!/bin/sh
		while [ -e "/run/slurm/linger.$SLURM_JOB_ID" ]; do sleep 1; done
	END
	chmod 755 "$root/etc/slurm/epilog"
}

# Whatever the packages come with, and nothing of the cluster that was there before.
wipe_state() {
	rm -rf --one-file-system "$root"
	mkdir -p "$root/var"
	cp -a "$system"/{etc,run} "$root"
	tar -C "$system/var" --exclude=./cache --exclude=./lib/apt --exclude=./lib/dpkg -c . | tar -C "$root/var" -x
}

configure_cluster() {
	make_users
	make_folders
	make_keys
	write_slurmdbd_conf
	write_slurm_conf
	write_nodes
	write_epilog
}

# Runs the statements on its standard input. On a busy machine slurmdbd now and then refuses one and does not tell why
# ("Unspecified error"). Then all are run again: what is there already stays as it is.
enter() {
	local statements said
	statements=$(cat)
	for _ in 1 2 3 4 5; do
		! said=$(inside sacctmgr -i <<<"$statements" 2>&1 >/dev/null) || return 0
		grep -q 'error:' <<<"$said" || return 0 # some were there
		echo "$cluster: sacctmgr: $said; tried again" >&2
		sleep 2
	done
	die "$cluster: sacctmgr: $said"
}

# QOS first, then accounts from the root down, then who may use what. There are
# limits of every kind, few of which are reached. An account and a user have
# fairshare=parent, mia an association per partition. Jobs of omar have no time limit.
create_accounts() {
	local everyone
	everyone=$(IFS=,; echo "${users[*]}")
	enter <<-END
		add cluster cluster${release/./}
		add qos low PreemptMode=requeue
		add qos scavenger PreemptMode=cancel UsageFactor=0.5
		add qos high Priority=1000 MaxJobsPerUser=2 Preempt=low,scavenger
		add qos gpu Priority=200
		add qos short Priority=500 MaxWall=00:10:00 GrpSubmitJobs=500
		add qos small GrpTRES=cpu=4 MaxTRESPerUser=cpu=3
		add qos team GrpJobs=10 GrpTRES=cpu=20,mem=40G,node=6 GrpTRESRunMins=cpu=500000 GrpTRESMins=cpu=9000000 GrpWall=100-00:00:00
		modify qos team set MaxTRESPerAccount=cpu=10,mem=20000M MaxJobsPerAccount=8 MaxSubmitJobsPerAccount=80 MaxSubmitJobsPerUser=50
		modify qos team set MaxTRESPerJob=cpu=16 MaxTRESPerNode=cpu=8 MaxTRESMinsPerJob=cpu=90000
		add qos partition GrpTRES=cpu=2
		add qos shared GrpTRES=cpu=3 MaxJobsPerUser=4
		add qos override GrpTRES=cpu=8 MaxTRESPerUser=cpu=6 Flags=OverPartQOS
		add qos endless
		add account research Fairshare=60 GrpTRES=cpu=200,mem=500G GrpSubmitJobs=3000
		add account industry Fairshare=40 GrpJobs=20 MaxSubmitJobs=2000 MaxWall=30-00:00:00
		add account physics parent=research Fairshare=70 GrpTRESRunMins=cpu=2000000 GrpTRESMins=cpu=5000000,mem=9000000000,node=4000000,billing=7000000 MaxJobs=90
		add account biology parent=research Fairshare=30 GrpTRES=cpu=6
		add account optics parent=physics Fairshare=parent MaxTRESPerJob=cpu=64
		add account unused
		add account endless
		add user alice,bob,carol account=physics
		add user dave,erin,frank,leo account=biology
		add user grace,heidi,ivan,judy,kim account=industry
		add user alice account=biology
		add user kim account=research
		add user mia account=industry partition=cpu,gpu
		add user nina account=optics Fairshare=parent
		add user omar account=endless
		modify user leo set MaxJobs=1
		modify user mia where partition=gpu set MaxSubmitJobs=30 GrpTRES=cpu=12 GrpTRESMins=cpu=700000
		modify user bob set GrpTRESMins=billing=600000
		modify user $everyone set qos=normal,low,scavenger,high,gpu,short,small,team,override,endless
		modify user root set adminlevel=admin
		add user $admin account=unused adminlevel=admin
		add resource name=ansys server=flexlm type=license count=50 cluster=cluster${release/./} percentallowed=50
	END
}

# slurmctld enters the GRES into the database first.
limit_gpus() { inside sacctmgr -i modify qos gpu set GrpTRES=gres/gpu=8 MaxTRESPerUser=gres/gpu=3 >/dev/null; }
