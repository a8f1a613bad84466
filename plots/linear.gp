# For figures of throughput with an axis from 0, after throughput.gp: a ceiling far above the points would press them
# flat, so it is named in the legend alone.
if (ceiling_series && ceiling_gbs > 4 * POINTS_Y_max) {
    top = POINTS_Y_max
    ceiling_title = ceiling_title.', above the figure'
}
