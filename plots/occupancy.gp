# points: 3 rank, 4 occupancy_percent, 5 gbs, 6 low_gbs, 7 high_gbs, 8 shift; marks likewise.
# Many points have one and the same occupancy: each series stands a little beside the others.
load 'plots/throughput.gp'
load 'plots/series.gp'
beside(x, shift) = x + shift
load 'plots/marks.gp'

set title sprintf("Occupancy and throughput: %s, n = %s\n%s", problem, n_text, measured_on)
set xlabel 'theoretical occupancy (%); at one occupancy the configurations stand side by side, sorted'
set ylabel throughput_label
set xrange [0:103]
set yrange [0:1.08 * top]
set xtics 12.5

plot \
    for [i = 1:ceiling_series] ceiling_gbs with lines linewidth 2 dashtype 2 \
        linecolor rgb ceiling_colour title ceiling_title, \
    for [i = 1:bars_series] 'points.tsv' index i - 1 \
        using (beside($4, $8)):6:(0):($7 - $6) with vectors nohead linewidth 1 \
        linecolor rgb variant_colour(series_rank[i]) notitle, \
    for [i = 1:points_series] 'points.tsv' index i - 1 \
        using (beside($4, $8)):5 with points linewidth 1 pointsize 0.8 * scale \
        pointtype variant_shape(series_rank[i]) linecolor rgb variant_colour(series_rank[i]) \
        title series_name[i], \
    for [i = 1:marks_series] marks_file index i - 1 using (beside($4, $8)):5 with points \
        pointtype shape(mark_rank[i]) pointsize 2.4 * scale linewidth 2.5 \
        linecolor rgb colour(mark_rank[i]) notitle
