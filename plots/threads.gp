# points: 4 threads, 5 gbs, 6 low_gbs, 7 high_gbs, 8 side; marks: 3 rank, 4 and 5 likewise.
load 'plots/throughput.gp'
beside(x, side) = x * (1 + 0.06 * (side - (points_series - 1) / 2.0))
load 'plots/marks.gp'

set title sprintf("Threads and throughput: %s, n = %s\n%s", problem, n_text, measured_on)
set xlabel 'threads; at one number of threads the series stand side by side'
set ylabel throughput_label
stats 'points.tsv' using 4 nooutput name 'THREADS'
set logscale x 2
set xrange [THREADS_min / 1.4:THREADS_max * 1.4]
set yrange [0:1.08 * top]
set xtics 2 format '%.0f'

plot \
    for [i = 1:ceiling_series] ceiling_gbs with lines linewidth 2 dashtype 2 \
        linecolor rgb ceiling_colour title ceiling_title, \
    for [i = 0:bars_series - 1] 'points.tsv' index i \
        using (beside($4, $8)):6:(0):($7 - $6) with vectors nohead linetype i + 1 linewidth 1 notitle, \
    for [i = 0:points_series - 1] 'points.tsv' index i \
        using (beside($4, $8)):5 with points linetype i + 1 linewidth 1 pointsize 0.8 * scale \
        title columnheader(2), \
    for [i = 1:marks_series] 'marks.tsv' index i - 1 using (beside($4, $8)):5 with points \
        pointtype shape(mark_rank[i]) pointsize 2.4 * scale linewidth 2.5 \
        linecolor rgb colour(mark_rank[i]) notitle
