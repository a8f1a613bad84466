# For figures of throughput with a linear axis, after throughput.gp: `bottom` and `top` are its ends. If the winner and
# all that curves join lie near the top, the axis begins below them, and slower points are counted (below_note): a slow
# baseline stands at its foot. A ceiling far above the points would press them flat, so only the legend names it.
least = 1e300
stats 'curves.tsv' using (least = $9 == 0 && $5 < least ? $5 : least) nooutput name 'JOINED'
stats 'curves.tsv' using 5 nooutput name 'BEST'
if (least == 1e300) { least = BEST_min }
if (marks_series) {
    stats 'marks.tsv' using (least = $3 == 0 && $5 < least ? $5 : least) nooutput name 'MARK'
}
if (ceiling_series && ceiling_gbs > (least > 0.5 * POINTS_Y_max ? 1.3 : 4) * POINTS_Y_max) {
    top = POINTS_Y_max
    ceiling_title = ceiling_title.', above the figure'
}
# Small differences are not enlarged until they look large.
span = top - least > 0.1 * top ? top - least : 0.1 * top
bottom = least > 0.5 * top ? top - 1.12 * span : 0
drawn_at(gbs) = gbs < bottom ? bottom + 0.015 * (top - bottom) : gbs
share_of_height(gbs) = (drawn_at(gbs) - bottom) / (1.08 * (top - bottom))
below_note = ''
if (bottom > 0) {
    stats 'points.tsv' using ($5 < bottom ? 1 : 0) nooutput name 'BELOW'
    below_note = sprintf('the axis begins at %.4g %s', bottom, unit) \
        .(BELOW_sum > 0 ? sprintf(': %.0f slower one%s below it', BELOW_sum, BELOW_sum == 1 ? ' is' : 's are') : '')
}
# For the axis of figures with every configuration: a line of its own.
notes = below_note.(below_note ne '' && points_rows > 5000 ? '; ' : '') \
    .(points_rows > 5000 ? 'of points that cover one another one is drawn' : '')
note_lines = notes eq '' ? 0 : 1
if (note_lines) { notes = "\n".(characters ? in_lines(notes, text_columns - 4, 1) : notes) }
