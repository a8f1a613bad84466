# Shared by occupancy, blocks and threads, loaded last: points: 3 rank, 4 x, 5 gbs, 6 low_gbs, 7 high_gbs, 8 its
# distance beside its x, 9 covered by another; marks likewise, and curves: a curve a series, its best at each x, before
# the points; 9 whether no line joins it. family: 4 x, 5 gbs: curves of another experiment, behind all. The last series
# is drawn first: 'others' are behind. If reference_x is defined, a line stands there, named reference_title above the
# axes (of which x_low and x_high are the ends, and x is logarithmic).
if (exists('reference_x')) {
    set arrow 1001 from first reference_x, graph 0 to first reference_x, graph 1 nohead linewidth 2 dashtype 3 \
        linecolor rgb frame_colour back
    place = log(reference_x / x_low) / log(x_high / x_low)
    # Among characters beside the name of the other axis, which is at the left.
    if (characters) {
        set label 1001 reference_title at graph 1, graph 1 + 2.3 / graph_rows right noenhanced
    }
    if (!characters && place < 0.2) {
        set label 1001 reference_title at graph 0, graph 1.03 left noenhanced textcolor rgb frame_colour
    }
    if (!characters && place >= 0.2) {
        if (place > 0.8) {
            set label 1001 reference_title at graph 1, graph 1.03 right noenhanced textcolor rgb frame_colour
        } else {
            set label 1001 reference_title at first reference_x, graph 1.03 center noenhanced textcolor rgb frame_colour
        }
    }
    if (!characters) { set tmargin at screen heading_end - 0.03 }
}
set yrange [bottom:bottom + 1.08 * (top - bottom)]
point_size = (points_rows > 20000 ? 0.3 : points_rows > 2000 ? 0.4 : 0.5) * scale
# A line continues past an omitted point. A series without points lies below the figure: gnuplot warns of data without
# points.
set datafile missing NaN
outside = bottom - 2 * (top - bottom)
line_at(i, is_apart, gbs) = i == 0 ? NaN : joined_rows[i] == 0 ? outside : is_apart > 0 ? NaN : gbs
# gnuplot opens the file of a loop even when that runs no times.
family_file = family_series ? 'family.tsv' : 'points.tsv'
plot \
    for [i = 1:family_series] family_file index i - 1 using 4:5 with lines linewidth 5 dashtype i \
        linecolor rgb grid_colour title family_name[i], \
    for [i = 1:ceiling_series] ceiling_gbs with lines linewidth 2 dashtype 2 \
        linecolor rgb ceiling_colour title ceiling_title, \
    for [i = points_series:1:-1] 'points.tsv' index i - 1 \
        using (beside($4, $8)):($9 > 0 ? outside : $5) with points linewidth 1 pointsize point_size \
        pointtype (characters ? '.' : variant_shape(series_rank[i])) linecolor rgb variant_colour(series_rank[i]) notitle, \
    for [i = characters ? 0 : points_series:1:-1] 'curves.tsv' index (i > 0 ? i - 1 : 0) \
        using 4:(line_at(i, $9, $5)):(line_at(i, $9, $6)):(line_at(i, $9, $7)) with yerrorlines linewidth 2 pointsize 1.1 * scale \
        pointtype variant_shape(series_rank[i > 0 ? i : 1]) linecolor rgb variant_colour(series_rank[i > 0 ? i : 1]) notitle, \
    for [i = 1:characters ? points_series : 0] 'curves.tsv' index i - 1 using 4:5 with points \
        pointtype variant_shape(series_rank[i]) linecolor rgb variant_colour(series_rank[i]) notitle, \
    for [i = 1:points_series] keyentry with points linewidth 2 pointsize 1.1 * scale \
        pointtype variant_shape(series_rank[i]) linecolor rgb variant_colour(series_rank[i]) \
        title series_name[i], \
    for [i = 1:marks_series] marks_file index i - 1 using 4:(drawn_at($5)) with points \
        pointtype shape(mark_rank[i]) pointsize 2.4 * scale linewidth 2.5 \
        linecolor rgb colour(mark_rank[i]) notitle
