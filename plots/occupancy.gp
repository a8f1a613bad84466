# points: 3 rank, 4 occupancy_percent, 5 gbs, 6 low_gbs, 7 high_gbs, 8 shift_percent, 9 covered; marks likewise.
# Many points have one and the same occupancy: each series stands a little beside the others.
load 'plots/throughput.gp'
load 'plots/linear.gp'
load 'plots/series.gp'
beside(x, shift) = x + shift
load 'plots/marks.gp'

set title sprintf("Occupancy and throughput: %s, n = %s\n%s", problem, n_text, measured_on)
set xlabel 'theoretical occupancy (%); at one occupancy the configurations stand side by side, sorted'.covered_note
set ylabel throughput_label
set xrange [0:103]
set yrange [0:1.08 * top]
set xtics 12.5

load 'plots/points.gp'
