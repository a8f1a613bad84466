# Names each row of the layer marks in the right margin at its height, with a line to it. Before this
# the figure has defined beside(x, side): where a point of the series number `side` (from 0) is drawn.
# marks: 3 rank, 4 x, 5 gbs, 8 side. Names come out of the data as values, so that nothing in one is
# ever read as a command.
# One more than there are marks: gnuplot looks at the body of a loop even when that runs no times.
array mark_rank[marks_series + 1]
mark_rank[marks_series + 1] = 0
array mark_x[marks_series + 1]
array mark_y[marks_series + 1]
array mark_name[marks_series + 1]
array placed[marks_series + 1]
do for [i = 1:marks_series] {
    stats 'marks.tsv' index i - 1 using (name = strcol(2), rank = $3, x = beside($4, $8), $5) nooutput name 'MARK'
    mark_name[i] = name
    mark_rank[i] = rank
    mark_x[i] = x
    mark_y[i] = MARK_max
    placed[i] = 0
}
mark_width = 0
# From the top down, each at least `apart` below the one before.
apart = (characters ? 2.4 / (text_rows - 12) : format eq 'svg' ? 0.095 : 0.08) * top
limit = 1.05 * top
do for [place = 1:marks_series] {
    next = 0
    do for [i = 1:marks_series] {
        if (!placed[i] && (next == 0 || mark_y[i] > mark_y[next == 0 ? i : next])) { next = i }
    }
    placed[next] = 1
    y = mark_y[next] < limit ? mark_y[next] : limit
    limit = y - apart
    # Cut by characters: %.24s would cut by bytes.
    name = mark_name[next]
    name = name[1:characters ? 16 : 24]
    set label next sprintf("%s\n%.4g %s", name, mark_y[next], unit) noenhanced left \
        at graph 1.03, first y textcolor rgb colour(mark_rank[next])
    if (!characters) {
        set arrow next from first mark_x[next], first mark_y[next] to graph 1.02, first y nohead \
            linewidth 1 dashtype (2, 5) linecolor rgb colour(mark_rank[next]) back
    }
    letters = strlen(name) > 14 ? strlen(name) : 14
    mark_width = letters > mark_width ? letters : mark_width
    set rmargin mark_width + 4
}
