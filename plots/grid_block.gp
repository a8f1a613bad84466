# points: 4 x, 5 gbs, 6 y (places in the order of grids and blocks, from 1), 9 configurations, 11 baselines alone; columns:
# 7 blocks_per_sm; rows: 8 block, of both 11: whether several share it; cell_marks: 3 rank, 4 x, 5 gbs, 6 y, 10 the best of
# the cell, 11 side.
load 'plots/throughput.gp'
if (!exists('cell_marks_series')) cell_marks_series = 0
# One more than there are marks: gnuplot looks at the body of a loop even when that runs no times.
cell_marks_file = cell_marks_series ? 'cell_marks.tsv' : 'points.tsv'
array cell_rank[cell_marks_series + 1]
cell_rank[cell_marks_series + 1] = 0
array cell_title[cell_marks_series + 1]
cell_title[cell_marks_series + 1] = ''
do for [i = 1:cell_marks_series] {
    stats 'cell_marks.tsv' index i - 1 using (name = strcol(2), rank = $3, best = $10, $5) nooutput name 'MARK'
    cell_rank[i] = rank
    # The number in its cell may be another's.
    cell_title[i] = sprintf('%s: %.4g %s', name[1:24], MARK_max, unit).(best > MARK_max ? sprintf(', not the fastest of its cell (%.4g)', best) : '')
}

stats 'points.tsv' using 9 nooutput name 'CONFIGURATIONS'
stats 'columns.tsv' using 11 nooutput name 'GRIDS'
stats 'rows.tsv' using 11 nooutput name 'BLOCKS'
measured_on = measured(sprintf('%d configuration%s', CONFIGURATIONS_sum, CONFIGURATIONS_sum == 1 ? '' : 's'))

about = sprintf('Grid and block: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
# Long names stand below one another.
if (cell_marks_series > 2 && !characters) { set bmargin 4.5 + cell_marks_series }
set xlabel 'grid (blocks per SM'.(GRIDS_max > 0 ? ', from)' : ')').'; pale grey: no configuration there'
set ylabel 'block (threads'.(BLOCKS_max > 0 ? ', from)' : ')')
set cblabel 'throughput of the best configuration in the cell ('.unit.')' offset 1, 0
# Among characters a name that is turned would lie across the cells.
if (characters) {
    set cblabel ''
    set xlabel 'grid (blocks per SM); in the cells the best throughput ('.unit.')'
}
# From the slowest cell with more than baselines to the fastest. Values that differ by less than one in a hundred have
# nearly one colour. (stats leaves out values beyond ranges that are set.)
least = POINTS_Y_max
stats 'points.tsv' using (least = $11 == 0 && $5 < least ? $5 : least) nooutput name 'LEAST'
low = least < 0.99 * POINTS_Y_max ? least : 0.99 * POINTS_Y_max
set xrange [0.5:columns_rows + 0.5]
set yrange [0.5:rows_rows + 0.5]
unset grid
set border 0
set tics scale 0
set object 1 rectangle from graph 0, 0 to graph 1, 1 behind fillcolor rgb '#eeeeee' fillstyle solid noborder

# Viridis: even for the eye, for colour-blind eyes, and in grey.
set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', 5 '#27ad81', \
    6 '#5cc863', 7 '#aadc32', 8 '#fde725')
set cbrange [low:POINTS_Y_max]
bright(z) = (z - low) / (POINTS_Y_max - low) > 0.55

number(z) = sprintf(z < 100 ? '%.3g' : '%.0f', z)
# Room for numbers in the cells and for the names of columns ends somewhere.
numbers = columns_rows <= 18 && rows_rows <= 16
# Where a cell of characters is no wider than its number these stand by turns higher and lower, and every other column
# has its name.
narrow = characters && text_columns - 22.0 < 7 * columns_rows
every_name = narrow ? 2 : 1 + (columns_rows - 1) / 26
high_enough = !characters || graph_rows / rows_rows >= 4
number_at(place) = narrow && high_enough ? (int(place) % 2 == 0 ? 0.27 : 0.08) : 0.22
every_row = 1 + (rows_rows - 1) / 26
if (columns_rows > 12) { set xtics rotate by 45 right }
column_name(place, value) = (int(place) - 1) % every_name == 0 ? sprintf(value < 1 ? '%.2g' : '%.4g', value) : ''
row_name(place, value) = (int(place) - 1) % every_row == 0 ? sprintf('%d', value) : ''

# Several marks may share a cell: they stand side by side in its lower part.
aside(side) = 0.28 * side

plot \
    'points.tsv' using 4:6:($4 - 0.48):($4 + 0.48):($6 - 0.48):($6 + 0.48):5 with boxxyerror \
        fillstyle solid 1 noborder linecolor palette notitle, \
    'columns.tsv' using 4:(0):xticlabels(column_name($4, $7)) with points pointtype 0 notitle, \
    'rows.tsv' using (0):6:yticlabels(row_name($6, $8)) with points pointtype 0 notitle, \
    'points.tsv' using 4:($6 + number_at($4)):(numbers && bright($5) ? number($5) : '') \
        with labels textcolor rgb dark_on_colour notitle, \
    'points.tsv' using 4:($6 + number_at($4)):(numbers && !bright($5) ? number($5) : '') \
        with labels textcolor rgb light_on_colour notitle, \
    for [i = 1:cell_marks_series] cell_marks_file index i - 1 using ($4 + aside($11)):($6 - 0.18) \
        with points pointtype shape(cell_rank[i]) pointsize 2.8 * scale linewidth 6 \
        linecolor rgb '#ffffff' notitle, \
    for [i = 1:cell_marks_series] cell_marks_file index i - 1 using ($4 + aside($11)):($6 - 0.18) \
        with points pointtype shape(cell_rank[i]) pointsize 2.4 * scale linewidth 2.5 \
        linecolor rgb colour(cell_rank[i]) title cell_title[i]
