# points: 4 seconds, 5 time_ns; best: 4 seconds, 6 best_ns; marks: 3 rank, 4 and 5, 7 trial; final: 5
# (a line); stages: 4 and 8, from and to; left: a line of text.
about = sprintf('Search: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
load 'plots/times.gp'
if (!exists('best_rows')) best_rows = 0
if (!exists('final_rows')) final_rows = 0
if (!exists('stages_series')) stages_series = 0
if (!exists('left_rows')) left_rows = 0

stats 'points.tsv' using 4 nooutput name 'SECONDS'
stats 'points.tsv' using 5 nooutput name 'POINTS'
best_ns = POINTS_min
swept = SECONDS_max
if (best_rows) {
    stats 'best.tsv' using 4 nooutput name 'SECONDS'
    stats 'best.tsv' using 6 nooutput name 'BEST'
    best_ns = BEST_min
    swept = SECONDS_max
}
final_ns = 0
final_name = ''
if (final_rows) {
    stats 'final.tsv' using (final_name = strcol(2), $5) nooutput name 'FINAL'
    final_ns = FINAL_max
}
if (swept <= 0) { swept = 1e-9 }
# The rest is counted, not drawn: it may have taken many times as long.
then = ''
do for [i = 1:stages_series] {
    stats 'stages.tsv' index i - 1 using (name = strcol(2), from = $4, $8) nooutput name 'STAGE'
    then = then.(i == 1 ? "\ndotted: its end; then " : ', ').sprintf('%s %.3g s', name, STAGE_max - from)
}
if (left_rows) {
    stats 'left.tsv' using (what_is_left = strcol(2), $3) nooutput name 'LEFT'
    then = then."\n".what_is_left
}
# Height is how much slower than the best trial, as a share: even below half a percent, logarithmic
# above, so that both the last improvements and the slowest are seen.
height(ns) = asinh((ns / best_ns - 1) / 0.005)
lowest_ns = final_ns > 0 && final_ns < POINTS_min ? final_ns : POINTS_min
tall = height(POINTS_max) - height(lowest_ns)
tall = tall > 0.5 ? tall : 0.5
bottom = height(lowest_ns) - 0.06 * tall
top = height(POINTS_max) + 0.06 * tall
set ytics ('the best' 0)
do for [share in '0.001 0.003 0.01 0.03 0.1 0.3'] {
    if (share > 0.005 || height(POINTS_max) < 2) {
        set ytics add (sprintf('+%g %%%%', 100 * share) asinh(share / 0.005))
    }
}
do for [ratio in '2 5 10 30 100 300 1000 10000 100000'] {
    set ytics add (sprintf('%g x', ratio + 0) asinh((ratio - 1) / 0.005))
}

margin_count = marks_series
array margin_text[margin_count + 1]
array margin_lines[margin_count + 1]
array margin_colour[margin_count + 1]
array margin_x[margin_count + 1]
array margin_y[margin_count + 1]
array margin_at[margin_count + 1]
array mark_rank[marks_series + 1]
mark_rank[marks_series + 1] = 0
do for [i = 1:marks_series] {
    stats 'marks.tsv' index i - 1 using (name = strcol(2), rank = $3, x = $4, trial = $7, $5) nooutput name 'MARK'
    mark_rank[i] = rank
    is_winner = rank == 0
    # More names than there is room for in two lines have one each.
    margin_text[i] = is_winner || marks_series <= 10 ? sprintf('%.24s', name)."\n".time_text(MARK_max) \
        : sprintf('%.14s ', name).time_text(MARK_max)
    margin_lines[i] = is_winner ? (final_ns > 0 ? 4 : 3) : marks_series <= 10 ? 2 : 1
    if (is_winner) {
        margin_text[i] = margin_text[i].sprintf(" in the sweep\nafter %.3g s, trial %d", x, trial)
        if (final_ns > 0) {
            margin_text[i] = margin_text[i]."\n".time_text(final_ns).' '.final_name
        }
    }
    margin_colour[i] = colour(rank)
    margin_x[i] = x
    margin_y[i] = height(MARK_max)
    margin_at[i] = (margin_y[i] - bottom) / (top - bottom)
}
load 'plots/margin.gp'

set xlabel 'time that the trials of the sweep took, one after the other (s)'.then
set ylabel characters ? 'time; the best: '.time_text(best_ns) : 'time of one run, against the best trial ('.time_text(best_ns).')'
set bmargin 7.5
set xrange [0:1.03 * swept]
set yrange [bottom:top]
if (stages_series) {
    set arrow 100 from first swept, graph 0 to first swept, graph 1 nohead dashtype 3 \
        linewidth 1.5 linecolor rgb frame_colour back
}
# gnuplot looks into the file of a loop even when that runs no times.
marks_file = marks_series ? 'marks.tsv' : 'points.tsv'
best_file = best_rows ? 'best.tsv' : 'points.tsv'
dot = points_rows > 5000 ? 0.25 : points_rows > 500 ? 0.4 : 0.6
plot \
    'points.tsv' using 4:(height($5)) with points pointtype (characters ? '.' : 7) pointsize dot * scale \
        linecolor rgb series_colour[5] title columnheader(2), \
    for [i = 1:best_rows > 0] best_file using 4:(height($6)) with steps linewidth 2.5 \
        linecolor rgb series_colour[1] title columnheader(2), \
    for [i = 1:final_ns > 0] height(final_ns) with lines linewidth 1.5 dashtype 2 \
        linecolor rgb winner_colour title 'the winner, '.final_name, \
    for [i = 1:marks_series] marks_file index i - 1 using 4:(height($5)) with points \
        pointtype shape(mark_rank[i]) pointsize 2.4 * scale linewidth 2.5 \
        linecolor rgb colour(mark_rank[i]) notitle
