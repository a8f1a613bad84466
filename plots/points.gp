# What occupancy, blocks and threads have in common, loaded last: points: 3 rank, 4 x, 5 gbs, 6 low_gbs, 7 high_gbs,
# 8 how far it stands beside its x, 9 covered by another; marks likewise. The last series is drawn first: 'others'
# are behind.
# Where reference_x is defined a line stands there, named reference_title above the axes (of which x_low and x_high are
# the ends, and x is logarithmic).
if (exists('reference_x')) {
    set arrow 1001 from first reference_x, graph 0 to first reference_x, graph 1 nohead linewidth 2 dashtype 3 \
        linecolor rgb frame_colour back
    place = log(reference_x / x_low) / log(x_high / x_low)
    # Among characters the name of the other axis is at the left.
    if (characters) { place = 1 }
    if (place < 0.2) {
        set label 1001 reference_title at graph 0, graph 1.03 left noenhanced textcolor rgb frame_colour
    } else {
        if (place > 0.8) {
            set label 1001 reference_title at graph 1, graph 1.03 right noenhanced textcolor rgb frame_colour
        } else {
            set label 1001 reference_title at first reference_x, graph 1.03 center noenhanced textcolor rgb frame_colour
        }
    }
    set title offset 0, 1
    set tmargin 5.5
}
point_size = (points_rows > 20000 ? 0.4 : points_rows > 2000 ? 0.6 : 0.8) * scale
plot \
    for [i = 1:ceiling_series] ceiling_gbs with lines linewidth 2 dashtype 2 \
        linecolor rgb ceiling_colour title ceiling_title, \
    for [i = 1:bars_series] 'points.tsv' index i - 1 \
        using (beside($4, $8)):6:(0):($7 - $6) with vectors nohead linewidth 1 \
        linecolor rgb variant_colour(series_rank[i]) notitle, \
    for [i = points_series:1:-1] 'points.tsv' index i - 1 \
        using ($9 > 0 ? NaN : beside($4, $8)):5 with points linewidth 1 pointsize point_size \
        pointtype variant_shape(series_rank[i]) linecolor rgb variant_colour(series_rank[i]) notitle, \
    for [i = 1:points_series] keyentry with points linewidth 1 pointsize 0.8 * scale \
        pointtype variant_shape(series_rank[i]) linecolor rgb variant_colour(series_rank[i]) \
        title series_name[i], \
    for [i = 1:marks_series] marks_file index i - 1 using (beside($4, $8)):5 with points \
        pointtype shape(mark_rank[i]) pointsize 2.4 * scale linewidth 2.5 \
        linecolor rgb colour(mark_rank[i]) notitle
