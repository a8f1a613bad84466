# points: 3 rank, 4 n, 5 ratio, 6 ratio_low, 7 ratio_high, 8 raced; a series each for the baselines and rivals.
about = sprintf('How many times faster the winner is: %s', problem)
load 'plots/heading.gp'
load 'plots/series.gp'
stats 'points.tsv' using 4 nooutput name 'SIZE'
# With its interval, if there is one.
ratio_low(row) = column(8) > 0 ? column(6) : column(5)
ratio_high(row) = column(8) > 0 ? column(7) : column(5)
stats 'points.tsv' using (ratio_low(0)) nooutput name 'LOW'
stats 'points.tsv' using (ratio_high(0)) nooutput name 'HIGH'
stats 'points.tsv' using (column(8) > 0 ? 0 : 1) nooutput name 'ROUGH'
least = LOW_min < 1 ? LOW_min : 1
most = HIGH_max > 1 ? HIGH_max : 1

set ylabel 'time of the other / time of the winner'
load 'plots/sizes.gp'
if (most / least > 8) {
    set logscale y 2
    set yrange [least / 1.2:most * 1.2]
    set format y '%g'
} else {
    pad = 0.06 * (most > least ? most - least : 1)
    set yrange [least - pad:most + pad]
}
# Hollow, without a bar and named so, if it was not raced side by side.
rough_entries = ROUGH_max > 0 ? 1 : 0
key_entries = points_series + rough_entries + 1
rough_title = rough_entries ? 'of two medians, no interval' : ''
longest = longest > strlen(rough_title) ? longest : strlen(rough_title)
load 'plots/legend.gp'

plot \
    1 with lines linewidth 2 dashtype 2 linecolor rgb ceiling_colour title 'as fast as the winner', \
    for [i = 1:points_series] 'points.tsv' index i - 1 using 4:5 with lines linewidth 1 \
        dashtype mark_dash(series_rank[i]) linecolor rgb mark_colour(series_rank[i]) notitle, \
    for [i = 1:points_series] 'points.tsv' index i - 1 using 4:5:(ratio_low(0)):(ratio_high(0)) with yerrorbars \
        pointtype mark_pointtype(series_rank[i]) pointsize 1.6 * scale linewidth 2 \
        linecolor rgb mark_colour(series_rank[i]) title series_name[i], \
    for [i = 1:rough_entries] 'points.tsv' using 4:($8 > 0 ? NaN : $5) with points pointtype 6 \
        pointsize 3 * scale linewidth 1 linecolor rgb frame_colour title rough_title
