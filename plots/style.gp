# Shared by all figures. Before this, variables.gp has set: format ('png', 'svg', 'pdf' or 'terminal'),
# device, date, problem, l2_mode, n_text, database (texts), n, text_columns, text_rows, text_colours (of a
# terminal), and for each layer of the rows <layer>_series, <layer>_rows. First the features that this
# gnuplot lacks, in words that an old one knows: `tune plot` reads these lines.
if (GPVAL_VERSION < 5.4) print sprintf('tune old: gnuplot 5.4 or later is needed, and this is %.1f: install a newer one, or use --data', GPVAL_VERSION); set terminal unknown; exit status 1
wanted = format eq 'pdf' ? 'pdfcairo' : format eq 'terminal' ? 'dumb' : format
if (!strstrt(GPVAL_TERMINALS, ' '.wanted) && !strstrt(GPVAL_TERMINALS, ' '.wanted.'cairo ')) {
    print 'tune lacks: this gnuplot was built without '.wanted.': --format '.format.' needs it'
    exit status 1
}

# All texts are drawn as they are (noenhanced): a device's name is no markup.
set encoding utf8
characters = format eq 'terminal'
# The SVG terminal draws points larger than the others, and PDF counts in points of a page.
scale = format eq 'svg' ? 0.6 : format eq 'pdf' ? 0.65 : 1
small_font = format eq 'svg' ? ',12.5' : format eq 'pdf' ? ',13.5' : ',10'
width = 1200
height = 760
if (format eq 'svg') {
    set terminal svg size width, height dynamic noenhanced font 'DejaVu Sans,15' background '#ffffff'
}
# Without a font cairo omits all texts: then a left margin of 5 letters has no width.
cairo = format eq 'pdf' || (format eq 'png' && strstrt(GPVAL_TERMINALS, ' pngcairo '))
if (cairo) {
    set terminal pngcairo size 200, 200 font 'DejaVu Sans,12'
    set output '/dev/null'
    set lmargin 5
    plot [0:1][0:1] 0 notitle
    unset lmargin
    cairo = GPVAL_TERM_XMIN > 5
    if (!cairo && (format eq 'pdf' || !strstrt(GPVAL_TERMINALS, ' png '))) {
        print 'tune lacks: no font is found for --format '.format.': apt-get install fonts-dejavu-core, or use svg'
        exit status 1
    }
}
if (format eq 'pdf') {
    set terminal pdfcairo size 28cm, 17.7cm noenhanced fontscale 0.5 font 'DejaVu Sans,16' \
        linewidth 1 background '#ffffff'
}
if (format eq 'png') {
    if (cairo) {
        set terminal pngcairo size width, height noenhanced font 'DejaVu Sans,12' background '#ffffff'
    } else {
        # This terminal has letters of its own without a font.
        set terminal png size width, height noenhanced font 'DejaVuSans' 12 background '#ffffff'
    }
}
if (characters) {
    if (text_colours) {
        set terminal dumb size text_columns, text_rows ansi256 noenhanced
    } else {
        set terminal dumb size text_columns, text_rows mono noenhanced
    }
}
set output 'figure.'.format

set datafile separator tab
set datafile columnheaders

# All greys: a page that shows the SVG may replace them (README.md). Texts on a colour have their
# own, which stay.
paper_colour = '#ffffff'
text_colour = '#000000'
frame_colour = '#444444'
grid_colour = '#dddddd'
dark_on_colour = '#0a0a0a'
light_on_colour = '#fafafa'

# Okabe and Ito's colours, which people with colour-blindness tell apart; each series has its own
# shape as well, for grey print. Vermilion is kept for the winner, black for the baselines.
array series_colour[7] = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#7f7f7f', '#000000']
array series_shape[7] = [6, 8, 4, 10, 12, 1, 2]
# By rank: the winner is 0; baselines follow. Two of them at one place are no star.
array mark_shape[8] = [3, 2, 4, 14, 1, 6, 8, 10]
if (characters) {
    # Other numbers are drawn as capital letters from A.
    array series_shape[7] = ['o', '+', 'x', 'a', 'c', 's', 'z']
    array mark_shape[8] = ['W', '1', '2', '3', '4', '5', '6', '7']
}
do for [i = 1:7] {
    set linetype i linecolor rgb series_colour[i] pointtype series_shape[i] linewidth 1.5
}
set linetype cycle 7
winner_colour = 0xd55e00
baseline_colour = 0x000000
ceiling_colour = '#555555'
shape(rank) = mark_shape[1 + int(rank) % 8]
colour(rank) = rank == 0 ? winner_colour : baseline_colour

set border 3 linewidth 1 linecolor rgb frame_colour
set tics nomirror out
set tics textcolor rgb text_colour
set grid linecolor rgb grid_colour linewidth 1 linetype 1
set errorbars 0
set key at screen 0.5, screen 0.01 center bottom horizontal Left reverse noenhanced samplen 2.5 \
    width 3 maxrows 2
set bmargin 6.5
set title noenhanced
if (characters) {
    # A grid is as loud as the points there, and the name of the vertical axis cannot be turned: it stands
    # above the axis, below the title. graph_rows: lines between the axis and that.
    unset grid
    set bmargin 6
    set title offset 0, 2
    top_lines = 6
    graph_rows = text_rows - top_lines - 6
    set ylabel offset graph 0.4, graph 0.5 + 2.3 / graph_rows
}
# Long names are cut, by characters. The second line of a figure becomes two if a terminal is too narrow;
# `count` gives the number of measured things, mostly points.
cut(text, most) = strlen(text) > most ? text[1:most - 3].'...' : text
problem = cut(problem, characters ? text_columns - 40 : 70)
device = cut(device, characters ? text_columns - 16 : 70)
database = cut(database, 40)
is_long(text) = characters && strlen(text) > text_columns - 4
sample_of = ''
if (exists("whole_rows")) { stats 'whole.tsv' using 3 name 'WHOLE' nooutput; sample_of = sprintf(' of %.0f trials', WHOLE_max) }
measured(count) = device.', '.date.(is_long(device.date.l2_mode.count.database.'____________') ? "\n" : ', ') \
    .'L2 '.l2_mode.', '.count.sample_of.(database eq '' ? '' : ', '.database)
measured_on = measured(points_rows == 1 ? '1 point' : sprintf('%d points', points_rows))
if (characters) { set tmargin strstrt(measured_on, "\n") ? 7 : top_lines }
# The finding, from the layer `conclusion`: the first line of the title (heading.gp).
conclusion = ''
if (exists("conclusion_rows")) { stats 'conclusion.tsv' using (conclusion = strcol(2), $3) nooutput name 'CONCLUSION' }

# A text in at most so many lines of at most `width` characters, broken at spaces where there are some.
fitting(text, width, at) = at < width / 3 ? width : text[at + 1:at + 1] eq ' ' ? at : fitting(text, width, at - 1)
unspaced(text) = text[1:1] eq ' ' ? text[2:] : text
in_lines(text, width, lines) = strlen(text) <= width ? text \
    : lines <= 1 ? text[1:width - 3].'...' \
    : text[1:fitting(text, width, width)]."\n" \
        .in_lines(unspaced(text[fitting(text, width, width) + 1:]), width, lines - 1)
lines_of(text) = text eq '' ? 0 : 1 + (strstrt(text, "\n") ? lines_of(text[strstrt(text, "\n") + 1:]) : 0)

# A column that may be empty, as a number. Always by a function: gnuplot 6 omits a row as soon as the
# expression after `using` itself has an empty column in it, whatever valid() returns.
number_or(c, otherwise) = valid(c) ? column(c) : otherwise

# Layers that the rows may lack.
if (!exists('marks_series')) marks_series = 0
if (!exists('ceiling_series')) ceiling_series = 0
