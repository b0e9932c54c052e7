# shellcheck shell=bash disable=SC2034,SC2154 # the variables of cluster
# Sourced by cluster for RELEASE-world: what the seed $WORLD draws, by world.py. The drawn world is kept beside the cluster's folder,
# so that only `up` has to be told the seed.

drawn=$clusters/$cluster.drawn
[ "$action" != up ] || python3 -B "$here/world.py" "${WORLD:?a seed}" "$release" "$port" >"$drawn"
# shellcheck source=/dev/null
[ ! -e "$drawn" ] || source "$drawn"

first_of() { declare -f "$1" | sed "1s/.*/first_$1 ()/"; }
eval "$(for function in create_accounts limit_gpus; do first_of "$function"; done)"

if [ "${world_accounts[0]:-}" = none ]; then
	# Without accounts slurmrestd does not start if it is to serve slurmdb, too.
	slurmrestd_options='-s slurmctld'
	[ "$release" != 22.05 ] || slurmrestd_options='-s openapi/v0.0.37,openapi/v0.0.38'
fi

# Without a backfill scheduler: as many as it would have had in the time.
if [[ " ${world_conf[*]:-} " == *sched/builtin* ]]; then
	backfills() { echo $((SECONDS / 5)); }
fi

# What is said twice in slurm.conf counts as it is said last. An option that is drawn without a value is taken away.
write_nodes() {
	local conf=$root/etc/slurm/slurm.conf line
	for line in "${world_conf[@]}"; do
		case $line in
		*=) sed -i "/^$line/d" "$conf" ;;
		*) echo "$line" >>"$conf" ;;
		esac
	done
	printf '%s\n' "${world_gres[@]}" >"$root/etc/slurm/gres.conf"
	printf '%s\n' "${world_topology[@]}" >"$root/etc/slurm/topology.conf"
}

# Before slurmctld is started.
create_accounts() {
	case ${world_accounts[0]} in
	none)
		stop_daemon slurmdbd
		sed -i '/^Accounting/d' "$root/etc/slurm/slurm.conf"
		;;
	few)
		enter <<-END
			add cluster cluster${release/./}
			add qos short
			add account Bio_1
			add user $(IFS=,; echo "${users[*]}") account=Bio_1
			modify user $(IFS=,; echo "${users[*]}") set qos=normal,short
			modify user root set adminlevel=admin
			add user $admin account=Bio_1 adminlevel=admin
		END
		;;
	*) first_create_accounts ;;
	esac
	[ ! "${world_sacctmgr[0]:-}" ] || enter < <(printf '%s\n' "${world_sacctmgr[@]}")
}

limit_gpus() {
	[ ! "${world_tracks_gpus[0]}" ] || [ "${world_accounts[0]}" != many ] || first_limit_gpus
}

# A user whom the controller has no name for.
nameless() { inside setpriv --reuid=54321 --regid=54321 --clear-groups sbatch --parsable --chdir=/tmp --output=/dev/null --time=1-12 "$@" --wrap 'sleep 130000'; }
shrink() { scontrol update "jobid=$1" numnodes=1; }

# A step that this world's Slurm refuses is left out: what it takes is what it accepts.
take() {
	local said
	if said=$(eval "$1" 2>&1); then
		[ ! "$said" ] || id=$said
		[[ $1 != *'exit 3'* ]] || failed=$id
	else
		((refused += 1))
		echo "$cluster: $1: $(tail -n 1 <<<"$said")" >&2
	fi
}

run_workload() {
	local line id=1 failed=1 refused=0 running count=$((${#world_steps[@]} + ${#world_jobs[@]}))
	for line in "${world_steps[@]}" "${world_jobs[@]}"; do take "$line"; done
	wait_for 300 quiet quiet
	for line in "${world_done_to_running[@]}"; do
		running=$(inside squeue -h -r -a -t RUNNING -o %A | sed -n "${line##* }p")
		[ ! "$running" ] || take "${line% *} $running"
	done
	wait_for 300 quiet quiet
	((2 * refused < count)) || die "$cluster: $refused of $count steps were refused"
	echo "$((count - refused)) steps taken, $refused refused"
}

# shellcheck disable=SC2086
brief() { id=$(submit "$1" --partition=busy --time=2 --comment=brief ${world_asks[RANDOM % ${#world_asks[@]}]} "${@:3}" --wrap "$2"); }
