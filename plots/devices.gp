# points: 3 rank, 4 n, 5 gbs, 6 low_gbs, 7 high_gbs; limits: 3 rank, 5 gbs; a series a device each.
about = sprintf('The winners of %d devices: %s', points_series, problem)
measured_on = sprintf('L2 %s, %d points%s', l2_mode, points_rows, database eq '' ? '' : ', '.database)
load 'plots/heading.gp'
load 'plots/throughput.gp'
load 'plots/series.gp'
stats 'points.tsv' using 4 nooutput name 'SIZE'
stats 'points.tsv' using 6 nooutput name 'LOW'
if (!exists('limits_series')) limits_series = 0
array limit_rank[limits_series + 1]
array limit_gbs[limits_series + 1]
limit_rank[limits_series + 1] = 0
limit_gbs[limits_series + 1] = 0
array limit_title[limits_series + 1]
limit_title[limits_series + 1] = ''
array limit_dash[3] = [2, 4, 5]
do for [i = 1:limits_series] {
    stats 'limits.tsv' index i - 1 using (name = columnheader(2), what = strcol(8), $3) nooutput name 'LIMIT'
    limit_rank[i] = LIMIT_max
    stats 'limits.tsv' index i - 1 using 5 nooutput name 'LIMIT'
    limit_gbs[i] = LIMIT_max
    limit_title[i] = sprintf('%s: %s ceiling, %.4g %s', shortened(name), what, LIMIT_max, unit)
    longest = strlen(limit_title[i]) > longest ? strlen(limit_title[i]) : longest
    if (LIMIT_max > top) { top = LIMIT_max }
}
set ylabel throughput_label
load 'plots/sizes.gp'
load 'plots/decades.gp'
key_entries = points_series + limits_series
load 'plots/legend.gp'
plot \
    for [i = 1:points_series] 'points.tsv' index i - 1 using 4:5 with lines linewidth 1 \
        linecolor rgb variant_colour(series_rank[i]) notitle, \
    for [i = 1:points_series] 'points.tsv' index i - 1 using 4:5:6:7 with yerrorbars \
        pointtype variant_shape(series_rank[i]) pointsize 1.4 * scale linewidth 2 \
        linecolor rgb variant_colour(series_rank[i]) title series_name[i], \
    for [i = 1:limits_series] limit_gbs[i] with lines linewidth 2 dashtype limit_dash[1 + int(limit_rank[i]) % 3] \
        linecolor rgb variant_colour(limit_rank[i]) title limit_title[i]
