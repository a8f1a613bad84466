# For figures by size: the axis of n. Before this: stats of n by the name SIZE.
set logscale x 2
set xrange [SIZE_min / 1.5:SIZE_max * 1.5]
set xtics ()
do for [k = 0:62:(SIZE_max / SIZE_min > 4096 ? 2 : 1)] {
    set xtics add (sprintf('%.0f', 2.0**(k % 10)).(k < 10 ? '' : ' '.substr('KMGTPE', k / 10, k / 10).'i') 2.0**k)
}
set xlabel 'n (elements; Ki, Mi, Gi: 2^10, 2^20, 2^30)'
