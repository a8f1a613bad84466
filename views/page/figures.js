'use strict';
// The figures of the chosen problem. Each is {title, body, redraw}: drawn anew when the problem, the colours or the
// selection change; a ring follows what is hovered.
const FIGURE_HEIGHT = 250;
const NEAR_ENOUGH = 26;

// A point in words.
const constantNames = (problem) => problem.part.parameters.filter(({ name }) =>
  new Set(problem.points.order.map((i) => problem.points.parameters[name][i])).size < 2).map(({ name }) => name);
const describe = (problem, i) => {
  const { points } = problem;
  const constant = new Set(constantNames(problem));
  const winner = problem.winner;
  const rows = problem.part.parameters.filter(({ name }) => !constant.has(name) && points.parameters[name][i] !== null)
    .map(({ name }) => [name, points.parameters[name][i]]);
  const mark = problem.marks.filter((own) => own.point === i).map((own) => own.name);
  const facts = [];
  if (mark.length > 0) facts.push(['is', mark.join(', ')]);
  if (points.time_ns[i] !== null) {
    facts.push(['time', shownTime(points.time_ns[i]) + (points.mad_ns[i] !== null ? ` \u00b1 ${shownPercent(100 * points.mad_ns[i] / points.time_ns[i])}` : '')]);
    if (winner && winner.time_ns && points.difference[i] === null)
      facts.push(['to the winner', `${shownGain(points.time_ns[i] / winner.time_ns)} its time`]);
    facts.push(['moves', `${shownRate(points.rate[i])} ${problem.unit}` +
      (problem.ceiling && points.rate[i] <= problem.ceiling * 1.02 ? `, ${shownPercent(100 * points.rate[i] / problem.ceiling)} of the ceiling` : '')]);
  }
  if (points.difference[i] !== null)
    facts.push(['to the fastest', points.difference_low[i] === null || points.difference[i] === 0 ? shownPercent(100 * points.difference[i])
      : `${shownPercent(100 * points.difference[i])} slower (${shownPercent(100 * points.difference_low[i])} to ${shownPercent(100 * points.difference_high[i])})`]);
  if (points.grid[i] !== null) facts.push(['grid \u00d7 block', `${shownCount(points.grid[i])} \u00d7 ${shownCount(points.block[i])}`]);
  if (points.occupancy_percent[i] !== null) facts.push(['occupancy', shownPercent(points.occupancy_percent[i])]);
  if (points.registers[i] !== null) facts.push(['registers', points.registers[i] + (points.spill_bytes[i] ? `, ${points.spill_bytes[i]} B spilled` : '')]);
  if (points.shared_bytes[i] !== null) facts.push(['shared memory', shownBytes(points.shared_bytes[i])]);
  if (points.threads[i] !== null) facts.push(['threads', points.threads[i]]);
  facts.push(['last stage', points.stage[i] || '\u2013']);
  if (points.status[i] && points.status[i] !== 'ok') facts.push(['status', `${points.status[i]}${points.detail[i] ? ': ' + points.detail[i] : ''}`]);
  if (points.out[i]) facts.push(['could not win', points.out[i]]);
  return { facts, rows };
};

// ---- what the figures have in common ----
const frame = (width, height, label) => {
  const marks = draw('g', { class: 'marks' });
  const ring = draw('circle', { class: 'ring', r: 7, cx: -20, cy: -20 });
  const pins = draw('g', { class: 'pins' });
  const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, class: 'plot', role: 'application', tabindex: '0', 'aria-label': label });
  return { svg, marks, ring, pins };
};
const axisY = (values, y, left, right, top, label) => [
  values.map((value) => [draw('line', { class: 'grid', x1: left, x2: right, y1: y(value), y2: y(value) }),
    draw('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, shownRate(value))]),
  draw('text', { x: 4, y: top - 9, class: 'axis-label' }, label)].flat(2);

// The next launch by speed, or by place: keys do what the mouse does.
const walkPoints = (event) => {
  const order = activeOrder();
  if (order.length === 0) return;
  const at = order.indexOf(state.hovered);
  const to = { ArrowRight: at - 1, ArrowUp: at - 1, ArrowLeft: at + 1, ArrowDown: at + 1, Home: 0, End: order.length - 1 }[event.key];
  if (to !== undefined) hover(order[Math.max(0, Math.min(order.length - 1, at < 0 ? 0 : to))]);
  else if (event.key === 'Enter' || event.key === ' ') pin(state.hovered);
  else return;
  event.preventDefault();
};

// A rectangle that is dragged; a press without one pins what is nearest.
const interact = (svg, size, place, brushed) => {
  let from = null;
  let box = null;
  const at = (event) => {
    const own = svg.getBoundingClientRect();
    return [(event.clientX - own.left) * size[0] / own.width, (event.clientY - own.top) * size[1] / own.height];
  };
  const nearest = ([x, y]) => {
    let best = null;
    let least = NEAR_ENOUGH ** 2;
    for (const [i, px, py] of place()) {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) { least = distance; best = i; }
    }
    return best;
  };
  svg.addEventListener('pointerdown', (event) => { if (event.button === 0) from = at(event); });
  svg.addEventListener('pointermove', (event) => {
    const to = at(event);
    if (from && event.buttons && Math.hypot(to[0] - from[0], to[1] - from[1]) > 6) {
      if (!box) {
        try { svg.setPointerCapture(event.pointerId); } catch { /* the pointer is gone already */ }
        box = draw('rect', { class: 'brush' });
        svg.append(box);
      }
      put(box, { x: Math.min(from[0], to[0]), y: Math.min(from[1], to[1]), width: Math.abs(to[0] - from[0]), height: Math.abs(to[1] - from[1]) }, []);
    } else hover(nearest(to), event);
  });
  svg.addEventListener('pointerup', (event) => {
    const to = at(event);
    if (box) {
      box.remove();
      brushed([Math.min(from[0], to[0]), Math.max(from[0], to[0])], [Math.min(from[1], to[1]), Math.max(from[1], to[1])]);
    } else if (from) pin(nearest(to));
    from = box = null;
  });
  svg.addEventListener('pointercancel', () => { if (box) box.remove(); from = box = null; });
  svg.addEventListener('pointerleave', () => { if (!box) hover(null); });
  svg.addEventListener('dblclick', () => brushed(null, null));
  svg.addEventListener('keydown', walkPoints);
};

const follow = ({ ring, pins }, placeOf) => () => {
  const at = state.hovered === null ? null : placeOf(state.hovered);
  put(ring, { cx: at ? at[0] : -20, cy: at ? at[1] : -20 }, []);
  pins.replaceChildren(...state.pinned.map((i, index) => ({ at: placeOf(i), index })).filter(({ at: own }) => own).map(({ at: own, index }) =>
    draw('g', null, draw('circle', { class: 'pin', cx: own[0], cy: own[1], r: 7 }),
      draw('text', { class: 'pin-name', x: own[0] + 9, y: own[1] - 7 }, 'AB'[index]))));
};

// ---- throughput against something a launch has ----
// Above the axes how much occupancy each limit of an SM would allow the winner, and its own as a line through all.
const LIMIT_HEIGHT = 17;
const drawOccupancyLimits = (limits, scale, left, bottom) => {
  const own = Math.min(...limits.map(([, percent]) => percent));
  return [draw('text', { class: 'axis-label', x: left, y: 11 }, 'occupancy that each limit would allow the winner'),
    limits.map(([name, percent], k) => [
      draw('text', { x: left, y: 11 + LIMIT_HEIGHT * (k + 1) - 3 }, `${name}: ${digits(percent)} %`),
      draw('line', { class: percent === own && own < 100 ? 'limit own' : 'limit', x1: scale(0), x2: scale(percent), y1: 12 + LIMIT_HEIGHT * (k + 1), y2: 12 + LIMIT_HEIGHT * (k + 1) })]),
    draw('line', { class: 'own-occupancy', x1: scale(own), x2: scale(own), y1: 16, y2: bottom })].flat(2);
};
// Curves of the family `occupancy`, behind all: cut where the axes end.
const drawFamily = (family, scale, y, [left, right, top, bottom]) => {
  const curves = new Map();
  for (const [bytes, percent, rate] of family) {
    if (!curves.has(bytes)) curves.set(bytes, []);
    curves.get(bytes).push([scale(percent), y(rate)]);
  }
  return draw('svg', { x: left, y: top, width: right - left, height: bottom - top, viewBox: `${left} ${top} ${right - left} ${bottom - top}` },
    [...curves].map(([bytes, line], k) => {
      const first = line.find(([, at]) => at < bottom - 12) || line[0];
      return [draw('path', { class: 'family', 'stroke-dasharray': ['', '7 3', '2 3'][k % 3], d: 'M' + line.map((at) => at.map((own) => own.toFixed(1)).join(' ')).join('L') }),
        draw('text', { class: 'halo', x: first[0] + 3, y: first[1] + 12 }, `${bytes} B`)];
    }));
};
// kind: {name, value(points, i), label, isLog, format, say(what conclude found)}
const drawScatter = (kind, width) => {
  const { problem } = state;
  const { points } = problem;
  const limits = kind.isOccupancy ? problem.limits : [];
  const family = kind.isOccupancy && problem.unit === 'GB/s' ? problem.part.family : [];
  const rise = limits.length > 0 ? LIMIT_HEIGHT * (limits.length + 1) : 0;
  const height = FIGURE_HEIGHT + rise;
  const [left, right, top, bottom] = [52, width - 10, 20 + rise, height - 34];
  const known = points.order.filter((i) => kind.value(points, i) > (kind.isLog ? 0 : -1));
  const slots = new Map();
  for (const i of known) {
    const slot = slots.get(kind.value(points, i));
    if (slot) slot.push(i);
    else slots.set(kind.value(points, i), [i]);
  }
  const values = [...slots.keys()].sort((a, b) => a - b);
  if (values.length < 2) return null;
  const least = kind.isLog ? values[0] / 1.3 : 0;
  const most = kind.isLog ? values.at(-1) * 1.3 : kind.most || values.at(-1);
  const scale = (kind.isLog ? logarithmic : linear)(least, most, left + 8, right - 8);
  const best = points.rate[points.order[0]];
  const colours = colourGroups();
  // Of each colour what a line may join: no baseline, and no launch that is alone at its value (plots/occupancy.sql).
  const winners = problem.marks.filter((mark) => mark.name === 'winner').map((mark) => mark.point);
  const baselines = new Set(problem.marks.map((mark) => mark.point).filter((point) => !winners.includes(point)));
  const counts = colours.groups.map(() => new Map());
  const count = (i) => counts[colours.of(i)].get(kind.value(points, i)) || 0;
  for (const i of known) if (!baselines.has(i)) counts[colours.of(i)].set(kind.value(points, i), count(i) + 1);
  const isJoined = (i) => !baselines.has(i) && (!kind.isOccupancy || !points.parameters.variant || count(i) > 1);
  const joined = known.filter(isJoined);
  const curves = colours.groups.map(() => new Map()); // of each colour its best at each value
  for (const i of joined.length > 0 ? joined : known) {
    const curve = curves[colours.of(i)];
    if (!curve.has(kind.value(points, i))) curve.set(kind.value(points, i), points.rate[i]);
  }
  // As plots/linear.gp: where the winner and all that is joined lie near the top the axis begins below that, and a ceiling far
  // above is left out.
  const lowest = Math.min(...curves.flatMap((curve) => [...curve.values()]), ...winners.map((point) => points.rate[point] || Infinity));
  const isNear = problem.ceiling && problem.ceiling <= (lowest > 0.5 * best ? 1.3 : 1.6) * best;
  const highest = isNear ? Math.max(best, problem.ceiling) : best;
  const begin = lowest > 0.5 * highest ? highest - 1.12 * Math.max(0.1 * highest, highest - lowest) : 0;
  const y = linear(begin, highest + (highest - begin) * 0.04, bottom, top);
  const below = known.filter((i) => points.rate[i] < begin).length;
  // At one value launches stand side by side, in the order of their speed, never past the value at either end.
  const gap = Math.min(14, ...values.slice(1).map((value, k) => (scale(value) - scale(values[k])) * 0.8));
  const place = new Map();
  for (const value of values) {
    const slot = slots.get(value);
    slot.forEach((i, rank) => {
      const shift = slot.length < 2 ? 0 : (rank / (slot.length - 1) - 0.5) * gap;
      place.set(i, [Math.min(right, Math.max(left, scale(value) + (value === most ? -Math.abs(shift) : shift))), Math.min(bottom, y(points.rate[i]))]);
    });
  }
  const active = known.filter((i) => state.active[i]);
  const title = conclude(kind)(problem, active);
  const { svg, ring, pins } = frame(width, height, `${title}. ${kind.label} against ${problem.unit}. Arrow keys go from launch to launch, Enter pins one.`);
  const winner = problem.marks.find((mark) => mark.name === 'winner');
  const delta = problem.winner && problem.winner.limit ? problem.winner.limit.delta : null;
  if (winner && delta > 0 && points.rate[winner.point]) {
    const high = y(points.rate[winner.point]);
    const low = Math.min(bottom, y(points.rate[winner.point] / (1 + delta)));
    svg.append(draw('rect', { class: 'tie', x: left, width: right - left, y: high, height: Math.max(2, low - high) }));
  }
  if (limits.length > 0) svg.append(...drawOccupancyLimits(limits, scale, left, bottom));
  svg.append(...axisY(ticks(begin, highest, 5), y, left, right, top, problem.unit));
  if (family.length > 0) svg.append(drawFamily(family, scale, y, [left, right, top, bottom]));
  if (isNear) svg.append(draw('line', { class: 'ceiling', x1: left, x2: right, y1: y(problem.ceiling), y2: y(problem.ceiling) }),
    draw('text', { class: 'ceiling-name', x: right, y: top - 9, 'text-anchor': 'end' }, `measured ${problem.ceilingName}`));
  const powers = values.filter((value, k) => k === 0 || k === values.length - 1 || Number.isInteger(Math.log2(value)));
  const shownTicks = !kind.isLog ? ticks(0, most, 6) : powers.length > 2 ? powers : values;
  let last = -99;
  for (const value of shownTicks) {
    if (scale(value) - last < 38) continue;
    last = scale(value);
    svg.append(draw('text', { x: last, y: bottom + 15, 'text-anchor': 'middle' }, kind.format(value)));
  }
  svg.append(draw('text', { class: 'axis-label', x: right, y: height - 4, 'text-anchor': 'end' }, kind.label));
  const dim = known.filter((i) => !state.active[i]).map((i) => place.get(i));
  if (dim.length > 0) svg.append(draw('path', { class: 'dots dim', d: dots(dim) }));
  const byGroup = colours.groups.map(() => []);
  for (const i of active) byGroup[colours.of(i)].push(i);
  const many = known.length > 3000;
  byGroup.forEach((members, k) => members.length > 0 && svg.append(draw('path', {
    class: many ? 'dots many' : 'dots', style: { stroke: colours.groups[k].colour }, d: dots(members.map((i) => place.get(i))),
  })));
  // One curve a group: its best at each value.
  byGroup.forEach((members, k) => {
    const tops = new Map();
    for (const i of members.filter(isJoined)) if (!tops.has(kind.value(points, i)) || points.rate[i] > tops.get(kind.value(points, i))) tops.set(kind.value(points, i), points.rate[i]);
    const line = [...tops].sort((a, b) => a[0] - b[0]).map(([value, rate]) => `${scale(value).toFixed(1)} ${y(rate).toFixed(1)}`);
    if (line.length > 1) svg.append(draw('path', { class: 'curve', style: { stroke: colours.groups[k].colour }, d: 'M' + line.join('L') }));
  });
  const labelled = [];
  for (const point of new Set(problem.marks.map((mark) => mark.point))) {
    const at = place.get(point);
    if (!at) continue;
    const names = problem.marks.filter((mark) => mark.point === point).map((mark) => mark.name);
    const isWinner = names.includes('winner');
    const toLeft = at[0] > width * 0.6;
    // At the foot a name goes upwards, off the numbers of the axis.
    const isLow = at[1] > bottom - 16;
    let labelY = at[1] + (isLow || (isWinner && at[1] > 40) ? -8 : 14);
    while (labelled.some(([x, y]) => Math.abs(x - at[0]) < 150 && Math.abs(y - labelY) < 12)) labelY += isLow ? -12 : 12;
    labelled.push([at[0], labelY]);
    // Its median absolute deviation, where that is wide enough to be seen.
    const [slow, fast] = [1, -1].map((sign) => y(problem.amount / (points.time_ns[point] + sign * (points.mad_ns[point] || 0))));
    if (slow - fast > 3) svg.append(draw('path', { class: 'whisker', d: `M${at[0]} ${slow}V${fast}M${at[0] - 4} ${slow}h8M${at[0] - 4} ${fast}h8` }));
    svg.append(isWinner ? draw('circle', { class: 'mark', cx: at[0], cy: at[1], r: 6 })
      : draw('path', { class: 'mark', d: `M${at[0]} ${at[1] - 6}l6 6l-6 6l-6 -6Z` }),
    draw('text', { class: 'mark-name', x: at[0] + (toLeft ? -9 : 9), y: labelY, 'text-anchor': toLeft ? 'end' : 'start' }, names.join(', ')));
  }
  svg.append(pins, ring);
  const rateAt = linear(bottom, top, begin, highest + (highest - begin) * 0.04);
  interact(svg, [width, height], () => active.map((i) => [i, ...place.get(i)]), (xs, ys) => {
    const held = xs && values.filter((value) => scale(value) >= xs[0] - gap / 2 && scale(value) <= xs[1] + gap / 2);
    setBrush(kind.name, xs && [{ of: `#${kind.name}`, low: held[0] ?? 1, high: held.at(-1) ?? 0 },
      { of: '#rate', low: ys[1] >= bottom - 4 ? 0 : rateAt(ys[1]), high: rateAt(ys[0]) }]);
  });
  const note = begin > 0 ? ` Axis starts at ${shownRate(begin)} ${problem.unit}${below > 0 ? `; ${shownCount(below)} slower ${below === 1 ? 'launch is' : 'launches are'} drawn at the bottom` : ''}.` : '';
  const behind = family.length > 0 ? ' Grey: the family occupancy here, by bytes in flight per thread.' : '';
  return { title, note: note + behind, body: svg, hovered: follow({ ring, pins }, (i) => place.get(i)) };
};

// What is seen, as plots/*.sql say it of all launches: by the same rule, of those that are left. value: what they are told
// apart by; best: a map from it to the highest throughput; reference: the winner, or the fastest where it is not left.
const digits = (value) => String(+value.toPrecision(3));
const conclude = (kind) => (problem, active) => {
  if (active.length === 0) return 'No launch is left';
  const { points } = problem;
  const winner = problem.marks.find((mark) => mark.name === 'winner');
  const isWinner = winner !== undefined && active.includes(winner.point);
  const own = isWinner ? winner.point : active[0]; // they come fastest first
  const best = new Map();
  for (const i of active) if (!best.has(kind.value(points, i))) best.set(kind.value(points, i), points.rate[i]);
  const share = (value) => digits(100 * Math.min(best.get(value) / points.rate[own], 1));
  const others = [...best.keys()].filter((value) => value !== kind.value(points, own));
  return kind.say({ name: isWinner ? 'winner' : 'best', own: kind.value(points, own), values: [...best.keys()].sort((a, b) => a - b), best, others, share, rate: points.rate[own] });
};
const plural = (count, word) => `${digits(count)} ${word}${count === 1 ? '' : 's'}`;
const OCCUPANCY = {
  name: 'occupancy', value: (points, i) => points.occupancy_percent[i], label: 'theoretical occupancy, %', most: 100, isOccupancy: true,
  format: (value) => String(value),
  say({ name, own, values, best, share, rate }) {
    if (values.length === 1) return `Every configuration has an occupancy of ${digits(own)} %`;
    const { near } = state.data;
    const from = values.find((value) => best.get(value) >= near * rate);
    if (from < own) return `${digits(from)} % occupancy already reaches ${share(from)} % of the ${name}, which has ${digits(own)} %`;
    const below = values.filter((value) => value < from).at(-1);
    return below === undefined ? `The lowest occupancy of all, ${digits(own)} %, is that of the ${name}`
      : `Nothing below ${digits(own)} % occupancy reaches ${digits(100 * near)} % of the ${name}: ${digits(below)} % reaches ${share(below)} %`;
  },
};
const BLOCKS = {
  name: 'blocks', value: (points, i) => points.blocks_per_sm[i], label: 'grid, blocks per SM', isLog: true,
  format: (value) => String(+value.toPrecision(2)),
  say({ name, own, best, others, share }) {
    return `The ${name} launches ${plural(own, 'block')} per SM${own === 2 ? ' (#SM x 2)' : ''}` +
      (others.length === 0 ? ', as every configuration does'
        : best.has(2) && own !== 2 ? `; 2 per SM (#SM x 2) reach ${share(2)} % of it`
          : `; the best other grid, ${digits(others[0])} per SM, reaches ${share(others[0])} % of it`);
  },
};
const THREADS = {
  name: 'threads', value: (points, i) => points.threads[i], label: 'threads', isLog: true, format: (value) => String(value),
  say({ name, own, best, others, share, rate }) {
    return `The ${name} runs ${plural(own, 'thread')}` +
      (others.length === 0 ? ', as every configuration does'
        : best.has(1) && own !== 1 ? `, ${digits(rate / best.get(1))}x as fast as the best of one thread`
          : `; the best of ${digits(others[0])} reaches ${share(others[0])} % of it`);
  },
};

// ---- influence: the fastest with each value of each parameter, over the fastest of all ----
const drawInfluence = (width) => {
  const { problem } = state;
  const { points } = problem;
  const active = activeOrder().filter((i) => points.sweep_ns[i] > 0).sort((a, b) => points.sweep_ns[a] - points.sweep_ns[b]);
  if (active.length === 0) return null;
  const best = points.sweep_ns[active[0]];
  const winner = problem.marks.find((mark) => mark.name === 'winner');
  const rows = problem.part.parameters.map(({ name }) => {
    const tops = new Map(); // value -> the fastest launch with it
    for (const i of active) {
      const value = points.parameters[name][i];
      if (value !== null && !tops.has(value)) tops.set(value, i);
    }
    const chosen = points.parameters[name][winner && tops.has(points.parameters[name][winner.point]) ? winner.point : active[0]];
    const own = [...tops].map(([value, i]) => ({ value, i, ratio: points.sweep_ns[i] / best, isWinners: value === chosen })).sort((a, b) => a.ratio - b.ratio);
    return { name, own, chosen, costs: Math.min(...own.filter(({ isWinners }) => !isWinners).map(({ ratio }) => ratio)) };
  }).filter(({ own }) => own.length > 1).sort((a, b) => b.costs - a.costs || b.own.at(-1).ratio - a.own.at(-1).ratio);
  if (rows.length === 0) return null;
  const step = Math.max(24, Math.min(34, (FIGURE_HEIGHT - 50) / rows.length));
  const height = Math.max(FIGURE_HEIGHT, 50 + step * rows.length);
  const left = Math.min(130, 24 + 7 * Math.max(...rows.map(({ name }) => name.length)));
  const right = width - 24;
  const most = Math.max(1.1, ...rows.map(({ own }) => own.at(-1).ratio));
  const x = logarithmic(1, most, left + 12, right);
  const costs = rows[0].costs - 1;
  const title = costs < 0.01 ? 'No parameter matters much: each has another value within 1 %'
    : `${rows[0].name} matters most: without ${rows[0].name}=${rows[0].chosen} the fastest launch takes ${costs < 0.995 ? `${shownPercent(100 * costs)} more` : `${shownGain(1 + costs)} as long`}`;
  const { svg, ring, pins } = frame(width, height, `${title}. For each value of each parameter the fastest launch with it, as a multiple of the fastest time.`);
  let lastTick = -99;
  for (const tick of ratioTicks(1, most)) {
    if (x(tick) - lastTick < 30) continue;
    lastTick = x(tick);
    svg.append(draw('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: 14, y2: height - 34 }),
      draw('text', { x: x(tick), y: height - 19, 'text-anchor': 'middle' }, `${tick}\u00d7`));
  }
  svg.append(draw('text', { class: 'axis-label', x: right, y: height - 4, 'text-anchor': 'end' }, 'fastest with the value, over the fastest of all'));
  const place = [];
  rows.forEach(({ name, own }, row) => {
    const y = 26 + step * (row + 0.5) - 8;
    svg.append(draw('text', { x: left, y: y + 4, 'text-anchor': 'end', class: 'name' }, name.length > 16 ? `${name.slice(0, 15)}\u2026` : name),
      draw('line', { class: 'rail', x1: x(1), x2: x(own.at(-1).ratio), y1: y, y2: y }));
    // The winner's circle lies above the others, and its name comes before theirs where there is no room for all.
    for (const { i, ratio, isWinners } of [...own].reverse().sort((a, b) => a.isWinners - b.isWinners)) {
      place.push([i, x(ratio), y]);
      svg.append(draw('circle', { class: isWinners ? 'value first' : 'value', cx: x(ratio), cy: y, r: 4.5 }));
    }
    const taken = [];
    for (const { value, ratio, isWinners } of [...own].sort((a, b) => b.isWinners - a.isWinners)) {
      const text = String(value).length > 14 ? `${String(value).slice(0, 13)}\u2026` : String(value);
      const isFiltered = state.filters.some((filter) => filter.name === name && filter.value === String(value));
      const half = text.length * 3.2;
      const middle = Math.max(left + 6 + half, Math.min(width - 2 - half, x(ratio)));
      if (taken.some(([low, high]) => middle - half < high + 4 && middle + half > low - 4)) continue;
      taken.push([middle - half, middle + half]);
      svg.append(draw('text', {
        x: middle, y: y - 7, 'text-anchor': 'middle', class: `pick ${isWinners ? 'first' : ''} ${isFiltered ? 'on' : ''}`, tabindex: '0', role: 'button',
        'aria-label': `only ${name} = ${value}: ${shownGain(ratio)}`, 'aria-pressed': String(isFiltered),
        onclick: () => toggleFilter(name, value),
        onkeydown: (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); event.stopPropagation(); toggleFilter(name, value); } },
      }, text));
    }
  });
  svg.append(pins, ring);
  interact(svg, [width, height], () => place, (xs, ys) => {
    if (!xs) { setBrush('influence', null); return; }
    const names = rows.filter((_, row) => { const y = 18 + step * (row + 0.5); return y >= ys[0] && y <= ys[1]; });
    const held = names.map(({ name, own }) => [name, new Set(own.filter(({ ratio }) => x(ratio) >= xs[0] && x(ratio) <= xs[1]).map(({ value }) => value))])
      .filter(([, values]) => values.size > 0);
    setBrush('influence', held.length > 0 ? held.map(([name, values]) => ({ of: name, values: [...values].map(String) })) : null);
  });
  const placeOf = new Map(place.map(([i, px, py]) => [i, [px, py]]));
  return { title, body: svg, hovered: follow({ ring, pins }, (i) => placeOf.get(i)) };
};

// ---- parallel coordinates: an axis for each parameter that varies, and the time ----
const LINES_MOST = 1500;
const drawParallel = (width) => {
  const { problem } = state;
  const { points } = problem;
  const names = problem.part.parameters.map(({ name }) => name).filter((name) => !constantNames(problem).includes(name));
  if (names.length === 0) return null;
  const height = FIGURE_HEIGHT - 20;
  const [top, bottom] = [34, height - 12];
  const axes = names.map((name) => {
    const values = distinct(points.order.map((i) => points.parameters[name][i]));
    const row = new Map(values.map((value, index) => [value, index]));
    const y = linear(0, Math.max(1, values.length - 1), bottom, top);
    return { name, values, y: (i) => { const own = row.get(points.parameters[name][i]); return own === undefined ? null : y(own); }, of: y };
  });
  const slowest = points.time_ns[points.order.at(-1)];
  const fastest = points.time_ns[points.order[0]];
  const time = logarithmic(fastest, slowest > fastest ? slowest : fastest * 1.1, top, bottom);
  const invert = linear(top, bottom, Math.log(fastest), Math.log(slowest > fastest ? slowest : fastest * 1.1));
  axes.push({ name: 'time', values: null, y: (i) => time(points.time_ns[i]), invert: (at) => Math.exp(invert(at)) });
  // Each axis has room for its values to the right of it, as far as there is any.
  const wanted = axes.slice(0, -1).map((axis) => 12 + 6.4 * Math.max(...axis.values.map((value) => String(value).length)));
  const all = wanted.reduce((sum, own) => sum + own, 0);
  const gaps = wanted.map((own) => all < width - 100 ? own + (width - 100 - all) / wanted.length : own * (width - 100) / all);
  const places = gaps.reduce((list, gap) => [...list, list.at(-1) + gap], [34]);
  const x = (k) => places[k];
  const colours = colourGroups();
  const active = activeOrder();
  const few = active.slice(0, Math.max(3, Math.ceil(active.length * 0.05)));
  const shared = names.filter((name) => new Set(few.map((i) => points.parameters[name][i])).size === 1 && new Set(active.map((i) => points.parameters[name][i])).size > 1);
  const title = active.length < 2 ? (active.length === 0 ? 'No launch is left' : 'One launch is left')
    : shared.length > 0 ? `The fastest ${few.length} of ${shownCount(active.length)} have ${shared.slice(0, 3).map((name) => `${name} = ${points.parameters[name][few[0]]}`).join(', ')} in common`
      : `The fastest ${few.length} of ${shownCount(active.length)} agree on no single parameter`;
  const { svg, ring, pins } = frame(width, height, `${title}. Parallel coordinates of the parameters.`);
  const path = (i) => {
    let text = '';
    axes.forEach((axis, k) => {
      const y = axis.y(i);
      text += y === null ? '' : `${text === '' ? 'M' : 'L'}${x(k).toFixed(0)} ${y.toFixed(1)}`;
    });
    return text;
  };
  const dim = points.order.filter((i) => !state.active[i]).slice(0, LINES_MOST / 3);
  if (dim.length > 0) svg.append(draw('path', { class: 'line dim', d: dim.map(path).join('') }));
  const byGroup = colours.groups.map(() => []);
  for (const i of active.slice(0, LINES_MOST)) byGroup[colours.of(i)].push(i);
  const faint = Math.max(0.12, Math.min(0.7, 60 / Math.max(1, active.length)));
  byGroup.forEach((members, k) => members.length > 0 && svg.append(draw('path', {
    class: 'line', style: { stroke: colours.groups[k].colour, 'stroke-opacity': faint }, d: members.map(path).join(''),
  })));
  const winner = problem.marks.find((mark) => mark.name === 'winner');
  if (winner && points.rate[winner.point] !== null) svg.append(draw('path', { class: 'line winner', d: path(winner.point) }));
  const hovered = draw('path', { class: 'line hovered' });
  axes.forEach((axis, k) => {
    const room = gaps[Math.min(k, gaps.length - 1)];
    const shortened = (text, most) => text.length > most ? `${text.slice(0, most - 1)}\u2026` : text;
    const most = Math.max(5, Math.floor(room / 6.4) + (k === axes.length - 1 ? 2 : 0));
    const name = shortened(axis.name, most);
    svg.append(draw('line', { class: 'axis', x1: x(k), x2: x(k), y1: top, y2: bottom }),
      draw('text', { x: x(k), y: k % 2 && room < 52 ? 22 : 11, 'text-anchor': 'middle', class: 'name' }, draw('title', null, axis.name), name));
    if (axis.values) {
      const every = Math.ceil(axis.values.length / 12);
      axis.values.forEach((value, index) => {
        if (index % every !== 0) return;
        const isFiltered = state.filters.some((filter) => filter.name === axis.name && filter.value === String(value));
        svg.append(draw('text', {
          x: x(k) + 4, y: axis.of(index) + 4, class: `pick halo ${isFiltered ? 'on' : ''}`, tabindex: '0', role: 'button',
          'aria-label': `only ${axis.name} = ${value}`, 'aria-pressed': String(isFiltered), onclick: () => toggleFilter(axis.name, value),
          onkeydown: (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); event.stopPropagation(); toggleFilter(axis.name, value); } },
        }, draw('title', null, String(value)), shortened(String(value), Math.max(4, Math.floor(room / 6.4) - 1))));
      });
    } else svg.append(draw('text', { x: x(k) + 11, y: top + 4, class: 'halo' }, shownTime(fastest)), draw('text', { x: x(k) + 11, y: bottom + 4, class: 'halo' }, shownTime(slowest)));
  });
  svg.append(hovered, pins, ring);
  interact(svg, [width, height], () => active.slice(0, LINES_MOST).flatMap((i) => axes.map((axis, k) => [i, x(k), axis.y(i)]).filter(([, , y]) => y !== null)), (xs, ys) => {
    const held = xs && axes.filter((_, k) => x(k) >= xs[0] && x(k) <= xs[1]);
    setBrush('parallel', held && held.length > 0 ? held.map((axis) => axis.values
      ? { of: axis.name, values: axis.values.filter((_, row) => axis.of(row) >= ys[0] - 4 && axis.of(row) <= ys[1] + 4).map(String) }
      : { of: '#time', low: axis.invert(ys[0] - 4), high: axis.invert(ys[1] + 4) }) : null);
  });
  const last = axes.length - 1;
  const ringed = follow({ ring, pins }, (i) => points.rate[i] === null ? null : [x(last), axes[last].y(i)]);
  return { title, note: active.length > LINES_MOST ? ` The fastest ${shownCount(LINES_MOST)} are drawn.` : '', body: svg, hovered: () => { put(hovered, { d: state.hovered !== null && points.rate[state.hovered] !== null ? path(state.hovered) : '' }, []); ringed(); } };
};

// ---- all of them ----
const isOfGpu = (problem) => problem.part.is_gpu;
const FIGURES = [
  { id: 'occupancy', about: 'Each dot is one launch. Lines join the fastest of several launches of each colour. The band marks launches as fast as the winner.', isFor: isOfGpu, draw: (width) => drawScatter(OCCUPANCY, width) },
  { id: 'threads', about: 'Each dot is one launch. Lines join the fastest launch of each colour.', isFor: (problem) => !isOfGpu(problem), draw: (width) => drawScatter(THREADS, width) },
  { id: 'blocks', about: 'Each dot is one launch. Lines join the fastest launch of each colour.', isFor: isOfGpu, draw: (width) => drawScatter(BLOCKS, width) },
  { id: 'influence', about: 'A parameter matters as much as the fastest launch without the winner\u2019s value is slower than the fastest of all, each timed alone, in the sweep. Filled: the winner\u2019s value. Click a value to filter.', draw: (width) => drawInfluence(width) },
  { id: 'parallel', least: 620, about: 'Each line is one launch, the thick one the winner. Drag along an axis, or click a value.', draw: (width) => drawParallel(width) },
];
const drawFigures = () => {
  const grid = make('div', { class: 'figures' });
  const boxes = FIGURES.map((figure) => {
    const heading = make('h4');
    const body = make('div', { class: 'canvas' });
    const caption = make('figcaption');
    const box = make('figure', { class: 'live', 'data-figure': figure.id, hidden: true }, heading, body, caption);
    grid.append(box);
    return { figure, heading, body, box, caption, drawn: null };
  });
  const drawOne = (own, width) => {
    own.drawn = own.figure.isFor && !own.figure.isFor(state.problem) ? null : own.figure.draw(Math.max(own.figure.least || 300, width));
    own.box.hidden = !own.drawn;
    if (!own.drawn) return;
    own.heading.textContent = own.drawn.title;
    own.caption.textContent = own.figure.about + (own.drawn.note || '');
    own.body.replaceChildren(own.drawn.body);
    own.drawn.hovered();
  };
  // Widths are read before anything is drawn, so that the page is laid out once; those that there is nothing for
  // leave their room to the others, which are then drawn again.
  const redraw = () => {
    const isEmpty = state.problem.points.order.length === 0;
    for (const own of boxes) own.box.hidden = isEmpty;
    if (isEmpty) return;
    grid.style.setProperty('--count', state.problem.part.is_gpu ? 3 : 2);
    for (const own of boxes) own.box.hidden = own.figure.isFor ? !own.figure.isFor(state.problem) : false;
    const widths = boxes.map((own) => own.body.clientWidth);
    boxes.forEach((own, k) => drawOne(own, widths[k]));
    const count = boxes.filter((own) => own.drawn && own.figure.id !== 'parallel').length;
    if (count === (state.problem.part.is_gpu ? 3 : 2)) return;
    grid.style.setProperty('--count', count);
    const wider = boxes.map((own) => own.body.clientWidth);
    boxes.forEach((own, k) => own.drawn && Math.abs(wider[k] - widths[k]) > 8 && drawOne(own, wider[k]));
  };
  listen((what) => {
    if (what === 'hover' || what === 'pins') for (const own of boxes) { if (own.drawn) own.drawn.hovered(); } else redraw();
  });
  return grid;
};
