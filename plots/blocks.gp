# points: 3 rank, 4 blocks_per_sm, 5 gbs, 6 low_gbs, 7 high_gbs, 8 shift_octaves; marks likewise; double: 10 grid.
# Many points have one and the same grid: each series stands a little beside the others.
about = sprintf('Grid and throughput: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
load 'plots/throughput.gp'
load 'plots/linear.gp'
load 'plots/series.gp'
beside(x, shift) = x * 2**shift
load 'plots/marks.gp'
stats 'points.tsv' using 4 nooutput name 'BLOCKS'
stats 'double.tsv' using 10 nooutput name 'DOUBLE'

set xlabel 'grid (blocks per SM)'.(characters ? '; letters: the best at each; dots: the others' \
    : '; points: every configuration, beside its grid; lines: the best with each').notes
set ylabel throughput_label
least = BLOCKS_min < 2 ? BLOCKS_min : 2
most = BLOCKS_max > 2 ? BLOCKS_max : 2
set logscale x 2
x_low = least / 1.3
x_high = most * 1.3
set xrange [x_low:x_high]
# A power of two each, or every other when there are many.
octaves = log(most / least) / log(2)
tic_step = 1 + int(octaves / 14)
set xtics ()
do for [k = -40:40:tic_step] {
    set xtics add ((k < 0 ? sprintf('1/%.0f', 2.0**-k) : sprintf('%.0f', 2.0**k)) 2.0**k)
}
reference_x = 2
# On a narrow terminal it would run into the name of the other axis.
reference_title = sprintf(characters && text_columns < 96 ? '#SM x 2 = %.0f' : '2 blocks per SM (#SM x 2 = %.0f)', DOUBLE_max)
load 'plots/points.gp'
