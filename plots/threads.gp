# points: 3 rank, 4 threads, 5 gbs, 6 low_gbs, 7 high_gbs, 8 shift_octaves, 9 covered; marks likewise; cores: 4.
# Many points have one and the same number of threads: each series stands a little beside the others.
about = sprintf('Threads and throughput: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
load 'plots/throughput.gp'
load 'plots/linear.gp'
load 'plots/series.gp'
beside(x, shift) = x * 2**shift
load 'plots/marks.gp'
stats 'points.tsv' using 4 nooutput name 'THREADS'
stats 'cores.tsv' using 4 nooutput name 'CORES'

set xlabel 'threads'.(characters ? '; letters: the best at each; dots: the others' \
    : '; points: every configuration, beside its number; lines: the best with each').notes
set ylabel throughput_label
least = THREADS_min < CORES_max ? THREADS_min : CORES_max
most = THREADS_max > CORES_max ? THREADS_max : CORES_max
set logscale x 2
x_low = least / 1.3
x_high = most * 1.3
set xrange [x_low:x_high]
set xtics ()
do for [k = 0:20] {
    set xtics add (sprintf('%.0f', 2.0**k) 2.0**k)
}
reference_x = CORES_max
reference_title = sprintf('a thread per core (%.0f)', CORES_max)
load 'plots/points.gp'
