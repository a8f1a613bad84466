# points: 3 rank, 4 n, 5 gbs, 6 low_gbs, 7 high_gbs; a series each for the winner and the baselines.
load 'plots/throughput.gp'
set title sprintf("Problem size and throughput: %s\n%s", problem, measured_on)
set xlabel 'n (elements)'
set ylabel 'throughput (GB/s), median ± median absolute deviation'
stats 'points.tsv' using 4 nooutput name 'SIZE'
array series_rank[points_series]
do for [i = 1:points_series] {
    stats 'points.tsv' index i - 1 using 3 nooutput name 'RANK'
    series_rank[i] = RANK_max
}
set logscale xy
set xrange [SIZE_min / 1.5:SIZE_max * 1.5]
set yrange [POINTS_Y_min / 1.5:top * 1.5]
set format x '10^%T'
set format y '%g'
# Few decades: names for 2 and 5 in each as well.
if (top / POINTS_Y_min < 300) {
    do for [k = floor(log10(POINTS_Y_min)) - 1:ceil(log10(top)) + 1] {
        set ytics add (sprintf('%g', 2 * 10.0**k) 2 * 10.0**k, sprintf('%g', 5 * 10.0**k) 5 * 10.0**k)
    }
}
plot \
    for [i = 1:ceiling_series] ceiling_gbs with lines linewidth 2 dashtype 2 \
        linecolor rgb ceiling_colour title ceiling_title, \
    for [i = 1:points_series] 'points.tsv' index i - 1 using 4:5 with lines linewidth 1 dashtype 1 + series_rank[i] \
        linecolor rgb colour(series_rank[i]) notitle, \
    for [i = 1:points_series] 'points.tsv' index i - 1 using 4:5:6:7 with yerrorbars \
        pointtype shape(series_rank[i]) pointsize 1.6 * scale linewidth 2 \
        linecolor rgb colour(series_rank[i]) title columnheader(2)
