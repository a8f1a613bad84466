# points: 3 rank, 4 occupancy_percent, 5 gbs, 6 low_gbs, 7 high_gbs, 8 shift_percent, 9 covered; marks likewise.
# Many points have one and the same occupancy: each series stands a little beside the others.
about = sprintf('Occupancy and throughput: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
load 'plots/throughput.gp'
load 'plots/linear.gp'
load 'plots/series.gp'
beside(x, shift) = x + shift
load 'plots/marks.gp'

set xlabel 'theoretical occupancy (%)'.(characters ? '; letters: the best at each; dots: the others' \
    : '; points: every launch, at the left of its occupancy; lines: the best of several there').notes
set ylabel throughput_label
set xrange [0:103]
set xtics 12.5

# Above the axes how much each limit of an SM would allow of the winner's launch, and its own as a line through both.
if (exists('limits_series') && !characters) {
    stats 'limits.tsv' using 4 nooutput name 'ALLOWED'
    if (mark_width < 22) { set rmargin 26 }
    set tmargin at screen heading_end - 0.026 * (limits_series + 1.3)
    set label 1101 'occupancy that each limit would allow the winner (line: its own)' at first 0, screen heading_end - 0.005 left \
        font small_font textcolor rgb frame_colour
    do for [i = 1:limits_series] {
        stats 'limits.tsv' index i - 1 using (name = columnheader(2), $4) nooutput name 'LIMIT'
        place = heading_end - 0.005 - 0.026 * i
        set arrow 1100 + i from first 0, screen place to first LIMIT_max, screen place nohead linewidth 5 \
            linecolor rgb (LIMIT_max == ALLOWED_min && LIMIT_max < 100 ? winner_colour : 0x7f7f7f)
        set label 1101 + i sprintf('%s: %.3g %%', name, LIMIT_max) at graph 1.03, screen place left noenhanced font small_font \
            textcolor rgb frame_colour
    }
    set arrow 1110 from first ALLOWED_min, graph 0 to first ALLOWED_min, screen heading_end - 0.012 nohead linewidth 1.5 \
        dashtype 3 linecolor rgb winner_colour
}
load 'plots/points.gp'
