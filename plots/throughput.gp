# For figures of throughput, which load this first: points and ceiling have it in column 5; `top` is
# the largest of it.
stats 'points.tsv' using 5 nooutput name 'POINTS_Y'
top = POINTS_Y_max
# The unit of throughput: the layer unit names it if it is not GB/s.
unit = 'GB/s'
if (exists('unit_series')) {
    stats 'unit.tsv' using (unit = strcol(2), $3) nooutput name 'UNIT'
}
ceiling_gbs = 0
ceiling_name = ''
if (ceiling_series) {
    # Its name is text: it comes with the number that is looked at.
    stats 'ceiling.tsv' using (ceiling_name = strcol(2), $5) nooutput name 'CEILING'
    ceiling_gbs = CEILING_max
}
if (ceiling_gbs > top) { top = ceiling_gbs }
# Where a height lies on the axis, which is [0:1.08 * top] (linear.gp has another).
share_of_height(gbs) = gbs / (1.08 * top)
drawn_at(gbs) = gbs
# gnuplot counts a title among those of the legend even where its loop runs no times.
ceiling_title = ceiling_series ? sprintf('%s: %.4g %s', characters ? ceiling_name[10:] : ceiling_name, ceiling_gbs, unit) : ''

throughput_label = 'throughput ('.unit.'), median'.(characters ? '' : ' ± median absolute deviation')
