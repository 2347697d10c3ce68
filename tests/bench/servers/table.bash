# medians DIRECTORY FIRST SECOND: of the lines `name value unit` of FIRST.* and SECOND.* there, and the ratio of the medians.
medians() {
  for machine in "$2" "$3"; do sed "s/^/$machine /" "$1/$machine".[0-9]*; done | awk -v first="$2" -v second="$3" '
    function median(key, machine,   n, i, j, t, v) {
      n = count[key, machine]
      for (i = 1; i <= n; ++i) v[i] = value[key, machine, i]
      for (i = 1; i <= n; ++i) for (j = i + 1; j <= n; ++j) if (v[j] + 0 < v[i] + 0) { t = v[i]; v[i] = v[j]; v[j] = t }
      return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    { if (!($2 in seen)) { seen[$2] = 1; order[++n] = $2; unit[$2] = $4 }
      value[$2, $1, ++count[$2, $1]] = $3 }
    END {
      printf "| measure | %s | %s | ratio |\n|---|---|---|---|\n", first, second
      for (k = 1; k <= n; ++k) {
        a = median(order[k], first); b = median(order[k], second)
        printf "| %s (%s) | %.4g | %.4g | %.2f |\n", order[k], unit[order[k]], a, b, (b > 0 ? a / b : 0)
      }
    }'
}
