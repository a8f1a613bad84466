# points: 3 rank, 4 threads, 5 gbs, 6 low_gbs, 7 high_gbs, 8 shift_octaves; marks likewise; cores: 4.
# Many points have one and the same number of threads: each series stands a little beside the others.
load 'plots/throughput.gp'
load 'plots/series.gp'
beside(x, shift) = x * 2**shift
load 'plots/marks.gp'
stats 'points.tsv' using 4 nooutput name 'THREADS'
stats 'cores.tsv' using 4 nooutput name 'CORES'

set title sprintf("Threads and throughput: %s, n = %s\n%s", problem, n_text, measured_on) offset 0, 1
set xlabel 'threads; at one number of threads the configurations stand side by side, sorted'
set ylabel throughput_label
least = THREADS_min < CORES_max ? THREADS_min : CORES_max
most = THREADS_max > CORES_max ? THREADS_max : CORES_max
set logscale x 2
set xrange [least / 1.3:most * 1.3]
set yrange [0:1.08 * top]
set xtics ()
do for [k = 0:20] {
    set xtics add (sprintf('%.0f', 2.0**k) 2.0**k)
}
set arrow 1001 from first CORES_max, graph 0 to first CORES_max, graph 1 nohead linewidth 2 dashtype 3 \
    linecolor rgb frame_colour back
set label 1001 sprintf('a thread a core (%.0f)', CORES_max) at first CORES_max, graph 1.025 center noenhanced \
    textcolor rgb frame_colour
set tmargin 5.5

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
