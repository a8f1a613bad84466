# What all figures share. Before this, variables.gp has set: format ('png' or 'svg'), device, date,
# problem, l2_mode, n_text, database (texts), n, and for each layer of the rows <layer>_series,
# <layer>_rows.
# All texts are drawn as they are (noenhanced): a device's name is no markup.
set encoding utf8
# The SVG terminal draws points larger than the others.
scale = format eq 'svg' ? 0.6 : 1
width = 1200
height = 760
if (format eq 'svg') {
    set terminal svg size width, height dynamic noenhanced font 'DejaVu Sans,15' background '#ffffff'
} else {
    if (strstrt(GPVAL_TERMINALS, ' pngcairo ')) {
        set terminal pngcairo size width, height noenhanced font 'DejaVu Sans,12'
    } else {
        set terminal png size width, height noenhanced font 'DejaVuSans' 12
    }
}
set output 'figure.'.format

set datafile separator tab
set datafile columnheaders

# Okabe and Ito's colours, which people with colour-blindness tell apart; each series has its own
# shape as well, for grey print. Vermilion is kept for the winner, black for the baselines.
set linetype 1 linecolor rgb '#0072b2' pointtype 6  linewidth 1.5
set linetype 2 linecolor rgb '#e69f00' pointtype 8  linewidth 1.5
set linetype 3 linecolor rgb '#009e73' pointtype 4  linewidth 1.5
set linetype 4 linecolor rgb '#cc79a7' pointtype 10 linewidth 1.5
set linetype 5 linecolor rgb '#56b4e9' pointtype 12 linewidth 1.5
set linetype 6 linecolor rgb '#7f7f7f' pointtype 1  linewidth 1.5
set linetype 7 linecolor rgb '#000000' pointtype 2  linewidth 1.5
set linetype cycle 7
winner_colour = 0xd55e00
baseline_colour = 0x000000
ceiling_colour = '#555555'
# By rank: the winner is 0; baselines follow.
array mark_shape[8] = [3, 2, 1, 14, 4, 6, 8, 10]
shape(rank) = mark_shape[1 + int(rank) % 8]
colour(rank) = rank == 0 ? winner_colour : baseline_colour

set border 3 linewidth 1 linecolor rgb '#444444'
set tics nomirror out
set grid linecolor rgb '#dddddd' linewidth 1 linetype 1
set errorbars 0
set key at screen 0.5, screen 0.01 center bottom horizontal Left reverse noenhanced samplen 2.5 \
    width 3 maxrows 2
set bmargin 6.5
set title noenhanced
measured_on = sprintf('%s, %s, L2 %s', device, date, l2_mode).(database eq '' ? '' : ', '.database)

# Layers that the rows may lack.
if (!exists('marks_series')) marks_series = 0
if (!exists('ceiling_series')) ceiling_series = 0
