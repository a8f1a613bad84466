# points: 3 rank, 4 row, 5 elapsed_ns, 6 turn (0 ... 1 in the order taken), 7 quantile in the row;
# medians: 4 row, 5 median, 10 and 11 interval, 12 difference, 13 and 14 its interval, 15 label;
# alike: 15; left_out: 4 count.
load 'plots/times.gp'
if (!exists('alike_rows')) alike_rows = 0
if (!exists('left_out_rows')) left_out_rows = 0

# The axis spans the inner 96 % of the rows and as much as half of that beside them; what lies beyond
# is drawn at its ends.
stats 'points.tsv' using 5 nooutput name 'ALL'
stats 'points.tsv' using ($7 >= 0.02 && $7 <= 0.98 ? $5 : NaN) nooutput name 'INNER'
stats 'medians.tsv' using 5:4 nooutput name 'MEDIAN'
rows = int(MEDIAN_max_y)
inner_low = INNER_min < MEDIAN_min_x ? INNER_min : MEDIAN_min_x
inner_high = INNER_max > MEDIAN_max_x ? INNER_max : MEDIAN_max_x
span = inner_high - inner_low
low = ALL_min > inner_low - 0.5 * span ? ALL_min : inner_low - 0.5 * span
high = ALL_max < inner_high + 0.5 * span ? ALL_max : inner_high + 0.5 * span
if (high <= low) {
    low = 0.99 * low
    high = 1.01 * high
}
stats 'points.tsv' using ($5 < low || $5 > high ? 1 : 0) nooutput name 'BEYOND'
beyond = int(BEYOND_sum)
pad = 0.02 * (high - low)
within(ns) = (ns < low - pad ? low - pad : ns > high + pad ? high + pad : ns) / scale_ns
scale_ns = time_scale(inner_low)

alike = ''
if (alike_rows) { stats 'alike.tsv' using (alike = strcol(15), 1) nooutput name 'ALIKE' }
left_out = 0
if (left_out_rows) {
    stats 'left_out.tsv' using 4 nooutput name 'LEFT_OUT'
    left_out = int(LEFT_OUT_max)
}
note = (left_out ? sprintf('; finalists not drawn: %d', left_out) : '') \
    .(beyond ? sprintf('; samples beyond the axis (< >): %d', beyond) : '')
subtitle = alike eq '' ? '' : "\nall: ".in_lines(alike, 120, 1)

set title sprintf("Samples of the finalists: %s, n = %s\n%s", problem, n_text, measured_on).subtitle
set xlabel 'time of one run ('.time_unit(inner_low).'); each row from top to bottom in the order taken'.note
set xrange [(low - pad) / scale_ns:(high + pad) / scale_ns]
set yrange [rows + 0.6:0.4]
set noytics
set grid noytics
set border 1
terminal = format eq 'terminal'
label_width = terminal ? 24 : 46
set lmargin terminal ? 26 : 42
set rmargin terminal ? 12 : 30

# The winner is vermilion, what is tied blue, the others grey, baselines black; the words beside each
# row say the same.
role(rank) = rank == 0 ? winner_colour : rank == 1 ? 0x0072b2 : rank == 2 ? 0x7f7f7f : baseline_colour
role_word(rank) = rank == 0 ? 'winner' : rank == 1 ? 'tied' : rank == 2 ? 'slower' : 'baseline'
percent(x) = sprintf('%+.2f %%', 100 * x)
# The fastest has a time and no difference.
verdict(rank, median, low, high, d, d_low, d_high) = \
    (d == d && d != 0 ? percent(d).', '.role_word(rank)."\n".sprintf('[%+.2f, %+.2f] %%', 100 * d_low, 100 * d_high) \
        : time_text(median).', '.role_word(rank).(low == low && high > low \
            ? sprintf("\n[%.4g, %.4g] ", low / time_scale(median), high / time_scale(median)).time_unit(median) : ''))
short_verdict(rank, median, d) = (d == d && d != 0 ? percent(d) : time_text(median))
dot = points_rows > 4000 ? 0.35 : points_rows > 1000 ? 0.5 : 0.7

plot \
    'points.tsv' using ($5 >= low && $5 <= high ? $5 / scale_ns : NaN):($4 - 0.36 + 0.5 * $6):(role($3)) \
        with points pointtype 7 pointsize dot * scale linecolor rgb variable notitle, \
    'points.tsv' using (within($5)):($4 - 0.36 + 0.5 * $6):($5 < low ? '<' : $5 > high ? '>' : '') \
        with labels notitle, \
    'medians.tsv' using (within($5)):($4 - 0.4):(0):(0.58) with vectors nohead linewidth 3 \
        linecolor rgb '#ffffff' notitle, \
    'medians.tsv' using (within($5)):($4 - 0.4):(0):(0.58) with vectors nohead linewidth 1.5 \
        linecolor rgb '#000000' title 'median', \
    'medians.tsv' using (within($10)):($4 + 0.32):(within($11) - within($10)):(0) with vectors nohead \
        linewidth 3 linecolor rgb '#000000' \
        title 'interval of the difference to the fastest in the same rounds (of the fastest: of its time)', \
    'medians.tsv' using (low / scale_ns):4:(in_lines(strcol(15), label_width, 2)) with labels right offset -2, 0 font ',10' notitle, \
    'medians.tsv' using (high / scale_ns):4:(terminal ? short_verdict($3, $5, $12) : verdict($3, $5, $10, $11, $12, $13, $14)) \
        with labels left offset 2, 0 font ',10' notitle
