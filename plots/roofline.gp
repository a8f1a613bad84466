# points: 3 rank, 4 intensity, 5 gops, 6 and 7 low and high, 12 is_chosen; marks: those of the chosen
# problem, 8 the roof above them; names: 4 intensity, 5 gops, 10 problems; memory: 3 rank (0: the chosen
# problem's), 5 gbs; arithmetic: 5 gops, of the type that the chosen problem computes with.
about = sprintf('Roofline: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
load 'plots/times.gp'
if (!exists('memory_series')) memory_series = 0
if (!exists('arithmetic_series')) arithmetic_series = 0
names_known = exists('names_rows')
if (!names_known || characters) names_rows = 0
stats 'points.tsv' using 4 nooutput name 'X'
stats 'points.tsv' using 5 nooutput name 'Y'
array mark_rank[marks_series + 1]
mark_rank[marks_series + 1] = 0
array slant_gbs[memory_series + 1]
array slant_rank[memory_series + 1]
array slant_name[memory_series + 1]
slant_gbs[memory_series + 1] = 1
slant_rank[memory_series + 1] = 1
slant_name[memory_series + 1] = ''

rate(gops) = gops < 1e3 ? sprintf('%.4g Gop/s', gops) : sprintf('%.4g Top/s', gops / 1e3)

# More names than there is room for in three lines have one each.
many = 3 * marks_series > 22

gbs = 0
# The ridge is that of the ceiling the chosen problem is held against.
own_gbs = 0
do for [i = 1:memory_series] {
    stats 'memory.tsv' index i - 1 using (name = strcol(2), rank = $3, $5) nooutput name 'MEMORY'
    slant_gbs[i] = MEMORY_max
    slant_rank[i] = rank
    slant_name[i] = sprintf('%s: %.4g GB/s', name, MEMORY_max)
    gbs = MEMORY_max > gbs ? MEMORY_max : gbs
    own_gbs = rank == 0 ? MEMORY_max : own_gbs
}
top = Y_max
bottom = Y_min
flat_gops = 0
flat_name = ''
if (arithmetic_series) {
    stats 'arithmetic.tsv' using (name = strcol(2), $5) nooutput name 'FLAT'
    flat_gops = FLAT_max
    flat_name = name[1:16].' peak: '.rate(flat_gops).(own_gbs > 0 ? sprintf(" (ridge at %.3g op/byte)", flat_gops / own_gbs) : "")
    top = flat_gops > top ? flat_gops : top
}
slants = memory_series
margin_count = marks_series
array margin_text[margin_count + 1]
array margin_lines[margin_count + 1]
array margin_colour[margin_count + 1]
array margin_x[margin_count + 1]
array margin_y[margin_count + 1]
array margin_at[margin_count + 1]
do for [i = 1:marks_series] {
    stats 'marks.tsv' index i - 1 \
        using (name = strcol(2), rank = $3, x = $4, roof = number_or(8, NaN), $5) nooutput name 'MARK'
    mark_rank[i] = rank
    margin_text[i] = many ? sprintf('%.14s ', name).rate(MARK_max) : sprintf("%.24s\n", name).rate(MARK_max) \
        .(roof == roof ? sprintf("\n%.3g %% of its roof", 100 * MARK_max / roof) : '')
    margin_lines[i] = many ? 1 : 3
    margin_colour[i] = colour(rank)
    margin_x[i] = x
    margin_y[i] = MARK_max
}
# The axis reaches the ridge, where the memory's line meets the peak, with some room beside it.
left = X_min / 3
right = X_max * 3
if (own_gbs > 0 && arithmetic_series) {
    ridge = flat_gops / own_gbs
    left = ridge / 3 < left ? ridge / 3 : left
    right = ridge * 3 > right ? ridge * 3 : right
}
if (slants && !arithmetic_series) { top = gbs * right > top ? gbs * right : top }
if (slants) { bottom = gbs * left < bottom ? gbs * left : bottom }
bottom = bottom / 1.5
top = top * 1.5
do for [i = 1:margin_count] {
    margin_at[i] = log(margin_y[i] / bottom) / log(top / bottom)
}
key_rows = memory_series + arithmetic_series + (names_known ? 1 : 0)
if (key_rows > 2 || characters) {
    set key vertical maxrows key_rows
    set bmargin 4.5 + key_rows
}
if (characters) {
    graph_rows = text_rows - top_lines - 5 - key_rows
    set ylabel offset graph 0.4, graph 0.5 + 2.3 / graph_rows
}
load 'plots/margin.gp'

set xlabel 'operations per byte that must be moved'
set ylabel '10^9 operations/s'.(characters ? ', median' : ' (Gop/s), median ± median absolute deviation')
set logscale xy
set xrange [left:right]
set yrange [bottom:top]
set format x '%g'
set format y '%g'
# Few decades: names for 2 and 5 in each as well.
do for [k = -12:12] {
    if (right / left < 300) { set xtics add (sprintf('%g', 2 * 10.0**k) 2 * 10.0**k, sprintf('%g', 5 * 10.0**k) 5 * 10.0**k) }
    if (top / bottom < 300) { set ytics add (sprintf('%g', 2 * 10.0**k) 2 * 10.0**k, sprintf('%g', 5 * 10.0**k) 5 * 10.0**k) }
}
# gnuplot looks into the file of a loop even when that runs no times.
marks_file = marks_series ? 'marks.tsv' : 'points.tsv'
names_file = names_rows ? 'names.tsv' : 'points.tsv'
# Both begin and end where they meet.
upto(x, most) = x < most ? x : most
most_gops = arithmetic_series ? flat_gops : top
plot \
    for [i = 1:slants] '+' \
        using (upto($1, most_gops / slant_gbs[i])):(slant_gbs[i] * upto($1, most_gops / slant_gbs[i])) with lines \
        linewidth (slant_rank[i] == 0 ? 2.5 : 1.2) dashtype 1 + 2 * (slant_rank[i] != 0) \
        linecolor rgb ceiling_colour title slant_name[i], \
    for [i = 1:arithmetic_series] '+' \
        using (gbs > 0 && $1 * gbs < flat_gops ? flat_gops / gbs : $1):(flat_gops) with lines \
        linewidth 2.5 linecolor rgb ceiling_colour title flat_name, \
    'points.tsv' using ($12 == 0 ? $4 : NaN):5 with points pointtype (characters ? 'o' : 6) pointsize 1.1 * scale \
        linewidth 1 linecolor rgb series_colour[6] title (names_known ? 'other problems, at this n or their largest' : ''), \
    for [i = 1:names_rows > 0] names_file \
        using 4:($5 * 1.4):(in_lines(strcol(10), 48, 1)) \
        with labels rotate by 90 left font small_font textcolor rgb frame_colour notitle, \
    for [i = 1:marks_series] marks_file index i - 1 using 4:5:6:7 with yerrorbars \
        pointtype shape(mark_rank[i]) pointsize 2.4 * scale linewidth 2.5 \
        linecolor rgb colour(mark_rank[i]) notitle
