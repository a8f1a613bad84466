# points: 3 rank, 4 n, 5 gbs, 6 low_gbs, 7 high_gbs; a series each for the winner, the baselines and the rivals.
about = sprintf('Problem size and throughput: %s', problem)
load 'plots/heading.gp'
load 'plots/throughput.gp'
load 'plots/series.gp'
stats 'points.tsv' using 4 nooutput name 'SIZE'
stats 'points.tsv' using 6 nooutput name 'LOW'
set ylabel throughput_label
load 'plots/sizes.gp'
load 'plots/decades.gp'
plot \
    for [i = 1:ceiling_series] ceiling_gbs with lines linewidth 2 dashtype 2 \
        linecolor rgb ceiling_colour title ceiling_title, \
    for [i = 1:points_series] 'points.tsv' index i - 1 using 4:5 with lines linewidth 1 \
        dashtype mark_dash(series_rank[i]) linecolor rgb mark_colour(series_rank[i]) notitle, \
    for [i = 1:points_series] 'points.tsv' index i - 1 using 4:5:6:7 with yerrorbars \
        pointtype mark_pointtype(series_rank[i]) pointsize 1.6 * scale linewidth 2 \
        linecolor rgb mark_colour(series_rank[i]) title series_name[i]
