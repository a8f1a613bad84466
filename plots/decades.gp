# For figures of throughput by size: its axis. Before this: stats of low_gbs by the name LOW, and `top`.
if (top / LOW_min < 5) {
    set yrange [0:1.08 * top]
} else {
    set logscale y
    set yrange [LOW_min / 1.5:top * 1.5]
    set format y '%g'
    # Few decades: names for 2 and 5 in each as well.
    if (top / LOW_min < 300) {
        do for [k = floor(log10(LOW_min)) - 1:ceil(log10(top)) + 1] {
            set ytics add (sprintf('%g', 2 * 10.0**k) 2 * 10.0**k, sprintf('%g', 5 * 10.0**k) 5 * 10.0**k)
        }
    }
}
