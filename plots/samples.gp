# points: 3 rank, 4 row, 5 elapsed_ns, 6 turn (0 ... 1 in the order taken), 8 is_inner; medians: 3, 4 and
# 5 likewise, 11 and 12 interval, 13 difference, 14 and 15 its interval, 16 label; alike: 16; names: 16; left_out:
# 4 count.
load 'plots/times.gp'
if (!exists('alike_rows')) alike_rows = 0
if (!exists('names_rows')) names_rows = 0
if (!exists('left_out_rows')) left_out_rows = 0

# The axis spans the inner 96 % of the rows, without those further away than five times their middle half, and half of
# that beside them; rows beyond are drawn at its ends.
stats 'points.tsv' using 5 nooutput name 'ALL'
stats 'points.tsv' using ($8 == 1 ? $5 : NaN) nooutput name 'INNER'
stats 'medians.tsv' using 5 nooutput name 'MEDIAN'
rows = medians_rows
stats 'medians.tsv' using (valid(11) && valid(12) ? 1 : 0) nooutput name 'INTERVALS'
inner_low = exists('INNER_min') && INNER_min < MEDIAN_min ? INNER_min : MEDIAN_min
inner_high = exists('INNER_max') && INNER_max > MEDIAN_max ? INNER_max : MEDIAN_max
span = inner_high - inner_low
low = ALL_min > inner_low - 0.5 * span ? ALL_min : inner_low - 0.5 * span
high = ALL_max < inner_high + 0.5 * span ? ALL_max : inner_high + 0.5 * span
if (high <= low) {
    low = 0.99 * low
    high = 1.01 * high
}
stats 'points.tsv' using ($5 < low || $5 > high ? 1 : 0) nooutput name 'BEYOND'
beyond = int(BEYOND_sum)
array role_rank[points_series + 1]
role_rank[points_series + 1] = 0
do for [i = 1:points_series] {
    stats 'points.tsv' index i - 1 using 3 nooutput name 'RANK'
    role_rank[i] = int(RANK_max)
}
pad = 0.02 * (high - low)
within(ns) = (ns < low - 0.5 * pad ? low - 0.5 * pad : ns > high + 0.5 * pad ? high + 0.5 * pad : ns) / scale_ns
scale_ns = time_scale(inner_low)

alike = ''
names = ''
if (names_rows) { stats 'names.tsv' using (names = strcol(16), 1) nooutput name 'NAMES' }
if (characters && exists("short_rows")) { stats 'short.tsv' using (names = strcol(2), 1) nooutput name 'NAMES' }
if (alike_rows) { stats 'alike.tsv' using (alike = strcol(16), 1) nooutput name 'ALIKE' }
left_out = 0
if (left_out_rows) {
    stats 'left_out.tsv' using 4 nooutput name 'LEFT_OUT'
    left_out = int(LEFT_OUT_max)
}
note = (left_out ? sprintf('finalists not drawn: %d', left_out) : '').(left_out && beyond ? '; ' : '') \
    .(beyond ? sprintf('samples beyond the axis (< >): %d', beyond) : '')
below = (names eq '' ? '' : "\nrows: ".in_lines(names, characters ? text_columns - 12 : 120, 1)) \
    .(alike eq '' ? '' : "\nall: ".in_lines(alike, characters ? text_columns - 12 : 120, 1))

about = sprintf('Samples of the finalists: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
set xlabel 'time of one run ('.time_unit(inner_low).'); each row from top to bottom in the order taken' \
    .(note eq '' ? '' : "\n".note)
set bmargin note eq '' ? 6.5 : 7.5
set xrange [(low - pad) / scale_ns:(high + pad) / scale_ns]
set yrange [rows + 0.6:0.4]
set noytics
set grid noytics
set border 1
set key vertical maxrows 2
label_width = !characters ? 54 : text_columns < 90 ? 20 : 30
set lmargin characters ? label_width + 2 : 42
set rmargin characters ? 12 : 30

# Vermilion: the winner; blue: as fast; grey: slower; orange: not compared to the end; black: baselines. The words
# beside each row say the same.
role(rank) = rank == 0 ? winner_colour : rank == 1 ? 0x0072b2 : rank == 2 || rank == 5 ? 0x7f7f7f : rank == 4 ? 0xe69f00 : baseline_colour
role_shape(rank) = !characters ? 7 : rank == 0 ? 'W' : rank == 1 ? 'o' : rank == 2 ? '.' : rank == 4 ? '?' : 'B'
role_word(rank) = rank == 0 ? 'winner' : rank == 1 ? 'as fast' : rank == 2 ? 'slower' : rank == 4 ? 'not compared' : rank == 5 ? 'out' : 'baseline'
percent(x) = sprintf('%+.2f %%', 100 * x)
# The fastest has a time and no difference.
verdict(rank, median, low, high, d, d_low, d_high) = characters ? (d == d && d != 0 ? percent(d) : time_text(median)) \
    : long_verdict(rank, median, low, high, d, d_low, d_high)
long_verdict(rank, median, low, high, d, d_low, d_high) = \
    (d == d && d != 0 ? percent(d).', '.role_word(rank)."\n".sprintf('[%+.2f, %+.2f] %%', 100 * d_low, 100 * d_high) \
        : time_text(median).', '.(rank == 0 ? 'winner' : d == d ? 'fastest' : role_word(rank)).(low == low && high > low \
            ? sprintf("\n[%.4g, %.4g] ", low / time_scale(median), high / time_scale(median)).time_unit(median) : ''))
# An empty cell is NaN: it would take the whole label with it.
cell(c) = number_or(c, NaN)
# gnuplot looks at the data of a loop even when that runs no times: there must be points.
end(c) = number_or(c, column(5))
row_verdict(unused) = \
    verdict(column(3), column(5), cell(11), cell(12), cell(13), cell(14), cell(15))
row_name(label) = in_lines(label, label_width, characters ? 1 : 2)
row_names = characters && exists("short_rows") ? 'short.tsv' : 'medians.tsv'
# Labels hang below their place by all but their first line.
centred(row, text) = row - (strstrt(text, "\n") ? 0.016 * (rows + 0.2) : 0)
dot = points_rows > 4000 ? 0.35 : points_rows > 1000 ? 0.5 : 0.7

plot \
    for [i = 1:points_series] 'points.tsv' index i - 1 \
        using ($5 >= low && $5 <= high ? $5 / scale_ns : NaN):($4 - 0.36 + 0.5 * $6) with points \
        pointtype role_shape(role_rank[i]) pointsize dot * scale linecolor rgb role(role_rank[i]) notitle, \
    for [i = 1:beyond > 0] 'points.tsv' \
        using (beyond == 0 || $5 < low || $5 > high ? within($5) : NaN):($4 - 0.36 + 0.5 * $6):($5 < low ? '<' : '>') \
        with labels notitle, \
    'medians.tsv' using (within($5)):($4 - 0.4):(0):(0.58) with vectors nohead linewidth 3 \
        linecolor rgb paper_colour notitle, \
    'medians.tsv' using (within($5)):($4 - 0.4):(0):(0.58) with vectors nohead linewidth 1.5 \
        linecolor rgb text_colour title 'median', \
    for [i = 1:INTERVALS_sum > 0] 'medians.tsv' \
        using (within(end(11))):($4 + 0.32):(within(end(12)) - within(end(11))):(0) with vectors nohead \
        linewidth 3 linecolor rgb text_colour \
        title 'interval: of the fastest its time, of others their difference to it', \
    row_names using (low / scale_ns):(centred($4, row_name(strcol(16)))):(row_name(strcol(16))) \
        with labels right offset -2, 0 font small_font notitle, \
    'medians.tsv' using (high / scale_ns):(centred($4, row_verdict(0))):(row_verdict(0)) \
        with labels left offset 2, 0 font small_font notitle
