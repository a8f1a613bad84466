# For figures with a series a variant (rank: 0, 1 ...; the last for 'others'), and for those with a series each
# for the winner (0), baselines (1, 2 ...) and rivals (1001 ...). points: 3 rank. Where there are marks or
# a ceiling, this comes after throughput.gp.
# Twelve variants differ in shape, and neighbours in hue: they are told apart in grey as well.
array variant_colours[13] = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xa6761d, \
    0x7b5fd0, 0x8c9400, 0xb8336a, 0x17a2a2, 0x86b84a, 0xd9a08b, 0x7f7f7f]
array variant_shapes[13] = [6, 8, 4, 10, 12, 14, 7, 9, 5, 11, 13, 15, 1]
array rival_colours[4] = [0x0072b2, 0x009e73, 0xcc79a7, 0xe69f00]
array rival_shapes[4] = [6, 12, 10, 8]
if (characters) {
    array variant_shapes[13] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', '.']
    array rival_shapes[4] = ['Q', 'R', 'S', 'T']
}
variant_colour(rank) = variant_colours[1 + (rank < 13 ? int(rank) : 12)]
variant_shape(rank) = variant_shapes[1 + (rank < 13 ? int(rank) : 12)]
is_rival(rank) = rank > 1000
rival_place(rank) = 1 + (int(rank) - 1001) % 4
mark_colour(rank) = is_rival(rank) ? rival_colours[rival_place(rank)] : colour(rank)
mark_pointtype(rank) = is_rival(rank) ? rival_shapes[rival_place(rank)] : shape(rank)
mark_dash(rank) = is_rival(rank) ? 1 : 1 + int(rank) % 5

# gnuplot opens the file of a loop even when that runs no times.
marks_file = marks_series ? 'marks.tsv' : 'points.tsv'

# Cut by characters: %.37s would cut by bytes.
shortened(name) = strlen(name) > 40 ? name[1:37].'...' : name
array series_rank[points_series]
array series_name[points_series]
# How many places of its curve a line joins.
array joined_rows[points_series]
longest = ceiling_series ? strlen(ceiling_title) : 0
do for [i = 1:points_series] {
    stats 'points.tsv' index i - 1 using (name = columnheader(2), $3) nooutput name 'RANK'
    series_rank[i] = RANK_max
    if (exists('curves_series')) {
        stats 'curves.tsv' index i - 1 using ($9 == 0 ? 1 : 0) nooutput name 'JOINED'
        joined_rows[i] = JOINED_sum
    }
    series_name[i] = shortened(name)
    longest = strlen(series_name[i]) > longest ? strlen(series_name[i]) : longest
}

if (!exists('family_series')) { family_series = 0 }
array family_name[family_series + 1]
family_name[family_series + 1] = ''
do for [i = 1:family_series] {
    stats 'family.tsv' index i - 1 using (name = columnheader(2), $3) nooutput name 'FAMILY'
    family_name[i] = shortened(name)
    longest = strlen(family_name[i]) > longest ? strlen(family_name[i]) : longest
}

key_entries = points_series + ceiling_series + family_series
load 'plots/legend.gp'
