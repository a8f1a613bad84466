# The title: the finding (`conclusion`), then `about`, set by the figure: the subject and its problem; then place and
# time of the measurement, and `below`, if the figure has set it: lines of its own.
if (!exists('below')) { below = '' }
heading_font = cairo || format eq 'svg' ? 'DejaVu Sans:Bold,'.(format eq 'svg' ? '17' : format eq 'pdf' ? '18' : '13.5') : ''
heading = in_lines(conclusion, characters ? text_columns - 4 : 104, characters ? 3 : 2)
if (characters) {
    subheading = about."\n".measured_on.below
    top_lines = lines_of(heading) + lines_of(subheading) + 3
    set tmargin top_lines
    # A text that begins left of the terminal's edge would be omitted whole: these begin at the
    # edge.
    set label 9001 heading.(heading eq '' ? '' : "\n").subheading at screen 0, screen 1 left offset 1, -1 noenhanced
    graph_rows = text_rows - top_lines - 6
    set ylabel offset graph 0.4, graph 0.5 + 2.3 / graph_rows
} else {
    subheading = in_lines(about.'; '.measured_on, 150, 2).below
    # A line is so high, as a share of the figure.
    heading_line = 0.031
    heading_at = 0.968 - heading_line * lines_of(heading)
    heading_end = heading_at - 0.026 * lines_of(subheading) - 0.02
    set label 9001 heading at screen 0.012, screen 0.968 left noenhanced textcolor rgb text_colour
    if (heading_font ne '') { set label 9001 font heading_font }
    set label 9002 subheading at screen 0.012, screen heading_at left noenhanced font small_font textcolor rgb frame_colour
    set tmargin at screen heading_end
}
