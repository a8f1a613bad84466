'use strict';
// What the figures share: the problem, what is filtered, brushed, hovered and pinned, and the colours.
const state = {
  data: null, problem: null, colourBy: '', hovered: null, pinned: [], filters: [], brushes: new Map(),
  active: null, // of each launch, whether filters and brushes keep it
};
const listeners = [];
const listen = (listener) => listeners.push(listener);
// what: 'problem', 'selection', 'colour', 'hover' or 'pins'.
const changed = (what) => { for (const listener of listeners) listener(what); };

// What a launch can be filtered by, besides its parameters: numbers, with the units they may be written in (as many of the
// first), or texts.
const TIME_UNITS = { us: 1, '\u00b5s': 1, '\u03bcs': 1, ns: 1e-3, ms: 1e3, s: 1e6 };
const BYTE_UNITS = { b: 1, byte: 1, bytes: 1, kib: 1024, kb: 1000, k: 1024, mib: 1048576, mb: 1e6, m: 1048576 };
const MEASURES = {
  time: { label: 'time in \u00b5s', units: TIME_UNITS, of: (points, i) => points.time_ns[i] === null ? null : points.time_ns[i] / 1000 },
  occupancy: { label: 'occupancy in %', units: { '%': 1 }, of: (points, i) => points.occupancy_percent[i] },
  registers: { label: 'registers per thread', units: {}, of: (points, i) => points.registers[i] },
  shared: { label: 'shared memory in bytes', units: BYTE_UNITS, of: (points, i) => points.shared_bytes[i] },
  grid: { label: 'blocks', units: {}, of: (points, i) => points.grid[i] },
  threads: { label: 'threads per block', units: {}, of: (points, i) => points.block[i] },
  status: { label: 'status', of: (points, i) => points.status[i] },
  stage: { label: 'last stage', of: (points, i) => points.stage[i] },
};
const fieldOf = (problem, name) => {
  const parameter = problem.points.parameters[name];
  if (parameter) return (i) => parameter[i];
  return Object.hasOwn(MEASURES, name) ? (i) => MEASURES[name].of(problem.points, i) : null;
};
// {units} of a number, null of a text.
const unitsOf = (problem, name) => {
  const parameter = problem.part.parameters.find((own) => own.name === name);
  if (parameter) return parameter.isNumeric ? {} : null;
  return MEASURES[name].units || null;
};

const OPERATORS = {
  '>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '!=': (a, b) => a !== b,
  '=': (a, b) => a === b, '>': (a, b) => a > b, '<': (a, b) => a < b,
};
const listed = (words, most = 8) => words.length <= most ? words.join(', ') : `${words.slice(0, most).join(', ')} ...`;
// "block >= 256" as {name, operator, value, number}; or {wrong}, in words. `number` is in the field's own unit.
const parseOne = (problem, text) => {
  const found = /^\s*([^<>=!]+?)\s*(>=|<=|!=|==|=|>|<)\s*(.+?)\s*$/.exec(text);
  if (!found || /[<>=!]/.test(found[3])) return { wrong: 'NAME OPERATOR VALUE, as in block >= 256' };
  const [, name, sign, value] = found;
  const operator = sign === '==' ? '=' : sign;
  const field = fieldOf(problem, name);
  if (!field) return { wrong: `no ${name} here: there is ${listed([...problem.part.parameters.map((own) => own.name), ...Object.keys(MEASURES)], 24)}` };
  const units = unitsOf(problem, name);
  const known = distinct(Array.from({ length: problem.points.count }, (_, i) => field(i)));
  if (!units) {
    if (operator !== '=' && operator !== '!=') return { wrong: `${name} is a word: ${name} = ${known[0]}` };
    if (!known.includes(value)) return { wrong: `no ${name} is ${value}: there is ${listed(known)}` };
    return { name, operator, value };
  }
  const parts = /^([+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([^\d\s]*)$/i.exec(value);
  if (!parts) return { wrong: `${name} is a number: ${value} is none` };
  const unit = parts[2].toLowerCase();
  if (unit && !Object.hasOwn(units, unit))
    return { wrong: Object.keys(units).length > 0 ? `${name} has no unit ${parts[2]}: write ${listed(Object.keys(units).filter((own) => own !== '\u03bcs'))}` : `${name} has no unit: ${parts[2]} is one too many` };
  return { name, operator, value, number: Number(parts[1].replaceAll(',', '')) * (unit ? units[unit] : 1) };
};
// Several with "and" or "&&": {filters}, or {wrong} of the first that is none.
const parseFilters = (problem, text) => {
  if (/\s(or)\s|\|\|/i.test(text)) return { wrong: 'no or: several values of one name, each added with =, are alternatives' };
  const filters = text.split(/\s+and\s+|\s*&&\s*/i).map((one) => parseOne(problem, one));
  return filters.find((own) => own.wrong) || { filters };
};
const filterText = (filter) => `${filter.name} ${filter.operator} ${filter.value}`;
const passes = (filter, field, i) => {
  const own = field(i);
  if (own === null || own === undefined) return false;
  return filter.number === undefined ? OPERATORS[filter.operator](String(own), filter.value) : OPERATORS[filter.operator](Number(own), filter.number);
};

// A brush is a list of conditions: {of, values} or {of, low, high}; `of`: a parameter, or one of these.
const BRUSHED = {
  '#occupancy': (points, i) => points.occupancy_percent[i], '#blocks': (points, i) => points.blocks_per_sm[i], '#threads': (points, i) => points.threads[i],
  '#rate': (points, i) => points.rate[i], '#time': (points, i) => points.time_ns[i],
};
const holds = (points, { of, values, low, high }, i) => {
  const own = Object.hasOwn(BRUSHED, of) ? BRUSHED[of](points, i) : points.parameters[of] && points.parameters[of][i];
  if (own === null || own === undefined) return false;
  return values ? values.includes(String(own)) : own >= low && own <= high;
};

// Values of one name by '=' are alternatives; all else must hold together.
const select = () => {
  const { problem } = state;
  const points = problem.points;
  const groups = new Map();
  for (const filter of state.filters) {
    const field = fieldOf(problem, filter.name);
    if (!field) continue;
    const key = filter.operator === '=' ? filter.name : filterText(filter);
    groups.set(key, [...(groups.get(key) || []), (i) => passes(filter, field, i)]);
  }
  const tests = [...groups.values()].map((any) => (i) => any.some((test) => test(i)));
  for (const brush of state.brushes.values()) tests.push((i) => brush.every((condition) => holds(points, condition, i)));
  state.active = new Uint8Array(points.count);
  for (let i = 0; i < points.count; i++) state.active[i] = tests.every((test) => test(i)) ? 1 : 0;
};
const activeOrder = () => state.problem.points.order.filter((i) => state.active[i]);

const addFilters = (filters) => {
  for (const filter of filters)
    if (!state.filters.some((other) => filterText(other) === filterText(filter))) state.filters.push(filter);
  select();
  changed('selection');
};
const removeFilter = (filter) => {
  state.filters = state.filters.filter((other) => filterText(other) !== filterText(filter));
  select();
  changed('selection');
};
const toggleFilter = (name, value) => {
  const filter = { name, operator: '=', value: String(value), number: unitsOf(state.problem, name) && isNumber(String(value)) ? Number(value) : undefined };
  if (state.filters.some((other) => filterText(other) === filterText(filter))) removeFilter(filter);
  else addFilters([filter]);
};
// conditions: as above; null: no brush.
const setBrush = (figure, conditions) => {
  if (conditions) state.brushes.set(figure, conditions);
  else if (!state.brushes.delete(figure)) return;
  select();
  changed('selection');
};
const clearSelection = () => {
  state.filters = [];
  state.brushes.clear();
  select();
  changed('selection');
};

const hover = (i) => {
  if (state.hovered === i) return;
  state.hovered = i;
  changed('hover');
};
const pin = (i) => {
  if (i === null) return;
  state.pinned = state.pinned.includes(i) ? state.pinned.filter((other) => other !== i) : [...state.pinned, i].slice(-2);
  changed('pins');
};
// Filters stay where the next problem has their names and values.
const choose = (problem) => {
  const samePart = state.problem && state.problem.part === problem.part;
  state.problem = problem;
  state.hovered = null;
  state.pinned = [];
  state.brushes.clear();
  if (!samePart) state.colourBy = problem.part.parameters.some(({ name }) => name === 'variant') ? 'variant'
    : problem.part.parameters.some(({ name }) => name === 'schedule') ? 'schedule' : '';
  state.filters = state.filters.map((filter) => parseOne(problem, filterText(filter))).filter((filter) => !filter.wrong);
  select();
  changed('problem');
};

// ---- colours: a group for each value, of many numbers for each range of them ----
const GROUPS_MOST = 8;
const colourGroups = () => {
  const { problem, colourBy } = state;
  const field = colourBy && fieldOf(problem, colourBy);
  if (!field) return { of: () => 0, groups: [{ label: 'all launches', colour: 'var(--c0)' }] };
  const rows = problem.points.order.map(field);
  const values = distinct(rows);
  const numeric = values.every(isNumber);
  const ramp = (at, count) => `color-mix(in oklab, var(--ramp-low), var(--ramp-high) ${Math.round(100 * at / Math.max(1, count - 1))}%)`;
  if (values.length <= GROUPS_MOST || !numeric) {
    const counts = new Map();
    for (const value of rows) counts.set(value, (counts.get(value) || 0) + 1);
    const kept = values.length <= GROUPS_MOST ? values
      : [...values].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, GROUPS_MOST - 1).sort();
    const place = new Map(kept.map((value, index) => [value, index]));
    const groups = kept.map((value, index) => ({
      label: String(value), value,
      colour: numeric && kept.length > 2 ? ramp(index, kept.length) : `var(--c${index})`,
    }));
    if (kept.length < values.length || rows.includes(null)) groups.push({ label: 'others', colour: 'var(--quiet)' });
    return { of: (i) => place.get(field(i)) ?? groups.length - 1, groups };
  }
  const bounds = Array.from({ length: 6 }, (_, k) => Number(values[Math.floor((k + 1) * values.length / 7)]));
  const groups = Array.from({ length: 7 }, (_, k) => ({
    label: k === 0 ? `below ${+bounds[0].toPrecision(4)}` : `from ${+bounds[k - 1].toPrecision(4)}`, colour: ramp(k, 7),
  }));
  return { of: (i) => { const own = Number(field(i)); const k = bounds.findIndex((bound) => own < bound); return k < 0 ? 6 : k; }, groups };
};

// ---- the address holds the state, so that a view can be shared ----
const stateAddress = () => {
  const { problem } = state;
  const query = new URLSearchParams([['problem', problem.problem], ['n', problem.n]]);
  if (state.data.settings.length > 1) query.append('on', problem.part.setting);
  if (state.data.parts.filter((part) => part.setting === problem.part.setting).length > 1) query.append('experiment', problem.part.experiment);
  if (overview.isChosen) query.append('map', overview.by);
  query.append('colour', state.colourBy);
  for (const filter of state.filters) query.append('filter', filterText(filter));
  for (const [figure, conditions] of state.brushes) query.append(`brush.${figure}`, JSON.stringify(conditions));
  for (const i of state.pinned) query.append('pin', i);
  return `#${query}`;
};
let isAddressed = false; // once the reader did something
const writeAddress = () => {
  if (!state.problem || !isAddressed) return;
  try { history.replaceState(null, '', stateAddress()); } catch { /* a page in a frame without an address */ }
};
// Whether there was such a state: what of it the data does not have is left out.
const readAddress = (hash) => {
  const query = new URLSearchParams(hash.replace(/^#/, ''));
  const problem = state.data.problems.find((own) => own.problem === query.get('problem') && own.n === Number(query.get('n')) &&
    (!query.has('on') || own.part.setting === query.get('on')) && (!query.has('experiment') || own.part.experiment === query.get('experiment')));
  if (!problem) return false;
  isAddressed = true;
  overview.setting = problem.part.setting;
  overview.isChosen = overview.isChosen || query.has('map');
  overview.by = query.get('map') || overview.by;
  state.filters = query.getAll('filter').map((text) => parseOne(problem, text)).filter((filter) => !filter.wrong);
  choose(problem);
  if (query.has('colour') && (query.get('colour') === '' || fieldOf(problem, query.get('colour')))) state.colourBy = query.get('colour');
  for (const [name, value] of query) {
    if (!name.startsWith('brush.')) continue;
    try {
      const conditions = JSON.parse(value);
      if (conditions.every((own) => typeof own.of === 'string' && (Array.isArray(own.values) || Number.isFinite(own.low) && Number.isFinite(own.high)))) state.brushes.set(name.slice(6), conditions);
    } catch { /* not one of ours */ }
  }
  state.pinned = query.getAll('pin').map(Number).filter((i) => Number.isInteger(i) && i >= 0 && i < problem.points.count).slice(-2);
  select();
  return true;
};
