# points: 3 rank, 4 threads, 5 gbs, 6 low_gbs, 7 high_gbs, 8 shift_octaves, 9 covered; marks likewise; cores: 4.
# Many points have one and the same number of threads: each series stands a little beside the others.
load 'plots/throughput.gp'
load 'plots/linear.gp'
load 'plots/series.gp'
beside(x, shift) = x * 2**shift
load 'plots/marks.gp'
stats 'points.tsv' using 4 nooutput name 'THREADS'
stats 'cores.tsv' using 4 nooutput name 'CORES'

set title sprintf("Threads and throughput: %s, n = %s\n%s", problem, n_text, measured_on)
set xlabel 'threads; at one number of threads the configurations stand side by side, sorted'.covered_note
set ylabel throughput_label
least = THREADS_min < CORES_max ? THREADS_min : CORES_max
most = THREADS_max > CORES_max ? THREADS_max : CORES_max
set logscale x 2
x_low = least / 1.3
x_high = most * 1.3
set xrange [x_low:x_high]
set yrange [0:1.08 * top]
set xtics ()
do for [k = 0:20] {
    set xtics add (sprintf('%.0f', 2.0**k) 2.0**k)
}
reference_x = CORES_max
reference_title = sprintf('a thread per core (%.0f)', CORES_max)
load 'plots/points.gp'
