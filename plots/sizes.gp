# For figures by size: the axis of n, of which the smallest and largest are size_low and size_high.
# Powers of two are named as such when those are the sizes, else powers of ten.
set logscale x 2
set xrange [size_low / 1.5:size_high * 1.5]
size_octaves = log(size_high / size_low) / log(2)
size_step = size_octaves > 12 ? 2 : 1
set xtics ()
do for [k = 0:62:size_step] {
    set xtics add ((k < 10 ? sprintf('%.0f', 2.0**k) : sprintf('%.0f %si', 2.0**(k % 10), substr('KMGTPE', k / 10, k / 10))) 2.0**k)
}
set xlabel 'n (elements; Ki, Mi, Gi: 2^10, 2^20, 2^30)'
