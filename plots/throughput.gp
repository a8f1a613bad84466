# For figures of throughput, which load this first: points and ceiling have it in column 5; `top` is
# the largest of it.
stats 'points.tsv' using 5 nooutput name 'POINTS_Y'
top = POINTS_Y_max
# What it is counted in: the layer unit says so where it is not GB/s.
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
# gnuplot counts a title among those of the legend even where its loop runs no times.
ceiling_title = ceiling_series ? sprintf('%s: %.4g %s', ceiling_name, ceiling_gbs, unit) : ''

# Beyond this many points their bars would only cover one another; characters are too coarse for them.
bars_series = points_rows <= 5000 && !characters ? points_series : 0
throughput_label = 'throughput ('.unit.'), median'.(bars_series ? ' ± median absolute deviation' : '')
