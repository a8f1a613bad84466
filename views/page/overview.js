'use strict';
// The answer at a glance: every problem in a map, and of the chosen one what to launch, how sure, what limits it.
const overview = { by: null, isChosen: false, setting: null }; // by: the map's content: the first there is, or the reader's choice

const gainNames = (data) => {
  const counts = new Map();
  for (const { winner } of data.problems)
    for (const gain of winner ? winner.gains : []) counts.set(gain.name, (counts.get(gain.name) || 0) + 1);
  return [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
};
const LIGHTS = {
  sure: { mark: '\u25cf', strength: 1 }, 'nearly sure': { mark: '\u25d0', strength: 0.4 }, 'not sure': { mark: '\u25cb', strength: 0 }, unknown: { mark: '\u25cb', strength: 0 }, [OPEN]: { mark: '\u2026', strength: 0.2 },
};
const lightOf = (winner) => LIGHTS[winner.verdict] || LIGHTS.unknown;
const sureWords = (winner) => winner.verdict + (isUnseen(winner) ? `, but the space was ${winner.coverage}` : '');

// Beside another device, or mode, of the page: its winner's time over this one's, as a gain; where their intervals meet they are
// as good. by: 'at SETTING', or the name of a baseline or a peer.
const AT = 'at ';
const beside = (problem, setting) => {
  const other = state.data.problems.find((own) => own.part.setting === setting && own.problem === problem.problem && own.n === problem.n &&
    own.part.experiment === problem.part.experiment && own.winner);
  if (!other) return undefined;
  const [here, there] = [problem.winner, other.winner];
  if (!here.time_low_ns || !here.time_high_ns || !there.time_low_ns || !there.time_high_ns) return undefined;
  const [low, high] = [there.time_low_ns / here.time_high_ns, there.time_high_ns / here.time_low_ns];
  return { name: setting, ratio: there.time_ns / here.time_ns, low, high, standing: low <= 1 && high >= 1 ? 'as fast' : null };
};
const gainBy = (problem, by) => problem.winner.gains.find((own) => own.name === by) ||
  (by.startsWith(AT) ? beside(problem, by.slice(AT.length)) : undefined);

// The share of the ceiling that it is nearest to: of the memory's, or of the arithmetic where that is more of it. One that is
// above the memory's ceiling has none.
const ceilingOf = ({ winner, bytes_moved: bytes, ceilingName }) => {
  const { limit } = winner;
  const memory = winner.ceiling_percent;
  const arithmetic = limit && limit.arithmetic_share !== null ? 100 * limit.arithmetic_share : null;
  if (arithmetic !== null && (memory === null ? !bytes : arithmetic > memory))
    return { percent: arithmetic, name: `ceiling of ${limit.operations_type || 'the'} operations`, gops: limit.gops };
  return memory === null ? null : { percent: memory, name: ceilingName || 'ceiling' };
};

// What a cell of the map says, how strong its colour is (0 to 1), and whether it is a loss.
const cellOf = (problem, by, largest) => {
  const { winner } = problem;
  if (!winner) return { text: '\u2026', strength: 0, title: 'nothing was chosen yet' };
  if (by === 'ceiling') {
    const nearest = ceilingOf(problem);
    if (!nearest) return { text: '\u2013', strength: 0, title: 'its share of a ceiling is not known' };
    const { percent, name } = nearest;
    return { text: percent < 9.95 ? percent.toFixed(1) : percent.toFixed(0), strength: percent / 100, title: `${shownPercent(percent)} of the ${name}` };
  }
  if (by === 'sure') {
    return { text: lightOf(winner).mark, strength: lightOf(winner).strength, title: sureWords(winner) };
  }
  const gain = gainBy(problem, by);
  const ratio = gainRatio(gain);
  if (ratio === null) return { text: '\u2013', strength: 0, title: 'not compared' };
  return {
    text: ratio.toFixed(ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0), strength: Math.abs(Math.log(ratio)) / Math.log(largest), isLoss: ratio < 1,
    title: `${hasNoGain(gain) ? gain.standing : `${shownRatio(gain)} as fast`}${gain.standing === 'not compared' ? ' to the end with ' : ' as '}${by.startsWith(AT) ? `on ${by.slice(AT.length)}` : by}`,
  };
};

const mapOf = (part) => {
  const keys = [...new Set(part.problems.map((problem) => problem.problem))];
  const sizes = [...new Set(part.problems.map((problem) => problem.n))].sort((a, b) => a - b);
  const gains = part.problems.map((problem) => problem.winner && gainRatio(gainBy(problem, overview.by)))
    .filter((ratio) => ratio > 0).map((ratio) => Math.exp(Math.abs(Math.log(ratio))));
  const largest = Math.max(1.5, ...gains);
  const at = new Map(part.problems.map((problem) => [`${problem.problem} ${problem.n}`, problem]));
  const cell = (key, n) => {
    const problem = at.get(`${key} ${n}`);
    if (!problem) return make('td');
    const { text, strength, isLoss, title } = cellOf(problem, overview.by, largest);
    const isBelieved = problem.winner && isSure(problem.winner);
    return make('td', null, make('button', {
      type: 'button', class: `cell ${isLoss ? 'loss' : ''} ${isBelieved ? '' : 'hatched'}`,
      style: { '--strength': `${Math.round(Math.min(1, strength) * 100)}%` }, 'data-problem': key, 'data-n': n,
      'aria-label': `${key}, n = ${shownCount(n)}: ${title}${problem.winner ? `, ${sureWords(problem.winner)}` : ''}`,
      title: `${key}, n = ${shownCount(n)}: ${title}`, tabindex: '-1',
      onclick: () => choose(problem),
    }, text));
  };
  return make('table', { class: 'map' },
    make('caption', null, make('span', null, make('b', null, part.experiment), state.data.parts.every((other) => other.setting === part.setting) ? '' : ` ${part.setting}`)),
    make('thead', null, make('tr', null, make('th', { scope: 'col' }, 'problem'),
      sizes.map((n) => make('th', { scope: 'col', class: 'n', title: `n = ${shownCount(n)}` }, shownSize(n))))),
    make('tbody', null, keys.map((key) => make('tr', null, make('th', { scope: 'row' }, key), sizes.map((n) => cell(key, n))))));
};

// One stop for the tab key; arrows go from cell to cell.
const walkMap = (event) => {
  const button = event.target.closest('button.cell');
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!button || !step) return;
  event.preventDefault();
  const rows = [...event.currentTarget.querySelectorAll('tbody tr')];
  let row = rows.indexOf(button.closest('tr'));
  let column = button.parentNode.cellIndex;
  for (let tried = 0; tried < 64; tried++) {
    row += step[0];
    column += step[1];
    const cell = rows[row] && rows[row].cells[column];
    if (!cell) return;
    const next = cell.querySelector('button');
    if (next) { next.focus(); return; }
  }
};

const drawMaps = () => {
  const { data } = state;
  const names = gainNames(data);
  const { settings } = data;
  if (!settings.includes(overview.setting)) overview.setting = settings[0];
  const maps = make('div', { class: 'box maps', onkeydown: walkMap });
  const fill = () => {
    maps.replaceChildren(...data.parts.filter((part) => part.setting === overview.setting).map(mapOf));
    markChosen();
  };
  const by = make('span');
  const offer = () => { // contents that the map can have; other devices' too
    const options = [...names.map((name) => [name, `times as fast as ${name}`]), ['ceiling', 'share of the ceiling, %'],
      ...settings.filter((name) => name !== overview.setting).map((name) => [AT + name, `times as fast as on ${name}`]), ['sure', 'how sure it is']];
    if (!data.problems.some((problem) => problem.winner && ceilingOf(problem))) options.splice(names.length, 1);
    if (!overview.isChosen || !options.some(([value]) => value === overview.by)) overview.by = options[0][0];
    by.replaceChildren(choice('Show', options, overview.by, (value) => { overview.by = value; overview.isChosen = true; fill(); changed('map'); }));
  };
  const controls = make('div', { class: 'controls' }, by,
    settings.length > 1 && choice('on', settings.map((name) => [name, name]), overview.setting, (value) => {
      overview.setting = value;
      const there = data.problems.filter((problem) => problem.part.setting === value);
      choose(there.find((problem) => problem.problem === state.problem.problem && problem.n === state.problem.n) ||
        there.find((problem) => problem.problem === state.problem.problem) || there[0]);
      offer();
      fill();
    }), make('span', { class: 'note key' }, 'Click a cell to see its problem. ', make('span', { class: 'cell hatched' }, ' '), ' hatched: less than sure.'));
  offer();
  fill();
  return { element: make('div', { class: 'index' }, controls, maps), fill };
};
const markChosen = () => {
  const cells = [...document.querySelectorAll('.map button.cell')];
  for (const cell of cells) {
    const isChosen = state.problem && overview.setting === state.problem.part.setting && cell.dataset.problem === state.problem.problem &&
      Number(cell.dataset.n) === state.problem.n;
    cell.setAttribute('aria-pressed', String(isChosen));
    cell.tabIndex = isChosen ? 0 : -1;
  }
  if (!cells.some((cell) => cell.tabIndex === 0) && cells[0]) cells[0].tabIndex = 0;
};
// On a narrow screen what is chosen may be out of the box that scrolls.
const showChosen = () => {
  for (const chosen of document.querySelectorAll('.maps [aria-pressed="true"], .columns [aria-pressed="true"]')) {
    const box = chosen.closest('.box');
    const [own, around] = [chosen.getBoundingClientRect(), box.getBoundingClientRect()];
    if (own.right > around.right || own.left < around.left) box.scrollLeft += own.right - around.right + 12;
    if (own.bottom > around.bottom || own.top < around.top) box.scrollTop += own.bottom - around.bottom + 12;
  }
};

// ---- the chosen problem ----
const withCode = (text) => text.split('`').map((part, k) => k % 2 ? make('code', null, part) : part);
const settingSpans = (parameters) => make('span', { class: 'set' }, Object.entries(parameters).map(([name, value]) =>
  make('span', null, make('i', null, name), ' ', make('b', null, String(value)))));

// Ticks of an axis from low to high, 1 among them, far enough from each other to have numbers.
const gainTicks = (low, high) => {
  const all = [0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000].filter((tick) => tick >= low && tick <= high);
  const room = Math.log(high / low) / 6;
  return all.filter((tick) => tick === 1 || Math.abs(Math.log(tick)) >= room).filter((tick, k, kept) => k === 0 || tick === 1 || Math.log(tick / kept[k - 1]) >= room);
};
// Gains on one logarithmic axis: a dot and its interval, 1x marked, the axis below.
const drawGains = (problem) => {
  const { winner, points } = problem;
  const gains = winner.gains.map((gain) => ({ gain, ratio: gainRatio(gain) })).filter(({ ratio }) => ratio !== null);
  if (gains.length === 0) {
    if (winner.gains.length > 0) return make('p', { class: 'note' }, `How much faster it is than ${winner.gains.map(({ name }) => name).join(' or ')} is unknown: the timings do not distinguish them.`);
    const median = points.time_ns[points.order[points.order.length >> 1]];
    return make('p', { class: 'note' }, 'No baseline was measured; the experiment can name one under ', make('code', null, 'baselines'), '.',
      winner.verdict !== 'not sure' && median > winner.time_ns && [' Half of the tried launches are slower than this by ', make('b', null, shownGain(median / winner.time_ns)), ' or more.']);
  }
  const most = Math.max(1.25, ...gains.map(({ gain, ratio }) => Math.max(ratio, gain.high || 0))) * 1.05;
  const least = Math.min(0.95, ...gains.map(({ gain, ratio }) => Math.min(ratio, gain.low || ratio))) * 0.98;
  const width = 220;
  const marks = gainTicks(least, most);
  const x = logarithmic(least, most, 4, width - 4);
  return make('table', { class: 'gains' }, make('tbody', null, gains.map(({ gain, ratio }) => make('tr', null,
    make('th', { scope: 'row' }, breakable(gain.name)),
    make('td', { class: 'n' }, make(isSure(winner) && !hasNoGain(gain) ? 'b' : 'span', null, shownRatio(gain)),
      gain.low > 0 && gain.high > 0 && !hasNoGain(gain) && make('small', null, `${shownGain(gain.low)} to ${shownGain(gain.high)}`)),
    make('td', { class: 'picture' }, draw('svg', { viewBox: `0 0 ${width} 20`, width, height: 20, 'aria-hidden': 'true' },
      draw('line', { x1: x(1), x2: x(1), y1: 0, y2: 20, class: 'axis' }),
      gain.low > 0 && gain.high > 0 && draw('path', { class: 'whisker', d: `M${x(gain.low)} 10H${x(gain.high)}M${x(gain.low)} 6v8M${x(gain.high)} 6v8` }),
      draw('circle', { cx: x(ratio), cy: 10, r: 4, class: ratio < 1 ? 'dot bad' : hasNoGain(gain) ? 'dot quiet-dot' : 'dot' }))))),
  make('tr', null, make('td'), make('td'), make('td', { class: 'picture' }, draw('svg', { viewBox: `0 0 ${width} 16`, width, height: 16, class: 'ticks', 'aria-hidden': 'true' },
    draw('line', { x1: 4, x2: width - 4, y1: 0.5, y2: 0.5, class: 'axis' }), marks.map((tick) => [draw('line', { x1: x(tick), x2: x(tick), y1: 0, y2: 4, class: 'axis' }),
      draw('text', { x: Math.max(10, Math.min(width - 12, x(tick))), y: 15, 'text-anchor': 'middle' }, `${tick}\u00d7`)]))))));
};

// The winner at each size: its share of the ceiling as bars, or its throughput where there is no ceiling.
const drawSizes = (problem) => {
  const same = problem.part.problems.filter((other) => other.problem === problem.problem && other.winner);
  if (same.length < 2) return null;
  const shares = same.map(ceilingOf);
  const isShare = shares.every(Boolean);
  const values = isShare ? shares.map(({ percent }) => percent) : same.map((other) => other.amount / other.winner.time_ns);
  const most = isShare ? 100 : Math.max(...values);
  const best = (winner) => winner.gains.filter((gain) => !gain.peer).map((gain) => gainRatio(gain)).filter((ratio) => ratio > 0);
  return make('div', { class: 'sizes' },
    make('h4', null, isShare ? 'Share of the ceiling by size' : `${problem.unit} by size`),
    make('div', { class: 'box columns', role: 'group', 'aria-label': 'sizes' }, same.map((other, index) => {
      const gains = best(other.winner);
      const gain = gains.length > 0 ? Math.min(...gains) : null;
      return make('button', {
        type: 'button', 'aria-pressed': String(other === problem),
        title: `n = ${shownCount(other.n)}: ${shownTime(other.winner.time_ns)}, ${isShare ? shownPercent(values[index]) + ' of the ceiling' : shownRate(values[index]) + ' ' + problem.unit}; ${other.winner.configuration}`,
        onclick: () => choose(other),
      }, make('span', { class: 'bar' }, make('span', { class: isSure(other.winner) ? '' : 'hatched', style: { height: `${Math.max(1, Math.min(100, 100 * values[index] / most))}%` } })),
      make('span', null, isShare ? `${values[index].toFixed(0)} %` : shownRate(values[index])),
      make('span', { class: 'quiet' }, gain === null ? '' : shownGain(gain)),
      make('span', { class: 'size' }, shownSize(other.n)));
    })),
    make('p', { class: 'note' }, same.some(({ winner }) => best(winner).length > 0) ? 'Second line: how many times as fast as the fastest baseline.' : ''));
};

// As Nsight Compute's speed of light: what is used up, and what is kept busy; the line is where the rule begins.
const drawLimits = (problem) => {
  const { winner, part } = problem;
  const limit = winner.limit;
  if (!limit) return null;
  const busy = limit.busy_units === null ? null : Math.min(1, limit.busy_units / part.unit_count);
  const inFlight = limit.bytes_in_flight_per_sm && limit.ceiling_gbs && limit.busy_units
    ? limit.bytes_in_flight_per_sm * Math.min(limit.busy_units, part.unit_count) / (limit.ceiling_gbs * 1000) : null;
  const rows = [
    ['memory', limit.ceiling_share === null ? 'moved bytes are over the memory\u2019s ceiling' : 'used of the memory\u2019s ceiling',
      limit.ceiling_share ?? (['memory', 'cache'].includes(limit.name) ? Infinity : null), 0.85, ['memory', 'cache']],
    ['arithmetic', `used of the ${limit.operations_type || ''} operations`, limit.arithmetic_share, 0.7, ['arithmetic']],
    ['launch', 'an empty launch\u2019s part of the time', limit.launch_share, 1 / 3, ['launch']],
    ['occupancy', 'of the maximum warps', limit.occupancy, null, []],
    [part.is_gpu ? 'SMs with work' : 'cores with work', part.is_gpu ? 'of all SMs' : 'of all cores', busy, null, ['parallelism']],
    ['bytes in flight', `${shownBytes(limit.bytes_in_flight_per_sm)} per SM; in 1 \u00b5s memory moves ${shownBytes(Math.round(limit.bytes_in_flight_per_sm / inFlight))}`, inFlight, null, ['parallelism']],
  ].filter(([, , share]) => share !== null && share !== undefined);
  return make('div', { class: 'limits' },
    make('h4', null, limit.name === 'unknown' ? 'Its limit is unknown' : `Limited by ${limit.name}`),
    make('div', { class: 'meters' }, rows.map(([name, about, share, from, limits]) => make('div', { class: `meter ${limits.includes(limit.name) ? 'limiter' : ''}`, title: about },
      make('span', null, name),
      make('span', { class: 'track' }, make('span', { class: 'fill', style: { width: `${Math.min(100, 100 * share)}%` } }),
        from && make('span', { class: 'from', style: { left: `${100 * from}%` } })),
      make('span', { class: 'n' }, share === Infinity ? 'over' : share > 1.05 ? `${share.toFixed(1)}\u00d7` : shownPercent(100 * share)),
      make('small', null, about)))),
    make('p', { class: 'note' }, unbroken(limit.text || '')));
};

// How many others are as fast, and of how many that is not known.
const equalWords = ({ as_fast: equal, not_compared: open, points_tried: points, space_count: space }) => [
  equal === null ? 'not known' : equal === 0 ? 'no other launch' : `${shownCount(equal)} other ${equal === 1 ? 'launch is' : 'launches are'}`,
  open > 0 && `; ${shownCount(open)} ${open === 1 ? 'was' : 'were'} not compared to the end`, points > 0 && space > 0 && `; ${shownCount(points)} of ${shownCount(space)} legal ones were tried`].filter(Boolean).join('');
const drawChosen = () => {
  const { problem } = state;
  const { winner, part } = problem;
  const head = make('h3', null, problem.problem, make('span', { class: 'quiet' }, ` n = ${shownCount(problem.n)}`));
  if (!winner) return make('div', { class: 'chosen', 'aria-live': 'polite' }, head, make('p', null, 'Nothing was chosen yet; the tried launches stand below.'));
  const light = lightOf(winner);
  const nearest = ceilingOf(problem);
  const isWork = Boolean(nearest && nearest.gops && problem.bytes_moved); // operations, beside moved bytes
  return make('div', { class: 'chosen' }, make('div', null, head,
    make('p', { class: 'launch' }, winner.launch || winner.configuration),
    winner.launch && make('p', { class: 'configuration' }, settingSpans(winner.parameters)),
    copyButtons(problem),
    make('dl', { class: 'facts' },
      make('dt', null, 'takes'), make('dd', null, make('b', null, shownTime(winner.time_ns)),
        winner.time_low_ns && winner.time_high_ns && make('span', { class: 'quiet' }, ` ${shownTime(winner.time_low_ns)} to ${shownTime(winner.time_high_ns)}`)),
      make('dt', null, problem.bytes_moved ? 'moves' : 'does'), make('dd', null, `${shownRate(problem.amount / winner.time_ns)} ${problem.unit}`,
        nearest && !isWork ? `, ${shownPercent(nearest.percent)} of the ${nearest.name}` : ''),
      isWork && [make('dt', null, 'does'), make('dd', null, `${shownRate(nearest.gops)} 10\u2079 operations/s, ${shownPercent(nearest.percent)} of the ${nearest.name}`)],
      make('dt', null, 'sure?'), make('dd', { class: `light ${verdictClass(winner.verdict)}` }, make('b', null, `${light.mark} ${sureWords(winner)}`), ' ',
        make('span', { class: 'advice' }, winner.verdict === 'sure' || winner.verdict === OPEN ? '' : withCode(winner.advice || 'The database does not say how sure it is.'))),
      make('dt', null, 'as fast'), make('dd', null, equalWords(winner))),
    drawGains(problem),
    winner.why && winner.why.sentences.length > 0 && make('details', null, make('summary', null, 'Why it wins'),
      make('ul', null, winner.why.sentences.map((reason) => make('li', null, unbroken(reason)))))),
  make('div', null, drawSizes(problem), drawLimits(problem)));
};

const drawOverview = (root) => {
  const chosen = make('div', { class: 'chosen-box', role: 'region', 'aria-label': 'The chosen problem', 'aria-live': 'polite' });
  const maps = drawMaps();
  root.append(make('section', { id: 'overview' }, maps.element, chosen));
  listen((what) => {
    if (what !== 'problem') return;
    chosen.replaceChildren(drawChosen());
    markChosen();
    if (!document.querySelector('.map button.cell[aria-pressed=true]')) maps.fill();
  });
};
