# Names things in the right margin at their heights, each with a line to it if margin_x is known (not
# among characters, which the line would cover). Before this: margin_count and the arrays
# margin_text, margin_lines (of the text), margin_colour, margin_x, margin_y (the thing's place),
# margin_at (its height as a share of the graph's), each one longer than margin_count. From the top
# down, each below the one before; a name pushed off the bottom lifts those above it.
line_share = characters ? 1.0 / graph_rows : format eq 'png' ? 0.036 : 0.043
array margin_order[margin_count + 1]
array margin_taken[margin_count + 1]
array margin_place[margin_count + 1]
do for [i = 1:margin_count] { margin_taken[i] = 0 }
limit = 1.03
do for [place = 1:margin_count] {
    next = 0
    do for [i = 1:margin_count] {
        if (!margin_taken[i] && (next == 0 || margin_at[i] > margin_at[next == 0 ? i : next])) { next = i }
    }
    margin_taken[next] = 1
    margin_order[place] = next
    margin_place[next] = margin_at[next] < limit ? margin_at[next] : limit
    limit = margin_place[next] - line_share * (margin_lines[next] + 0.4)
}
lowest = 0.0
do for [back = 1:margin_count] {
    next = margin_order[margin_count + 1 - back]
    least = lowest + line_share * (margin_lines[next] - 1)
    if (margin_place[next] < least) { margin_place[next] = least }
    lowest = margin_place[next] + 1.4 * line_share
}
do for [i = 1:margin_count] {
    set label i margin_text[i] noenhanced left at graph 1.03, graph margin_place[i] \
        textcolor rgb margin_colour[i]
    if (!characters && margin_x[i] == margin_x[i]) {
        set arrow i from first margin_x[i], first margin_y[i] to graph 1.02, graph margin_place[i] nohead \
            linewidth 1 dashtype (2, 5) linecolor rgb margin_colour[i] back
    }
    set rmargin characters ? 26 : 28
}
