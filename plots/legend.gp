# The legend below the axis: key_entries of at most `longest` letters, in as many columns as there is room for.
# gnuplot counts a letter wider than most are: a seventh of the letters makes up for that.
key_room = characters ? text_columns / (longest + 8) : int(1170 / (9 * longest + 55))
key_columns = key_room < 1 ? 1 : key_entries < key_room ? key_entries : key_room
key_rows = (key_entries + key_columns - 1) / key_columns
key_less = characters ? 0 : -longest / 7
set key at screen 0.5, screen 0.01 center bottom vertical Left reverse noenhanced samplen 3 width key_less maxrows key_rows
set bmargin 4.5 + key_rows
if (characters) { set ylabel offset graph 0.4, graph 0.5 + 2.3 / (text_rows - 11 - key_rows) }
