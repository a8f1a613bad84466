# points: 4 row, 6 loss without the winner's value, 7 levels, 8 configurations, 9 parameter, 10 the winner's value; values: 3 rank (0: the
# winner's), 4 row, 6 loss, 10 value; left_out: 4 count.
rows = points_rows
stats 'points.tsv' using (number_or(6, 0)) nooutput name 'COST'
stats 'points.tsv' using 8 nooutput name 'TRIED'
stats 'values.tsv' using 6 nooutput name 'LOSS'
most = COST_max > 0.02 ? COST_max : 0.02
left_out = 0
if (exists('left_out_rows')) {
    stats 'left_out.tsv' using 4 nooutput name 'LEFT_OUT'
    left_out = int(LEFT_OUT_max)
}
about = sprintf('Influence of parameters: %s, n = %s', problem, n_text)
measured_on = measured(sprintf('%d configurations', TRIED_max))
load 'plots/heading.gp'

# Left: the cost of leaving the winner's value, which stands with the name.
set yrange [rows + 0.6:0.3]
set ytics scale 0
set grid noytics
set border 3
set format x '%g %%'
named(parameter, value) = sprintf('%.20s = %.16s', parameter, value)
label_of(c) = valid(c) ? sprintf('%.3g %%', 100 * column(c)) : 'not known'
set xlabel "how much slower the fastest launch without that value is\nthan the fastest of all, each timed once, in the sweep" \
    .(left_out ? sprintf("\nparameters that cost less: %d", left_out) : '')
set xrange [0:125 * most]
set xtics most > 20 ? 1000 : most > 6 ? 500 : most > 2 ? 100 : most > 1 ? 50 : most > 0.6 ? 20 : most > 0.25 ? 10 : most > 0.12 ? 5 : most > 0.06 ? 2 : 1
if (!characters) {
    set multiplot
    set lmargin at screen 0.23
    set rmargin at screen 0.50
    set tmargin at screen heading_end - 0.02
    set bmargin at screen 0.2
}
plot \
    'points.tsv' \
        using (0):4:(0):(100 * number_or(6, 0)):($4 - 0.25):($4 + 0.25):yticlabels(named(strcol(9), strcol(10))) \
        with boxxyerror fillstyle solid 0.85 noborder linecolor rgb series_colour[1] notitle, \
    'points.tsv' using (100 * number_or(6, 0)):4:(label_of(6)) \
        with labels left offset (characters ? 2 : 0.7), 0 notitle

# Right: the cost of other values. Losses are even below half a percent and logarithmic above.
place(loss) = asinh(loss / 0.005)
widest = place(LOSS_max) > 2 ? place(LOSS_max) : 2

# Names of values stand above their points, in as many heights as a row has room for; where there is
# none, the point stays without.
lift = (format eq 'svg' ? 0.036 : 0.032) * (rows + 0.3)
heights = 0.88 / lift - 0.25
row_now = 0
end_1 = end_2 = end_3 = -1
room(x, name) = x + widest * 0.0185 * (strlen(name) + 1)
start(row) = row == row_now ? 0 : (row_now = row, end_1 = -1, end_2 = -1, end_3 = -1, 0)
height(x, name) = x >= end_1 ? (end_1 = room(x, name), 1) \
    : heights >= 2 && x >= end_2 ? (end_2 = room(x, name), 2) \
    : heights >= 3 && x >= end_3 ? (end_3 = room(x, name), 3) : 0
short(name) = name[1:14]
at(row, x, name) = (start(row), up = height(x, short(name)), up > 0 ? row - lift * (up - 0.25) : NaN)
if (!characters) {
    unset label 9001
    unset label 9002
    set lmargin at screen 0.53
    set rmargin at screen 0.97
    set xrange [-0.03 * widest:1.16 * widest]
    unset ytics
    set format x
    set xtics ('0' 0)
    do for [share in '0.003 0.01 0.03 0.1 0.3'] {
        if (place(share) > 0.11 * widest) { set xtics add (sprintf('+%g %%%%', 100 * share) place(share)) }
    }
    do for [ratio in '2 5 10 30 100 1000 10000'] {
        set xtics add (sprintf('%g x', ratio + 0) place(ratio - 1))
    }
    set xlabel "time of the best configuration with that value:\nslower than the best of all (in the sweep)"
    plot \
        'points.tsv' using (0):4:(1.13 * widest):(0) with vectors nohead linewidth 1 linecolor rgb grid_colour notitle, \
        'values.tsv' using (place($6)):($3 == 0 ? NaN : $4) with points linetype 1 pointsize 1.2 * scale \
            linewidth 2 title 'another value', \
        'values.tsv' using (place($6)):($3 == 0 ? $4 : NaN) with points pointtype shape(0) \
            pointsize 1.8 * scale linewidth 2 linecolor rgb winner_colour title 'the value of the winner', \
        'values.tsv' using (place($6)):(at($4, place($6), strcol(10))):(short(strcol(10))) \
            with labels left font small_font notitle
    unset multiplot
}
