#include "model/vocabulary.h"

const char *const job_state_names[] = {
	[JOB_PENDING] = "pending",
	[JOB_RUNNING] = "running",
	[JOB_SUSPENDED] = "suspended",
	[JOB_COMPLETED] = "completed",
	[JOB_CANCELLED] = "cancelled",
	[JOB_FAILED] = "failed",
	[JOB_TIMEOUT] = "timeout",
	[JOB_NODE_FAIL] = "node_fail",
	[JOB_PREEMPTED] = "preempted",
	[JOB_BOOT_FAIL] = "boot_fail",
	[JOB_DEADLINE] = "deadline",
	[JOB_OUT_OF_MEMORY] = "out_of_memory",
	NULL,
};

static const char *const job_flags[] = {
	[JOB_FLAG_COMPLETING] = "completing",
	[JOB_FLAG_CONFIGURING] = "configuring",
	[JOB_FLAG_REQUEUED] = "requeued",
	[JOB_FLAG_REQUEUE_HOLD] = "requeue_hold",
	[JOB_FLAG_SPECIAL_EXIT] = "special_exit",
	[JOB_FLAG_RESIZING] = "resizing",
	[JOB_FLAG_REVOKED] = "revoked",
	[JOB_FLAG_STOPPED] = "stopped",
	"launch_failed",
	"update_db",
	"requeue_fed",
	"reconfig_fail",
	"power_up_node",
	"resv_del_hold",
	"signaling",
	"stage_out",
	"expediting",
	NULL,
};

static const char *const node_states[] = {
	[NODE_UNKNOWN] = "unknown", [NODE_DOWN] = "down",   [NODE_IDLE] = "idle",     [NODE_ALLOCATED] = "allocated",
	[NODE_ERROR] = "error",	    [NODE_MIXED] = "mixed", [NODE_FUTURE] = "future", NULL,
};

static const char *const node_flags[] = {
	[NODE_FLAG_DRAIN] = "drain",
	[NODE_FLAG_COMPLETING] = "completing",
	[NODE_FLAG_DRAINED] = "drained",
	[NODE_FLAG_DRAINING] = "draining",
	[NODE_FLAG_FAIL] = "fail",
	[NODE_FLAG_NOT_RESPONDING] = "not_responding",
	[NODE_FLAG_MAINT] = "maint",
	[NODE_FLAG_RESERVED] = "reserved",
	[NODE_FLAG_PLANNED] = "planned",
	[NODE_FLAG_POWERED_DOWN] = "powered_down",
	[NODE_FLAG_POWERING_UP] = "powering_up",
	[NODE_FLAG_POWERING_DOWN] = "powering_down",
	[NODE_FLAG_REBOOT_REQUESTED] = "reboot_requested",
	[NODE_FLAG_REBOOT_ISSUED] = "reboot_issued",
	[NODE_FLAG_INVALID_REG] = "invalid_reg",
	[NODE_FLAG_POWER_DOWN] = "power_down",
	[NODE_FLAG_POWER_DRAIN] = "power_drain",
	[NODE_FLAG_BLOCKED] = "blocked",
	[NODE_FLAG_EXTERNAL] = "external",
	"cloud",
	"dynamic_norm",
	"dynamic_future",
	NULL,
};

static const char *const partition_states[] = {"up", "down", "drain", "inactive", NULL};

void vocabulary_init(struct vocabulary *vocabulary)
{
	names_init(&vocabulary->job_states, job_state_names);
	names_init(&vocabulary->job_flags, job_flags);
	names_init(&vocabulary->node_states, node_states);
	names_init(&vocabulary->node_flags, node_flags);
	names_init(&vocabulary->partition_states, partition_states);
}

void vocabulary_done(struct vocabulary *vocabulary)
{
	names_done(&vocabulary->job_states);
	names_done(&vocabulary->job_flags);
	names_done(&vocabulary->node_states);
	names_done(&vocabulary->node_flags);
	names_done(&vocabulary->partition_states);
}
