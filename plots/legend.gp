# The legend below the axis: key_entries of at most `longest` letters, in as many columns as there is room for.
# gnuplot counts a letter wider than most are: a seventh of the letters makes up for that.
key_room = characters ? text_columns / (longest + 8) : int(1170 / (9 * longest + 55))
key_columns = key_room < 1 ? 1 : key_entries < key_room ? key_entries : key_room
key_rows = (key_entries + key_columns - 1) / key_columns
key_less = characters ? 0 : -longest / 7
set key at screen 0.5, screen 0.01 center bottom vertical Left reverse noenhanced samplen 3 width key_less maxrows key_rows
if (!exists('note_lines')) { note_lines = 0 }
set bmargin 4.5 + key_rows + note_lines
if (characters) {
    graph_rows = text_rows - top_lines - 5 - key_rows - note_lines
    set ylabel offset graph 0.4, graph 0.5 + 2.3 / graph_rows
}
