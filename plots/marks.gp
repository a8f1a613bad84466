# Names each row of the layer marks in the right margin at its height, with a line to it. Before this the figure
# has defined beside(x, shift), the place of a point, and the axis is that of share_of_height. marks: 3 rank, 4 x,
# 5 gbs, 8 shift. Names come out of the data as values, so that no part of one is ever read as a command.
# One more
# than the number of marks: gnuplot looks at the body of a loop even if it runs no times.
margin_count = marks_series
array mark_rank[marks_series + 1]
mark_rank[marks_series + 1] = 0
array margin_text[marks_series + 1]
array margin_lines[marks_series + 1]
array margin_colour[marks_series + 1]
array margin_x[marks_series + 1]
array margin_y[marks_series + 1]
array margin_at[marks_series + 1]
mark_width = 14
do for [i = 1:marks_series] {
    stats 'marks.tsv' index i - 1 using (name = strcol(2), rank = $3, x = beside($4, $8), $5) nooutput name 'MARK'
    # Cut by characters: %.24s would cut by bytes.
    name = name[1:characters ? 16 : 24]
    mark_width = strlen(name) > mark_width ? strlen(name) : mark_width
    mark_rank[i] = rank
    margin_text[i] = sprintf("%s\n%.4g %s", name, MARK_max, unit)
    margin_lines[i] = 2
    margin_colour[i] = colour(rank)
    margin_x[i] = x
    margin_y[i] = drawn_at(MARK_max)
    margin_at[i] = share_of_height(MARK_max)
}
load 'plots/margin.gp'
if (marks_series) { set rmargin mark_width + 4 }
