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

// What a launch can be filtered by, besides its parameters.
const MEASURES = {
  time: { label: 'time in \u00b5s', of: (points, i) => points.time_ns[i] / 1000 },
  occupancy: { label: 'occupancy in %', of: (points, i) => points.occupancy_percent[i] },
  registers: { label: 'registers per thread', of: (points, i) => points.registers[i] },
  shared: { label: 'shared memory in bytes', of: (points, i) => points.shared_bytes[i] },
  grid: { label: 'blocks', of: (points, i) => points.grid[i] },
  threads: { label: 'threads per block', of: (points, i) => points.block[i] },
  status: { label: 'status', of: (points, i) => points.status[i] },
  stage: { label: 'last stage', of: (points, i) => points.stage[i] },
};
const fieldOf = (problem, name) => {
  const parameter = problem.points.parameters[name];
  if (parameter) return (i) => parameter[i];
  return Object.hasOwn(MEASURES, name) ? (i) => MEASURES[name].of(problem.points, i) : null;
};

const OPERATORS = {
  '>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '!=': (a, b) => a !== b,
  '=': (a, b) => a === b, '>': (a, b) => a > b, '<': (a, b) => a < b,
};
// "block >= 256" as {name, operator, value}; null where it is none.
const parseFilter = (text) => {
  const found = /^\s*([^<>=!]+?)\s*(>=|<=|!=|=|>|<)\s*(.+?)\s*$/.exec(text);
  return found && { name: found[1], operator: found[2], value: found[3] };
};
const filterText = (filter) => `${filter.name} ${filter.operator} ${filter.value}`;
const passes = (filter, field, i) => {
  const own = field(i);
  if (own === null || own === undefined) return false;
  if (isNumber(own) && isNumber(filter.value)) return OPERATORS[filter.operator](Number(own), Number(filter.value));
  return OPERATORS[filter.operator](String(own), filter.value);
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
  for (const brush of state.brushes.values()) tests.push(brush);
  state.active = new Uint8Array(points.count);
  for (let i = 0; i < points.count; i++) state.active[i] = tests.every((test) => test(i)) ? 1 : 0;
};
const activeOrder = () => state.problem.points.order.filter((i) => state.active[i]);

const addFilter = (filter) => {
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
  const filter = { name, operator: '=', value: String(value) };
  if (state.filters.some((other) => filterText(other) === filterText(filter))) removeFilter(filter);
  else addFilter(filter);
};
// test: of a launch's number; null: no brush.
const setBrush = (figure, test) => {
  if (test) state.brushes.set(figure, test);
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
// Filters stay where the next problem has their names.
const choose = (problem) => {
  const samePart = state.problem && state.problem.part === problem.part;
  state.problem = problem;
  state.hovered = null;
  state.pinned = [];
  state.brushes.clear();
  if (!samePart) state.colourBy = problem.part.parameters.some(({ name }) => name === 'variant') ? 'variant'
    : problem.part.parameters.some(({ name }) => name === 'schedule') ? 'schedule' : '';
  state.filters = state.filters.filter((filter) => fieldOf(problem, filter.name));
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
