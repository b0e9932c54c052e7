# shellcheck shell=bash disable=SC2154 # the variables of cluster
# Sourced by cluster: jobs and nodes in every state that can be reached, then
# quiet. Running jobs ask for the nodes they get and sleep for a day and a half.
# What waits in partition cpu asks for four CPUs of one node, which no node has left.

# Slurm refuses these for a reason that passes. An invalid time is one that is over before slurmctld hears of it.
passing='timed out|try again|temporarily|not responding|contact slurm controller|Zero Bytes|Connection|Transport|currently disabled|prolog|configuring|pending|Invalid time'

# Runs a step that has to be taken. What Slurm refuses for a passing reason is tried again; else the step fails with Slurm's words.
patiently() {
	local said deadline=$((SECONDS + patience))
	until { said=$("$@" 2>&1 >&3 3>&-); } 3>&1; do
		grep -qiE "$passing" <<<"$said" || die "$cluster: $*: $said"
		((SECONDS < deadline)) || die "$cluster: $*: refused for $patience s: $said"
		echo "$cluster: $*: $said; tried again" >&2
		sleep 1
	done
}

# What lets jobs come and go takes what Slurm makes of it; run_workload insists.
insist=
submit() { local user=$1; shift; $insist as_user "$user" sbatch --parsable --chdir=/tmp --output=/dev/null "$@"; }
sleeper() { submit "$@" --wrap 'sleep 130000'; }
long() { sleeper "$1" --time=1-12 "${@:2}"; }
# Waits for as long as somebody holds four CPUs of every node.
waiting() { sleeper "$1" --time=2:00:00 --nodes=1 --ntasks=1 --cpus-per-task=4 "${@:2}"; }
gpus() { sleeper "$1" --partition=gpu --time=23:00:00 "${@:2}"; }
cancel() { local user=$1; shift; $insist as_user "$user" scancel "$@"; }
scontrol() { $insist inside scontrol "$@"; }
node() { local name=$1; shift; scontrol update "nodename=$name" "$@"; }

job_state() { inside squeue -h -a -t all -o %T -j "$1"; }
job_is() { [ "$(job_state "$2")" = "$1" ]; }
await() { wait_for 300 "$1 job $2" job_is "$1" "$2"; }

# Tells slurmctld what slurmstepd tells it of a job that the kernel has killed
# for its memory; without cgroups nothing else does. Since 25.11 jobs are named
# by a step ID that begins with a SLUID.
complete_out_of_memory() {
	inside python3 - "$1" "$release" <<-'END'
		import ctypes, glob, sys
		job, release = int(sys.argv[1]), sys.argv[2]
		NO_VAL, SIG_OOM = 0xFFFFFFFE, 253

		class StepId(ctypes.Structure):
		    _fields_ = [("sluid", ctypes.c_uint64), ("job_id", ctypes.c_uint32),
		                ("step_het_comp", ctypes.c_uint32), ("step_id", ctypes.c_uint32)]

		slurm = ctypes.CDLL(glob.glob("/usr/lib/*/slurm-wlm/libslurmfull.so")[0], ctypes.RTLD_GLOBAL)
		slurm.slurm_init(None)
		name = job if release < "25.11" else ctypes.byref(StepId(0, job, NO_VAL, NO_VAL))
		sys.exit(slurm.slurm_complete_job(name, SIG_OOM))
	END
}

unavailable_nodes() {
	node cn04 state=drain reason='bad DIMM, "ticket" #4711'
	node cn07 state=fail reason='fan é \ broken'
	node dead2 state=down reason='no power'
	scontrol create reservation reservationname=maintenance starttime=now duration=1-0 nodes=cn08 users=root flags=maint
	scontrol create reservation reservationname=course starttime=now duration=1-0 nodes=cn09 users=ivan,judy
	scontrol create reservation reservationname=later starttime=now+5days duration=4:00:00 nodes=cn01 users=kim
	scontrol create reservation reservationname=upgrade starttime=now+6days duration=8:00:00 nodes=cn08,dead2 users=root flags=maint,ignore_jobs
	scontrol create reservation reservationname=lecture starttime=now+5days duration=2:00:00 partition=gpu nodecnt=2 accounts=physics
	scontrol create reservation reservationname=seats starttime=now duration=1-0 licenses=fluent:2 users=leo flags=any_nodes
}

# Keeps COMPLETING on a node that does not answer; it takes slurmctld a minute to
# find out.
unanswered_job() {
	local id
	id=$(long kim -A industry -N1 -w cn10 -n1 --exclusive)
	await RUNNING "$id"
	pause_daemon slurmd.cn10
	cancel kim "$id"
}

# shellcheck disable=SC2016,SC1003
ended_jobs() {
	local id user script
	for user in alice bob carol dave grace kim; do
		submit "$user" --time=5 --wrap true
	done
	for script in 'exit 1' 'exit 42' 'kill -9 $$'; do
		failed=$(submit carol --time=5 --wrap "$script")
	done
	submit ivan --time=5 --array=0-3 --wrap 'exit $SLURM_ARRAY_TASK_ID'
	submit alice --time=5 --job-name='we"ird\name {a="b"}, #x' --comment='a "comment" \' --wrap true
	submit alice --time=5 --job-name=$'two\nlines\tand a tab' --wrap true
	submit alice --time=5 --job-name=$'latin1 \xe9\xff' --wrap true
	submit alice --time=5 --job-name= --wrap true

	id=$(sleeper heidi --time=30)
	await RUNNING "$id"
	cancel heidi "$id"
	cancel heidi "$(sleeper heidi --time=30 --begin=now+1hour)"

	id=$(sleeper judy --time=30)
	await RUNNING "$id"
	complete_out_of_memory "$id"

	id=$(sleeper judy --time=30 --no-requeue -N1 -w cn06)
	await RUNNING "$id"
	node cn06 state=down reason='power supply "A" broken'
}

# On cn03 a job is requeued for a better one, on cn05 another is cancelled. The
# first one is kept from asking for cn03 at once.
preempted_jobs() {
	local scavenger high
	low=$(long carol -q low -N1 -w cn03 -n4)
	scavenger=$(long carol -q scavenger -N1 -w cn05 -n1 --exclusive)
	await RUNNING "$low"
	await RUNNING "$scavenger"
	high=$(long grace -q high -N1 -w cn05 -n1 --exclusive)
	await RUNNING "$high"
	node cn05 state=drain reason='draining for a new kernel'
	high=$(long grace -q high -N1 -w cn03 -n2)
	await RUNNING "$high"
	scontrol update "jobid=$low" starttime=now+1day
}

cpu_jobs() {
	local id
	long carol -N2 --ntasks-per-node=2 -w cn01,cn02 --mem=1000
	long erin -p debug -N1 -w cn02 --mem-per-cpu=300
	id=$(long heidi -q small -N1 -w cn02 -n1)
	await RUNNING "$id"
	suspended=$(long judy -N1 -w cn01 -n1)
	await RUNNING "$suspended"
	scontrol suspend "$suspended"

	long leo -N1 -w sp01 -n1
	long alice -A physics -L matlab:6 -N1 -w sp01 -n1 --mem=700
	long judy -N1 -w sp01 -n8 --mem-per-cpu=123
	long ivan --reservation=course -n2 --mem=0
	id=$(long bob --array=0-19%2 -N1 -w cn03 -n1)
	await RUNNING "${id}_1"
	scontrol reboot ASAP reason='new kernel' cn03
}

# These are requeued, and wait for their next run in different ways.
requeued_jobs() {
	local again hold special
	again=$(long kim -A industry -N1 -w cn02 -n1)
	hold=$(long kim -A industry -N1 -w cn02 -n1)
	special=$(long kim -A industry -N1 -w cn02 -n1)
	await RUNNING "$special"
	scontrol requeuehold "$hold"
	scontrol requeuehold State=SpecialExit "$special"
	scontrol requeue "$again"
	await PENDING "$again"
	scontrol update "jobid=$again" starttime=now+2days
}

gpu_jobs() {
	gpus alice -A physics -q gpu -N1 -w gn01 -n2 --gres=gpu:a100:2
	gpus bob -q gpu -N1 -w gn01 -n1 --gpus=2
	gpus kim -A research -q gpu -N1 -w hn01 -n1 --gpus=h100:2
	gpus carol -N2 -w gn02,mx01 -n3 --gres=gpu:1
	gpus carol -N1 -w gn02 -n1 --gres=nic:1
}

other_partitions() {
	sleeper bob -p hidden -N1 -w cn11 -n1 --time=10-0
	sleeper dave -p capped -n2 --time=5-0
	sleeper bob -p cloud -N1 -w cloud1 -n1 --time=5-0
	sleeper omar -p cloud -q endless -N1 -w cloud1 -n1
	node cloud2 state=power_up
	long omar -q endless -p hidden -N1 -w cn11 -n1 --mem=500 : \
		-q endless -p gpu -N1 -w mx01 -n2 --gres=gpu:h100:1 --time=23:00:00
}

# Use of limits: two associations of one user, a partition with a QOS, and a QOS
# that takes its place.
limited_jobs() {
	gpus mia -q team -N1 -w hn01 -n2 --mem=3000
	long mia -q team -N1 -w cn01 -n1
	gpus nina -N1 -w mx01 -n1
	sleeper nina -p shared --time=20:00:00 -N1 -w gn02 -n1
	sleeper alice -A physics -p shared -q override --time=20:00:00 -N1 -w gn02 -n1
}

# Keeps COMPLETING because its epilog goes on for ever.
lingering_job() {
	local id
	id=$(gpus carol -N1 -w gn02 -n1)
	await RUNNING "$id"
	touch "$root/run/slurm/linger.$id"
	cancel carol "$id"
}

# In the order of submission: jobs that the scheduler must see first come first.
# The reason that it gives is noted where it is not obvious.
pending_jobs() {
	local id
	long grace -q high -n1                             # QOSMaxJobsPerUserLimit
	long heidi -q small -n3                            # QOSMaxCpuPerUserLimit
	long leo -n1                                       # AssocMaxJobsLimit
	long frank -n4                                     # AssocGrpCpuLimit
	sleeper dave -p capped -n1 --time=5-0              # QOSGrpCpuLimit, the partition's
	sleeper bob -p hidden -n1 -L matlab:6 --time=5-0   # Licenses
	gpus mia -q team -n10                              # QOSMaxCpuPerAccount
	sleeper frank -p debug --time=3-0                  # PartitionTimeLimit
	sleeper frank -p debug -N2                         # PartitionNodeLimit
	sleeper erin -p down -n1
	scontrol update partitionname=inactive state=down
	sleeper erin -p inactive -n1
	scontrol update partitionname=inactive state=inactive

	gpus alice -A physics -q gpu -n1 --gpus=2          # QOSMaxGRESPerUser
	gpus dave -q gpu -n1 --gres=gpu:3                  # QOSGrpGRES
	gpus ivan -N2 --gres=gpu:a100:4 --mem=2000         # Resources
	gpus ivan -n4 --gpus-per-task=2 --mem-per-gpu=1000 # Priority
	long omar -q endless -n1 --begin=now+3days : -q endless -p gpu -n2 --gres=gpu:1 --time=23:00:00

	long carol -d "afterany:$suspended"
	long carol -d "afterok:$failed"                    # DependencyNeverSatisfied
	long carol --begin=now+2days
	long bob --hold
	id=$(long bob --begin=now+3days)
	scontrol hold "$id"
	waiting kim -A industry -w dead1                   # ReqNodeNotAvail
	long kim -A industry --reservation=later -n1

	scontrol update "jobid=$low" starttime=now ReqNodeList=
	waiting ivan --mem=9000
	waiting ivan -N2 -n2 --mem-per-cpu=1500
	waiting ivan --mem=0
	waiting ivan --exclusive
	waiting judy --nice=100 -p cpu,debug --time=20
	waiting judy --nice=100 -p debug,cpu,down --time=20
	waiting judy --nice=100 -p cpu,cpu --time=20
	waiting judy --nice=100 -p cpu,debug --time=20 --array=1-7
	# One job may name several QOS since 25.05.
	[ "$release" != 26.05 ] || waiting judy --nice=200 -q normal,short --time=5
}

pending_arrays() {
	local id
	waiting heidi --nice=1000 --array=0-199
	waiting heidi --nice=1000 --array=1-399:2 --hold
	# A list that is longer than the 64 characters that slurmrestd tells of it,
	# with tasks split off, held and cancelled.
	id=$(waiting heidi --nice=1000 --array=1,3,4,8,10,13,17,20-22,30,33,37,41,44,48,52-55,60,63,67,71,75,80,84,88,91,95,99)
	cancel heidi "${id}_8" "${id}_13"
	$insist as_user heidi scontrol hold "${id}_17"
	$insist as_user heidi scontrol update "jobid=${id}_33" timelimit=30
	id=$(waiting alice -A physics --nice=1000 --array=1,5,9,15-300:3,302,305,311%3 --mem=600)
	cancel alice "${id}_[15,18,24]"
}

# All jobs run that are to run.
everything_runs() { [ "$(inside squeue -h -r -a -t RUNNING,CONFIGURING -o %A | wc -l)" -eq 27 ]; }

picture() {
	{
		inside squeue -r -a -h -t all -o '%A %T %r'
		inside sinfo -a -h -N -o '%N %P %T %C'
		scontrol -o show nodes | grep -o '^NodeName=[^ ]*\|State=[^ ]*' | paste - -
	} | sort
}

backfills() { inside sdiag | awk '/^Backfilling stats/ { on = 1 } on && /Total cycles:/ { print $3; on = 0 }'; }

# Nothing changes over three rounds of the backfill scheduler, which begins one each 5 s, however long that takes.
quiet() {
	local before after
	before=$(picture) after=$(($(backfills) + 3))
	for _ in {1..100}; do
		sleep 1
		[ "$(backfills)" -lt "$after" ] || break
	done
	[ "$(picture)" = "$before" ]
}

run_workload() {
	local timeout deadline low failed suspended insist=patiently
	unavailable_nodes
	deadline=$(sleeper frank --time=1 --deadline=now+65seconds -w dead1)
	timeout=$(sleeper erin --time=1 -N1 -w cn01)
	await RUNNING "$timeout"
	scontrol update "jobid=$timeout" endtime=now+20seconds
	{
		unanswered_job
		ended_jobs
		preempted_jobs
		requeued_jobs
		cpu_jobs
		gpu_jobs
		other_partitions
		limited_jobs
		lingering_job
		pending_jobs
		pending_arrays
	} >/dev/null
	await TIMEOUT "$timeout"
	await DEADLINE "$deadline"
	wait_for 300 '27 running jobs' everything_runs
	wait_for 300 'not_responding cn10' eval 'scontrol show node cn10 | grep -q NOT_RESPONDING'
	wait_for 300 quiet quiet
	print_state >"$root/var/settled"
	rm -f "$root/var/restarted"
}

# What it is to do may have ended just then, and slurmctld may be away.
stir_once() {
	local user=${crowd[RANDOM % ${#crowd[@]}]}
	case $((RANDOM % 12)) in
	0 | 1 | 2) brief "$user" "sleep 0.$RANDOM" ;;
	3) brief "$user" "exit $((RANDOM % 3))" --ntasks=2 ;;
	4) brief "$user" "sleep $((RANDOM % 2)); exit \$((SLURM_ARRAY_TASK_ID % 2))" --array=0-5%2 ;;
	5) brief "$user" 'sleep 60' -q short --mem=700 --comment=long ;;
	6) brief "$user" 'sleep 70' -p busy,gpu --nice=5 --comment=long ;;
	7) brief "$user" true --dependency="afterok:${id:-1}" ;;
	8) brief "$user" true --hold ;;
	9) scancel_one PENDING ;;
	10) scancel_one RUNNING ;;
	11) disturb_one ;;
	esac
}

# Jobs of all outcomes come and go in partition busy, for $1 seconds; then all of them are ended.
# While the mark `pause` exists nothing new happens: soon only jobs that wait and long ones are left.
stir() {
	local deadline=$((SECONDS + $1)) crowd=(alice bob carol dave erin frank grace heidi ivan judy kim nina) id taken=
	rm -f "$root/run/slurm/pause"
	while ((SECONDS < deadline)); do
		if [ -e "$root/run/slurm/pause" ]; then
			sleep 0.2
			continue
		fi
		if stir_once; then
			taken=yes
		else
			echo 'stir: Slurm did not take it' >&2
		fi
		sleep "0.$RANDOM"
	done
	[ "$taken" ] || die 'stir: Slurm took nothing'
	wait_for 600 'end of the jobs in busy' nothing_busy
}

brief() { id=$(submit "$1" --partition=busy --time=2 --comment=brief "${@:3}" --wrap "$2"); }

# The crowd's jobs, some of which run in gpu.
# What is COMPLETING as well is left alone: it may be requeued when it has just ended, or cancelled before it waits
# again. Then 22.05 and 24.11 lose count of submitted jobs until slurmctld is started again.
busy() { inside squeue -h -p busy,gpu -o "%T|%M|%k|%F|%i" "${@:2}" | awk -F '|' '$3 !~ /^(brief|long)$/ { next } '"$1"; }

scancel_one() {
	local one
	one=$(busy "\$1 == \"$1\" { print \$5 }" -r | shuf -n 1)
	[ ! "$one" ] || inside scancel "$one"
}

# Of those that will not end meanwhile.
disturb_one() {
	local one
	one=$(busy '$1 == "RUNNING" && $2 < "0:50" && $3 == "long" { print $5 }' | shuf -n 1)
	[ ! "$one" ] || case $((RANDOM % 4)) in
	0) scontrol requeue "$one" ;;
	1) scontrol requeuehold "$one" ;;
	2) scontrol suspend "$one" && sleep 1 && scontrol resume "$one" ;;
	3) complete_out_of_memory "$one" ;;
	esac
}

# scancel --partition does not know jobs that name several; 22.05 knows no task by its own number that waits again.
nothing_busy() {
	local left
	left=$(busy '$1 != "COMPLETING" { print $4 }' -t PENDING,RUNNING,SUSPENDED,CONFIGURING,COMPLETING)
	# shellcheck disable=SC2086
	[ ! "$left" ] || inside scancel $left
	[ ! "$(busy 1 -t PENDING,RUNNING,SUSPENDED,CONFIGURING,COMPLETING)" ]
}

# A slurmscope that polls each second has seen the first size by then. The job ends, too, if it cannot be resized.
resize_one() {
	local id
	# shellcheck disable=SC2016
	id=$(submit alice --time=5 --nodes=2 --ntasks=2 --mem-per-cpu=100 --no-kill \
		--wrap 'until [ -e "/run/slurm/resized.$SLURM_JOB_ID" ]; do sleep 0.5; done; sleep '"$1")
	# shellcheck disable=SC2064
	trap "touch '$root/run/slurm/resized.$id'" EXIT
	await RUNNING "$id"
	sleep 5
	patiently as_user alice scontrol update "jobid=$id" numnodes=1
	echo "$id"
}

# Each user submits many short jobs, singly and as arrays, in one shell of its own. Some of them fail, are killed or are
# cancelled while they wait.
storm() {
	local crowd=(alice bob carol dave grace heidi kim nina) user each=$(($1 / 8))
	for user in "${crowd[@]}"; do
		# shellcheck disable=SC2016
		as_user "$user" bash -s -- "$each" <<-'END' &
			submit() { sbatch --parsable --chdir=/tmp --output=/dev/null --time=5 "$@"; }
			partitions=(cpu cpu,cpu busy debug gpu) qos=(normal short low)
			for ((left = $1; left > 0; )); do
				where=(-p "${partitions[RANDOM % 5]}" -q "${qos[RANDOM % 3]}" --mem="$((RANDOM % 4 * 100 + 100))" --chdir=/tmp)
				[[ ${where[1]} != gpu ]] || where+=("--gres=gpu:$((RANDOM % 2 + 1))")
				tasks=1
				case $((RANDOM % 10)) in
				0 | 1 | 2) submit "${where[@]}" --wrap true ;;
				3) submit "${where[@]}" --wrap "exit $((RANDOM % 3))" ;;
				4) submit "${where[@]}" --wrap 'kill -9 $$' ;;
				5) submit "${where[@]}" --wrap "sleep $((RANDOM % 4))" -n 2 ;;
				6) submit "${where[@]}" --wrap 'exit $((SLURM_ARRAY_TASK_ID % 2))' --array="1-$((tasks = RANDOM % 12 + 2))" ;;
				7) scancel "$(submit "${where[@]}" --wrap true --begin=now+1hour --array="1-$((tasks = RANDOM % 5 + 2))")" ;;
				8) scancel "$(submit "${where[@]}" --wrap 'sleep 30')" ;;
				9) submit "${where[@]}" --wrap true : -p cpu --mem=100 && tasks=2 ;;
				esac
				left=$((left - tasks))
			done >/dev/null
		END
	done
	wait
}
