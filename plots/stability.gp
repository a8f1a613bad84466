# points: 4 seconds, 5 and 6 anchor_first_percent and anchor_last_percent, 7 sm_clock_mhz,
# 8 memory_clock_mhz, 9 temperature_c, 10 power_w; faults: likewise; processes: 3 rank, 4 from, 15 to.
if (!exists('faults_series')) faults_series = 0

# Panels from the top: the anchor, then the device's own readings; missing ones have no panel.
array quantity[6] = ["anchor:\noff its\nmedian (%)", '', "core clock\n(MHz)", "memory clock\n(MHz)", \
    "temperature\n(°C)", "power\n(W)"]
array one_line[6] = ['anchor: off its median (%)', '', 'core clock (MHz)', 'memory clock (MHz)', \
    'temperature (°C)', 'power (W)']
array panel_column[6]
array panel_low[6]
array panel_high[6]
panels = 0
do for [c in '5 7 8 9 10'] {
    c = c + 0
    stats 'points.tsv' using (valid(c) ? 1 : 0) nooutput name 'KNOWN'
    if (KNOWN_sum > 0) {
        stats 'points.tsv' using c nooutput name 'PANEL'
        panels = panels + 1
        panel_column[panels] = c
        panel_low[panels] = PANEL_min
        panel_high[panels] = PANEL_max
    }
}
stats 'points.tsv' using (valid(6) ? 1 : 0) nooutput name 'KNOWN'
last_known = KNOWN_sum > 0
if (panel_column[1] == 5 && last_known) {
    stats 'points.tsv' using 6 nooutput name 'LAST'
    if (LAST_min < panel_low[1]) { panel_low[1] = LAST_min }
    if (LAST_max > panel_high[1]) { panel_high[1] = LAST_max }
}
# Where race and confirmation were, and each process of it began.
array stage_name[processes_series + 1]
array stage_from[processes_series + 1]
array stage_to[processes_series + 1]
array begin[processes_rows + 1]
known = 0
do for [i = 1:processes_series] {
    stats 'processes.tsv' index i - 1 using (known = known + 1, begin[known] = $4, name = strcol(2), $4) nooutput name 'FROM'
    stats 'processes.tsv' index i - 1 using 15 nooutput name 'TO'
    stage_name[i] = FROM_records > 1 ? sprintf('%s: %d processes', name, FROM_records) : name
    stage_from[i] = FROM_min
    stage_to[i] = TO_max
}
end = stage_to[processes_series]
if (end <= 0) { end = 1e-3 }

about = sprintf('Stability over rounds: %s, n = %s', problem, n_text)
load 'plots/heading.gp'
note = 'time in rounds (s); time between processes is cut out'.(characters ? '' : ' (dotted: one begins)')
set xrange [0:1.005 * end]
round_step(x) = decade(x) * (x > 5 * decade(x) ? 10 : x > 4 * decade(x) ? 5 : x > 2 * decade(x) ? 4 : x > decade(x) ? 2 : 1)
decade(x) = 10 ** floor(log10(x))
if (characters) {
    panels = 1
} else {
    set multiplot
    set lmargin at screen 0.17
    set rmargin at screen 0.97
    unset key
}
# gnuplot looks into the file of a loop even when that runs no times.
faults_file = faults_series ? 'faults.tsv' : 'points.tsv'
tall = panel_column[1] == 5 ? 2.0 : 1.0
ceil_of_panel = characters ? 0 : heading_end - 0.03
share = (ceil_of_panel - 0.16) / (panels - 1 + tall)
do for [p = 1:panels] {
    c = panel_column[p]
    spread = panel_high[p] - panel_low[p]
    # A quantity that hardly moves is not blown up until it seems to.
    least = c == 5 ? 0.2 : c == 9 ? 4 : 0.02 * panel_high[p]
    spread = spread > least ? spread : least
    if (spread <= 0) { spread = 1 }
    middle = (panel_high[p] + panel_low[p]) / 2
    low = middle - 0.6 * spread
    high = middle + 0.6 * spread
    set yrange [low:high]
    set ytics autofreq
    if (!characters) {
        size_of_panel = share * (c == 5 ? tall : 1)
        set tmargin at screen ceil_of_panel
        set bmargin at screen ceil_of_panel - size_of_panel + 0.02
        ceil_of_panel = ceil_of_panel - size_of_panel
        step = round_step(spread / (c == 5 ? 4 : 2.5))
        # One number alone is no scale.
        if (floor(high / step) - ceil(low / step) < 1) { step = 0.5 * step }
        set ytics step
    }
    if (characters) { set ylabel one_line[c - 4] } else {
        set label 50 quantity[c - 4] at screen 0.012, graph 0.5 left offset 0, 0.5 textcolor rgb text_colour
    }
    # Among characters such lines would hide their neighbours.
    do for [i = 1:characters ? 0 : known] {
        set arrow i from first begin[i], graph 0 to first begin[i], graph 1 nohead dashtype 3 linewidth 1 \
            linecolor rgb frame_colour back
    }
    if (p == 1 && !characters) {
        do for [i = 1:processes_series] {
            set label 1 + i stage_name[i] at first (stage_from[i] + stage_to[i]) / 2, graph 1.06 center \
                textcolor rgb frame_colour
        }
    } else {
        if (p > 1) {
            unset label 9001
            unset label 9002
        }
        do for [i = 1:processes_series] { unset label 1 + i }
    }
    if (p == panels) {
        set xlabel note
        set format x '%g'
    } else {
        set format x ''
    }
    if (c == 5) {
        if (!characters) {
            set key at screen 0.5, screen 0.01 center bottom horizontal Left reverse noenhanced samplen 2.5 \
                width 3 maxrows 2
        }
        plot \
            for [i = 1:faults_series] faults_file index i - 1 using 4:(low):(0):(high - low) with vectors nohead \
                linewidth 3 linecolor rgb grid_colour notitle, \
            for [i = 0:last_known] 'points.tsv' using 4:(column(5 + i)) with points linetype 1 + i \
                pointtype series_shape[1 + i] pointsize 0.8 * scale \
                title i == 0 ? 'at the beginning of the round' : 'at its end', \
            for [i = 1:faults_series] faults_file index i - 1 using 4:5 with points \
                pointtype (characters ? 'X' : mark_shape[1 + i]) \
                pointsize 1.8 * scale linewidth 2 linecolor rgb text_colour title columnheader(2)
        unset key
    } else {
        plot \
            for [i = 1:faults_series] faults_file index i - 1 using 4:(low):(0):(high - low) with vectors nohead \
                linewidth 3 linecolor rgb grid_colour notitle, \
            'points.tsv' using 4:(column(c)) with points linetype 1 \
                pointtype (characters ? 'o' : 7) pointsize 0.5 * scale notitle
    }
}
if (!characters) { unset multiplot }
