# points: 4 occupancy_percent, 5 gbs, 6 low_gbs, 7 high_gbs, 8 side; marks: 3 rank, 4 and 5 likewise.
# Many points have one and the same occupancy: each series stands a little beside the others.
load 'plots/throughput.gp'
beside(x, side) = x + (points_series > 1 ? 1.6 * side / (points_series - 1) - 0.8 : 0)
load 'plots/marks.gp'

set title sprintf("Occupancy and throughput: %s, n = %s\n%s", problem, n_text, measured_on)
set xlabel 'theoretical occupancy (%); at one occupancy the series stand side by side'
set ylabel throughput_label
set xrange [0:103]
set yrange [0:1.08 * top]
set xtics 10
# Many variants need more rows below the figure than there are.
# gnuplot opens the file of a loop even when that runs no times.
marks_file = marks_series ? 'marks.tsv' : 'points.tsv'
legend = points_series + ceiling_series
legend_rows = legend > 4 ? (legend + 2) / 3 : 2
if (legend > 4) {
    set key vertical maxrows legend_rows
    set bmargin 5 + legend_rows
}

plot \
    for [i = 1:ceiling_series] ceiling_gbs with lines linewidth 2 dashtype 2 \
        linecolor rgb ceiling_colour title ceiling_title, \
    for [i = 0:bars_series - 1] 'points.tsv' index i \
        using (beside($4, $8)):6:(0):($7 - $6) with vectors nohead linetype i + 1 linewidth 1 notitle, \
    for [i = 0:points_series - 1] 'points.tsv' index i \
        using (beside($4, $8)):5 with points linetype i + 1 linewidth 1 pointsize 0.8 * scale \
        title columnheader(2), \
    for [i = 1:marks_series] marks_file index i - 1 using (beside($4, $8)):5 with points \
        pointtype shape(mark_rank[i]) pointsize 2.4 * scale linewidth 2.5 \
        linecolor rgb colour(mark_rank[i]) notitle
