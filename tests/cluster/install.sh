# shellcheck shell=bash disable=SC2154 # the variables of cluster
# Sourced by cluster: makes the root folder of a release with debootstrap.

packages=(slurmctld slurmd slurmdbd slurmrestd slurm-client slurm-wlm-jwt-plugin munge mariadb-server python3)

# The mirror this machine itself uses, if it says one; otherwise debootstrap has
# a default.
host_mirror() {
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | head -n 1
}

install_release() {
	local marker=$system/etc/slurmscope-complete root=$system
	lock_system
	if [ ! -e "$marker" ]; then make_system; fi
	exec 8>&-
}

make_system() {
	if ! command -v debootstrap >/dev/null; then
		echo "installing debootstrap on this machine"
		apt-get install -y --no-install-recommends debootstrap
	fi
	rm -rf --one-file-system "$system"
	mkdir -p "$system"

	# Older debootstraps have no script for the newest suites; all are like sid.
	echo "$release: debootstrap $suite into $root"
	debootstrap --variant=minbase "$suite" "$root" "$(host_mirror)" \
		/usr/share/debootstrap/scripts/sid >"$root.log" 2>&1 || die "debootstrap failed, see $root.log"

	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	apt-config dump | grep -E '^Acquire::https?::Proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
	# Mirrors that are snapshots outlive their validity.
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90valid-until"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	printf '127.0.0.1 localhost controller\n' >"$root/etc/hosts"
	echo controller >"$root/etc/hostname"

	echo "$release: installing ${packages[*]}"
	{
		inside apt-get update &&
		inside DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}" &&
		inside apt-get clean
	} >>"$root.log" 2>&1 || die "installation failed, see $root.log"

	local gpu
	for gpu in 0 1 2 3; do
		mknod -m 666 "$system/dev/gpu$gpu" c 1 3
	done

	# shellcheck disable=SC2016
	inside dpkg-query -W -f '${Package} ${Version}\n' slurmctld slurmrestd mariadb-server munge
	touch "$marker"
}
