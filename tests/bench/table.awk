# Samples (see run) to a table: medians, ratios, geometric means by group.
function median(list,   v, n, i, j, t) {
  n = split(list, v, " ")
  for (i = 2; i <= n; ++i)
    for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
  return n % 2 ? v[(n + 1) / 2] + 0 : (v[n / 2] + v[n / 2 + 1]) / 2
}
function close_group() {
  if (count) printf "%-12s %-30s %13s %12s %12s %8.2f %8s\n", group, "geometric mean", "", "", "",
                    exp(logs / count), cpus ? sprintf("%.2f", exp(cpu_logs / cpus)) : ""
  logs = count = cpu_logs = cpus = 0
}
NF == 7 {
  row = $1 SUBSEP $2 SUBSEP $3
  if (!(row in unit)) { order[++rows] = row; unit[row] = $4 }
  values[row, $5] = values[row, $5] " " $6
  cpu[row, $5] = cpu[row, $5] " " $7
}
NF == 5 && $3 == "failed" {
  row = $1 SUBSEP $2 SUBSEP $2
  if (!(row in unit)) { order[++rows] = row; unit[row] = "-" }
  note[$1, $2] = note[$1, $2] ? note[$1, $2] : "failed on " $4
}
NF == 5 && $3 == "result" {
  if (($2 in result) && result[$2] != $5) note[$1, $2] = "results differ"
  result[$2] = $5
}
END {
  printf "%-12s %-30s %13s %12s %12s %8s %8s\n", "group", "benchmark", "unit", "erl", "whitebeam", "ratio", "cpu"
  for (i = 1; i <= rows; ++i) {
    split(order[i], part, SUBSEP)
    if (part[1] != group) { close_group(); group = part[1] }
    name = part[2] == part[3] ? part[2] : part[2] ": " part[3]
    erl = median(values[order[i], "erl"]); ours = median(values[order[i], "whitebeam"])
    if (erl > 0 && ours > 0) { ratio = erl / ours; logs += log(ratio); ++count }
    else ratio = 0
    erl_cpu = median(cpu[order[i], "erl"]); our_cpu = median(cpu[order[i], "whitebeam"])
    has_cpu = erl_cpu > 0 && our_cpu > 0
    if (has_cpu) { cpu_logs += log(erl_cpu / our_cpu); ++cpus }
    printf "%-12s %-30s %13s %12.1f %12.1f %8.2f %8s  %s\n", group, name, unit[order[i]], erl, ours,
           ratio, has_cpu ? sprintf("%.2f", erl_cpu / our_cpu) : "", note[part[1], part[2]]
  }
  close_group()
}
