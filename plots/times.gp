# For figures of times, which load this first: nanoseconds become the unit that reads best.
time_scale(ns) = ns < 1e3 ? 1.0 : ns < 1e6 ? 1e3 : ns < 1e9 ? 1e6 : 1e9
time_unit(ns) = ns < 1e3 ? 'ns' : ns < 1e6 ? 'µs' : ns < 1e9 ? 'ms' : 's'
time_text(ns) = sprintf('%.4g ', ns / time_scale(ns)).time_unit(ns)
