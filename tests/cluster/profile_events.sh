# shellcheck shell=bash disable=SC2154 # the variables of cluster
# Sourced by cluster for RELEASE-events. slurmctld forgets at once what ended, as it does at a site with many short jobs.

eval "$(declare -f write_slurm_conf | sed '1s/.*/usual_slurm_conf ()/')"

write_slurm_conf() {
	usual_slurm_conf
	echo MinJobAge=2 >>"$root/etc/slurm/slurm.conf"
}
