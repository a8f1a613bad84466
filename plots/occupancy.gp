# points: 3 rank, 4 occupancy_percent, 5 gbs, 6 low_gbs, 7 high_gbs, 8 shift_percent, 9 covered; marks likewise.
# Many points have one and the same occupancy: each series stands a little beside the others.
about = sprintf('Occupancy and throughput: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
load 'plots/throughput.gp'
load 'plots/linear.gp'
load 'plots/series.gp'
beside(x, shift) = x + shift
load 'plots/marks.gp'

set xlabel 'theoretical occupancy (%)'.(characters ? '; letters: the best at each; dots: the others' \
    : '; points: every configuration, at the left of its occupancy; lines: the best at each').notes
set ylabel throughput_label
set xrange [0:103]
set xtics 12.5

load 'plots/points.gp'
