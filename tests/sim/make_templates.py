#!/usr/bin/env python3
"""Makes cmd/slurmsim/templates/ from the recorded answers: one record of each kind per API version.

    tests/sim/make_templates.py build/fixtures

In a record every member keeps its place and shape. A member that the simulator fills in becomes a marker:

    "@name@"        the value
    "@name.set@"    and so on: the parts of a {set, infinite, number}
    "@name.list@"   a list of words
    "@rows:kind@"   a list of records of another kind
    "@one:kind@"    such a record, or what the release writes instead

A member named "@if:value@name" is left out where the value is unset. The rest stays as recorded.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
RELEASES = {"22.05": ("22.05.8", (37, 38)), "24.11": ("24.11.5", (40, 41, 42)),
            "26.05": ("26.05.5", (42, 43, 44, 45)), "26.11": ("26.11.0rc1", (46,))}

# kind: members that are filled in, "path" or "path=name"; a path that a version lacks is skipped.
MEMBERS = {
    "job": """account accrue_time allocating_node array_job_id array_task_id array_max_tasks
        array_task_string association_id batch_host billable_tres cluster command dependency eligible_time
        end_time exit_code.status=exit_status exit_code.return_code=exit_return
        exit_code.signal.id=exit_signal exit_code.signal.name=exit_signal_name exit_code=exit_word
        failed_node gres_detail group_id group_name het_job_id het_job_id_set het_job_offset hold job_id
        job_state last_sched_evaluation licenses licenses_allocated name nodes cpus node_count tasks
        partition memory_per_cpu memory_per_node pre_sus_time preemptable_time priority qos requeue
        restart_cnt resv_name scheduled_nodes start_time state_description state_reason
        step_id.job_id=job_id step_id.sluid=sluid submit_time submit_line suspend_time time_limit
        tres_per_node tres_req_str tres_alloc_str user_id user_name mail_user=user_name""",
    "job_resources": """nodes nodes.list=nodes nodes.count=node_count cpus
        allocated_cpus=cpus allocated_cores=cpus allocated_hosts=node_count
        allocated_nodes.0.memory=node_memory allocated_nodes.0.cpus=node_cpus
        allocated_nodes=rows:job_node nodes.allocation=rows:job_node""",
    "job_node": """index name cpus.count=cpus memory.allocated=memory nodename=name
        memory_allocated=memory""",
    "job_state": "job_id=name state",
    "node": """boot_time comment cpu_load cpus effective_cpus free_mem free_memory=free_mem gres gres_drained
        gres_used last_busy name address hostname state state_flags=flags partitions port real_memory
        reason reason_changed_at reason_set_by_user reservation alloc_memory alloc_cpus
        alloc_idle_cpus=idle_cpus idle_cpus tres_used tres_weighted=tres_weight slurmd_start_time cores
        tres features active_features=features weight""",
    "partition": """name nodes nodes.configured=nodes nodes.total=total_nodes total_nodes
        cpus.total=total_cpus total_cpus tres tres.configured=tres maximums.time=max_time
        max_time_limit=max_time defaults.time=default_time default_time_limit=default_time
        maximums.nodes=max_nodes maximum_nodes_per_job=max_nodes priority.tier=tier priority_tier=tier
        priority.job_factor=factor priority_job_factor=factor state partition.state=state flags""",
    "reservation": """name start_time end_time node_list node_count core_count partition users accounts
        tres flags""",
    "license": "LicenseName=name Total=total Used=used Free=free Reserved=reserved",
    "share": """id cluster name parent shares shares_normalized effective_usage usage_normalized usage
        fairshare.factor=factor fairshare.level=level type tres.usage=rows:share_use""",
    "share_use": "name value",
    "diag": """parts_packed req_time req_time_start server_thread_count agent_queue_size
        dbd_agent_queue_size schedule_cycle_max schedule_cycle_last schedule_cycle_sum
        schedule_cycle_total schedule_cycle_mean schedule_cycle_mean_depth schedule_cycle_per_minute
        schedule_cycle_depth schedule_exit.end_job_queue=schedule_cycle_total
        schedule_exit.default_queue_depth=zero schedule_queue_length jobs_submitted jobs_started
        jobs_completed jobs_canceled jobs_failed jobs_pending jobs_running job_states_ts
        bf_backfilled_jobs bf_last_backfilled_jobs bf_backfilled_het_jobs bf_cycle_counter bf_cycle_mean
        bf_depth_mean bf_depth_mean_try bf_cycle_sum bf_cycle_last bf_cycle_max
        bf_exit.end_job_queue=bf_cycle_counter bf_last_depth bf_last_depth_try=bf_last_depth bf_depth_sum
        bf_depth_try_sum=bf_depth_sum bf_queue_len bf_queue_len_mean bf_queue_len_sum bf_table_size
        bf_table_size_sum bf_table_size_mean bf_when_last_cycle rpcs_by_message_type=rows:rpc_type
        rpcs_by_user=rows:rpc_user""",
    "rpc_type": "type_id message_type count total_time average_time",
    "rpc_user": "user_id user count total_time average_time",
    "qos": """description=name id name priority limits.max.jobs.active_jobs.per.user=max_jobs_per_user
        limits.max.jobs.per.user=max_submit_per_user limits.max.wall_clock.per.job=max_wall
        limits.max.tres.total=rows:tres preempt.list=preempt flags""",
    "association": """account cluster id is_default lineage max.jobs.active=max_jobs
        max.jobs.per.count=max_jobs max.tres.total=rows:tres max.tres.group.minutes=rows:tres_budget
        parent_account parent user shares_raw qos""",
    "tres": "type name id count",
    "db_job": """account allocation_nodes array.job_id=array_job_id array.task_id=array_task_id
        array.task=array_task association.account=association_account association.user=association_user
        association.cluster=cluster association.id=association_id cluster time.elapsed=elapsed
        time.eligible=eligible_time time.end=end_time time.planned=planned time.start=start_time
        time.submission=submit_time time.suspended=suspended time.limit=time_limit
        exit_code.status=exit_status exit_code.return_code=exit_return exit_code.signal.id=exit_signal
        exit_code.signal.name=exit_signal_name exit_code.signal.signal_id=exit_signal failed_node group
        het.job_id=het_job_id het.job_offset=het_job_offset hold job_id licenses name nodes partition priority qos
        required.CPUs=cpus required.memory=memory required.memory_per_cpu=memory_per_cpu
        required.memory_per_node=memory_per_node restart_cnt state.current=state
        state.reason=state_reason steps=rows:db_step submit_line tres.allocated=rows:tres
        tres.requested=rows:tres_requested user sluid original_sluid=sluid qosreq=qos""",
    "db_step": """time.elapsed=elapsed time.end=end_time time.start=start_time
        time.system.seconds=cpu_system_s time.user.seconds=cpu_user_s time.total.seconds=cpu_total_s
        exit_code.status=exit_status exit_code.return_code=exit_return exit_code.signal.id=exit_signal
        exit_code.signal.name=exit_signal_name nodes.count=node_count nodes.range=nodes
        nodes.list=node_names state step.id=step_id step.name=step_name step.job_id=job_id
        tasks.count=tasks tres.allocated=rows:tres tres.requested.total=rows:tres_used""",
    "ping": "hostname ping=pinged pinged responding latency mode primary status",
    "db_ping": "hostname responding latency primary status",
    "db_diag": "time_start RPCs=rows:db_rpc users=rows:db_user",
    "db_rpc": "rpc count time.average=average_time time.total=total_time",
    "db_user": "user count time.average=average_time time.total=total_time",
    "error": "description error_number error source",
    "warning": "description source",
    "conf": """AccountingStorageTRES ClusterName=cluster FirstJobId=first_job_id MaxJobId=max_job_id
        MaxJobCount=max_job_count MaxNodeCount=node_count MinJobAge=min_job_age Licenses=licenses""",
    "conf_meta": """LastUpdate=last_update BOOT_TIME=boot_time NEXT_JOB_ID=next_job_id""",
}
# answer: fixture, where its records are, their kind.
ANSWERS = {
    "jobs": ("jobs", "jobs", "job"), "states": ("jobs_state", "jobs", "job_state"),
    "nodes": ("nodes", "nodes", "node"), "partitions": ("partitions", "partitions", "partition"),
    "reservations": ("reservations", "reservations", "reservation"),
    "licenses": ("licenses", "licenses", "license"), "shares": ("shares", "shares.shares", "share"),
    "diag": ("diag", "statistics", "diag"), "ping": ("ping", "pings", "ping"),
    "conf": ("conf", "slurm_conf", "conf"), "db_jobs": ("db_jobs", "jobs", "db_job"),
    "db_qos": ("db_qos", "qos", "qos"), "db_associations": ("db_associations", "associations",
                                                            "association"),
    "db_diag": ("db_diag", "statistics", "db_diag"), "db_ping": ("db_ping", "pings", "db_ping"),
}


def load(path):
    try:
        return json.loads(path.read_bytes().decode("utf-8", "replace"))
    except (OSError, ValueError):
        return None  # that version answers with a plain 404


def find(value, path):
    for key in path.split("."):
        if isinstance(value, list):
            value = value[int(key)] if value and key.isdigit() else None
        elif isinstance(value, dict):
            value = value.get(key)
        else:
            return None
    return value


def has(value, path):
    *heads, last = path.split(".")
    holder = find(value, ".".join(heads)) if heads else value
    return last in holder if isinstance(holder, dict) else False


def put(value, path, new):
    *heads, last = path.split(".")
    for key in heads:
        value = value[int(key)] if isinstance(value, list) else value[key]
    value[last] = new


def marker(name, value):
    if name.startswith("rows:"):
        return f"@{name}@"
    if isinstance(value, dict) and set(value) == {"set", "infinite", "number"}:
        return {part: f"@{name}.{part}@" for part in value}
    return f"@{name}.list@" if isinstance(value, list) else f"@{name}@"


def mark(kind, record):
    """The record with markers."""
    record = json.loads(json.dumps(record))
    for entry in MEMBERS[kind].split():
        path, _, name = entry.partition("=")
        if has(record, path) and not (isinstance(find(record, path), dict) and
                                      set(find(record, path)) != {"set", "infinite", "number"}):
            put(record, path, marker(name or path, find(record, path)))
    return record


def choose(kind, records):
    """A running job on one node with one step; a plain QOS and association; else what tells most."""
    def wealth(record):
        text = json.dumps(record)
        members = text.count('": ')
        plain = kind not in ("qos", "association")
        return ("RUNNING" in text, len(record.get("steps", ())) == 1,
                record.get("node_count") in (1, {"set": True, "infinite": False, "number": 1}),
                members if plain else -members)
    return max(records, key=wealth)


def with_signals(record, records):
    """22.05 says which signal only if there was one: then the member is there."""
    record = json.loads(json.dumps(record))
    signals = [job["exit_code"]["signal"] for job in records if "signal" in job["exit_code"]]
    for part in (record, *record["steps"]):
        if "signal" not in part["exit_code"]:
            part["exit_code"]["@if:exit_signal@signal"] = {
                key: {"signal_id": "@exit_signal@", "name": "@exit_signal_name@"}[key]
                for key in signals[0]}
        if "signal" not in part.get("derived_exit_code", {"signal": None}):
            part["derived_exit_code"]["@if:exit_signal@signal"] = signals[0]
    return record


def envelope(answer, path, mark_as):
    answer = json.loads(json.dumps(answer))
    put(answer, path, mark_as)
    for stamp in ("last_update", "last_backfill"):
        if stamp in answer:
            answer[stamp] = marker(stamp, answer[stamp])
    answer["errors"] = "@rows:error@"
    if "warnings" in answer:
        answer["warnings"] = "@rows:warning@"
    if "client" in answer["meta"]:
        answer["meta"]["client"] = {"source": "127.0.0.1:6820(fd:9)", "user": "slurmrestd",
                                    "group": "slurmrestd"}
        answer["meta"]["slurm"]["cluster"] = "@cluster@"
    return answer


def make(folder):
    templates = {}
    for name, (fixture, path, kind) in ANSWERS.items():
        answer = load(folder / f"{fixture}.json")
        if answer is None:
            continue
        if name == "db_qos" and "QOS" in answer:
            path = "QOS"
        found = find(answer, path)
        is_list = isinstance(found, list)
        templates["answer." + name] = envelope(answer, path, f"@{'rows' if is_list else 'one'}:{kind}@")
        if name == "conf":
            templates["answer.conf"]["slurm_conf_meta"] = "@one:conf_meta@"
            templates["conf_meta"] = mark("conf_meta", answer["slurm_conf_meta"])
        if name == "shares":
            templates["answer.shares"]["shares"]["total_shares"] = "@total_shares@"
        records = found if is_list else [found]
        record = choose(kind, records)
        if kind == "job":
            resources = record["job_resources"]
            without = next(job.get("job_resources", {}) for job in records
                           if "PENDING" in job["job_state"])
            templates["job_resources"] = mark("job_resources", resources)
            nodes = resources.get("allocated_nodes") or resources["nodes"]["allocation"]
            if isinstance(nodes, list):
                templates["job_node"] = mark("job_node", nodes[0])
            record = {**record, "job_resources": f"@one:job_resources@{json.dumps(without)}"}
        for part, child in (("rpcs_by_message_type", "rpc_type"), ("rpcs_by_user", "rpc_user"),
                            ("RPCs", "db_rpc"), ("users", "db_user"), ("steps", "db_step")):
            if part in record and isinstance(record[part], list):
                templates[child] = mark(child, record[part][0])
        if kind == "db_job":
            record = with_signals(record, records)
            templates["db_step"] = mark("db_step", record["steps"][0])
            templates["tres"] = mark("tres", record["tres"]["allocated"][0])
            templates["tres_requested"] = templates["tres_used"] = templates["tres_budget"] = templates["tres"]
        if kind == "share":
            templates["share_use"] = mark("share_use", record["tres"]["usage"][0])
        templates[kind] = mark(kind, record)
    templates["error"] = {"description": "@description@", "error_number": "@error_number@",
                          "error": "@error@", "source": "@source@"}
    templates["warning"] = {"description": "@description@", "source": "@source@"}
    for name, source in (("failed", "ping"), ("db_failed", "db_qos")):  # no list, only errors
        whole = templates["answer." + source]
        templates["answer." + name] = {"errors": whole["errors"],
                           **({"warnings": whole["warnings"]} if "warnings" in whole else {}),
                           "meta": whole["meta"]}
    return templates


def text_of(templates):
    """A line per member."""
    def lines(template):
        return ",\n".join(f"\t{json.dumps(key)}: {json.dumps(value)}"
                          for key, value in template.items())
    return "{\n" + ",\n".join(f'"{name}": {{\n{lines(template)}\n}}'
                              for name, template in templates.items()) + "\n}\n"


def main():
    fixtures = Path(sys.argv[1])
    for release, (folder, versions) in RELEASES.items():
        for version in versions:
            templates = make(fixtures / folder / f"v0.0.{version}")
            target = HERE / f"cmd/slurmsim/templates/{release}-v0.0.{version}.json"
            target.write_text(text_of(templates))


if __name__ == "__main__":
    main()
