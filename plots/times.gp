# For figures of times, which load this first: nanoseconds become the unit that reads best.
time_scale(ns) = ns < 1e3 ? 1.0 : ns < 1e6 ? 1e3 : ns < 1e9 ? 1e6 : 1e9
time_unit(ns) = ns < 1e3 ? 'ns' : ns < 1e6 ? 'µs' : ns < 1e9 ? 'ms' : 's'
time_text(ns) = sprintf('%.4g ', ns / time_scale(ns)).time_unit(ns)

# A text in at most so many lines of at most `width` characters, broken at spaces where there are some.
fitting(text, width, at) = at < width / 3 ? width : text[at + 1:at + 1] eq ' ' ? at : fitting(text, width, at - 1)
unspaced(text) = text[1:1] eq ' ' ? text[2:] : text
in_lines(text, width, lines) = strlen(text) <= width ? text \
    : lines <= 1 ? text[1:width - 3].'...' \
    : text[1:fitting(text, width, width)]."\n" \
        .in_lines(unspaced(text[fitting(text, width, width) + 1:]), width, lines - 1)
