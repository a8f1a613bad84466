'use strict';
// The bar above the figures (filters, colours), the launches as a list, and two of them side by side.
const ROWS_MOST = 100;

const drawBar = () => {
  const chips = make('div', { class: 'chips', role: 'group', 'aria-label': 'Filters' });
  const legend = make('div', { class: 'legend' });
  const names = make('datalist', { id: 'filter-names' });
  const field = make('input', { type: 'text', id: 'filter', list: 'filter-names', placeholder: 'block >= 256 and time < 100us', size: '30', spellcheck: 'false', autocomplete: 'off' });
  const wrong = make('output', { class: 'wrong', 'aria-live': 'polite' });
  const colour = make('span');
  const count = make('output', { class: 'quiet', id: 'shown-count', 'aria-live': 'polite' });
  const form = make('div', { class: 'filter' }, make('label', { for: 'filter' }, 'Filter '), field, names,
    make('button', { type: 'button', onclick: () => add() }, 'Add'), wrong);
  const add = () => {
    const text = field.value.trim();
    const { wrong: why, filters } = text ? parseFilters(state.problem, text) : { filters: [] };
    wrong.textContent = why || '';
    if (why || filters.length === 0) return;
    field.value = '';
    addFilters(filters);
  };
  field.addEventListener('keydown', (event) => { if (event.key === 'Enter') add(); });
  listen((what) => {
    const { problem } = state;
    if (what === 'hover' || what === 'pins') return;
    const all = [...problem.part.parameters.map(({ name }) => name), ...Object.keys(MEASURES)];
    if (what === 'problem') {
      names.replaceChildren(...all.map((name) => make('option', { value: `${name} = ` })));
      colour.replaceChildren(choice('Colour by', [['', 'nothing'], ...all.map((name) => [name, MEASURES[name] && !problem.points.parameters[name] ? MEASURES[name].label : name])],
        state.colourBy, (value) => { state.colourBy = value; changed('colour'); }));
    }
    legend.replaceChildren(...(state.colourBy ? colourGroups().groups : []).map((group) => make('button', {
      type: 'button', disabled: group.value === undefined, onclick: () => toggleFilter(state.colourBy, group.value),
      'aria-pressed': String(state.filters.some((own) => own.name === state.colourBy && own.value === String(group.value))),
    }, make('span', { class: 'swatch', style: { background: group.colour } }), group.label)));
    chips.replaceChildren(...state.filters.map((filter) => make('button', { type: 'button', class: 'chip', 'aria-label': `remove ${filterText(filter)}`, onclick: () => removeFilter(filter) }, filterText(filter), ' \u00d7')),
      ...[...state.brushes.keys()].map((name) => make('button', { type: 'button', class: 'chip', 'aria-label': `remove the selection in ${name}`, onclick: () => setBrush(name, null) }, `brushed: ${name} \u00d7`)),
      ...(state.filters.length + state.brushes.size > 1 ? [make('button', { type: 'button', class: 'chip', onclick: clearSelection }, 'clear all')] : []));
    const { order } = problem.points;
    const kept = order.filter((i) => state.active[i]).length;
    const { every } = problem;
    const drawn = every === 1 ? 'launches were timed' : `launches: all that were compared, and every ${every === 2 ? 'second' : every === 3 ? 'third' : `${every}th`} of the others`;
    count.textContent = kept === order.length ? `${shownCount(order.length)} ${drawn}` : `${shownCount(kept)} of ${shownCount(order.length)} launches`;
  });
  return make('div', { class: 'bar-of-filters' }, make('div', { class: 'controls' }, form, colour, count), chips, legend);
};

// The rows of the list, fastest first: what varies has a column, what does not is said once.
const drawList = () => {
  const box = make('div', { class: 'box list', tabindex: '0', role: 'region', 'aria-label': 'Launches, fastest first' });
  const note = make('p', { class: 'note' });
  let rows = new Map();
  const redraw = () => {
    const { problem } = state;
    const { points } = problem;
    const order = activeOrder();
    const constant = constantNames(problem);
    const names = problem.part.parameters.map(({ name }) => name).filter((name) => !constant.includes(name));
    const measures = [['occupancy', (i) => shownPercent(points.occupancy_percent[i]), points.occupancy_percent], ['registers', (i) => shownCount(points.registers[i]), points.registers],
      ['shared', (i) => shownBytes(points.shared_bytes[i]), points.shared_bytes], ['grid', (i) => shownCount(points.grid[i]), points.grid],
      ['threads', (i) => shownCount(points.block[i] ?? points.threads[i]), points.block.some((own) => own !== null) ? points.block : points.threads]]
      .filter(([, , column]) => new Set(column).size > 1);
    const fastest = points.time_ns[points.order[0]];
    const marks = new Map(problem.marks.map((mark) => [mark.point, mark.name]));
    rows = new Map();
    const failed = Array.from({ length: points.count }, (_, i) => i).filter((i) => points.rate[i] === null && state.active[i]);
    const body = [...order.slice(0, ROWS_MOST), ...failed.slice(0, 5)].map((i, place) => {
      const ratio = points.time_ns[i] === null ? null : points.time_ns[i] / fastest;
      const row = make('tr', { 'data-point': i, tabindex: place === 0 ? '0' : '-1', class: points.tied[i] ? 'tied' : '', onclick: () => pin(i), onpointerenter: () => hover(i), onfocus: () => hover(i) },
        make('th', { scope: 'row' }, marks.get(i) || String(place + 1)),
        make('td', { class: 'n' }, ratio === null ? points.status[i] || '\u2013' : shownTime(points.time_ns[i]), points.mad_ns[i] !== null && ratio !== null && make('span', { class: 'quiet' }, ` \u00b1 ${shownPercent(100 * points.mad_ns[i] / points.time_ns[i])}`)),
        make('td', { class: 'n in-bar' }, ratio === null ? '\u2013' : make('span', { class: 'in', style: { '--share': `${(100 / ratio).toFixed(1)}%` } }, shownGain(ratio))),
        make('td', null, points.stage[i] || '\u2013'),
        measures.map(([, shown]) => make('td', { class: 'n' }, shown(i))),
        names.map((name) => make('td', null, points.parameters[name][i] ?? '\u2013')));
      rows.set(i, row);
      return row;
    });
    box.replaceChildren(make('table', null, make('thead', null, make('tr', null, ['launch', 'time', 'of the fastest', 'stage', ...measures.map(([name]) => name), ...names]
      .map((name, k) => make('th', { scope: 'col', class: k > 0 && k < 4 + measures.length && k !== 3 ? 'n' : '' }, name)))), make('tbody', null, body)));
    note.textContent = (order.length > ROWS_MOST ? `The fastest ${ROWS_MOST} of ${shownCount(order.length)}. ` : '') +
      (failed.length > 0 ? `${shownCount(failed.length)} came to no time. ` : '') +
      (constant.length > 0 ? `The same in all: ${constant.map((name) => `${name}=${points.parameters[name][points.order[0]] ?? '\u2013'}`).join(' ')}.` : '');
  };
  const mark = () => {
    for (const [i, row] of rows) {
      row.classList.toggle('hovered', i === state.hovered);
      row.classList.toggle('pinned', state.pinned.includes(i));
    }
  };
  box.addEventListener('keydown', (event) => {
    const row = event.target.closest('tr[data-point]');
    if (!row) return;
    const next = event.key === 'ArrowDown' ? row.nextElementSibling : event.key === 'ArrowUp' ? row.previousElementSibling : null;
    if (next) { row.tabIndex = -1; next.tabIndex = 0; next.focus(); }
    else if (event.key === 'Enter' || event.key === ' ') pin(Number(row.dataset.point));
    else return;
    event.preventDefault();
  });
  box.addEventListener('pointerleave', () => hover(null));
  const save = make('button', { type: 'button', onclick: () => {
    const { problem } = state;
    const { points } = problem;
    const names = problem.part.parameters.map(({ name }) => name);
    const columns = ['time_ns', 'mad_ns', 'stage', 'status', 'occupancy_percent', 'registers', 'shared_bytes', 'spill_bytes', 'grid', 'block', 'threads'].filter((name) => points[name].some((own) => own !== null));
    const kept = [...activeOrder(), ...Array.from({ length: points.count }, (_, i) => i).filter((i) => points.rate[i] === null && state.active[i])];
    saveCsv(`${problem.problem}-${problem.n}`, [['device', 'problem', 'n', ...columns, ...names],
      ...kept.map((i) => [problem.part.device, problem.problem, problem.n, ...columns.map((name) => points[name][i]), ...names.map((name) => points.parameters[name][i])])]);
  } }, 'Save as CSV');
  // Made when it is looked at: a hundred rows take longer than the figures.
  const details = make('details', { class: 'launches', ontoggle: () => { if (details.open) { redraw(); mark(); } } },
    make('summary', null, make('b', null, 'Launches'), ', fastest first'), make('div', { class: 'controls' }, save), box, note);
  listen((what) => {
    if (!details.open) return;
    if (what !== 'hover' && what !== 'pins') redraw();
    mark();
  });
  return details;
};

// What is hovered or pinned, in a box that stays put: two columns when two are pinned.
const drawInspector = () => {
  const box = make('div', { class: 'inspector', id: 'inspector', role: 'status', 'aria-live': 'polite' });
  const column = (problem, i) => {
    const { facts, rows } = describe(problem, i);
    return new Map([...facts, ...rows].map(([name, value]) => [name, String(value)]));
  };
  const fill = () => {
    const { problem } = state;
    const shown = [...state.pinned.map((i, index) => ['AB'[index], i]), ...(state.hovered !== null && !state.pinned.includes(state.hovered) ? [['here', state.hovered]] : [])];
    if (shown.length === 0) {
      box.replaceChildren(make('p', { class: 'note' }, 'Point at a launch for its details; click, or press Enter, to pin it and compare two. Drag to select, double-click to clear. Selected launches are highlighted in every figure.'));
      return;
    }
    const columns = shown.map(([, i]) => column(problem, i));
    const names = [...new Set(columns.flatMap((own) => [...own.keys()]))];
    box.replaceChildren(make('table', { class: 'compare' },
      make('thead', null, make('tr', null, make('th', null, ''), shown.map(([name, i]) => make('th', { scope: 'col' }, name, ' ',
        state.pinned.includes(i) && make('button', { type: 'button', 'aria-label': `unpin ${name}`, onclick: () => pin(i) }, '\u00d7'))))),
      make('tbody', null, names.map((name) => {
        const values = columns.map((own) => own.get(name) ?? '\u2013');
        const differs = new Set(values).size > 1;
        return make('tr', { class: differs ? 'differs' : '' }, make('th', { scope: 'row' }, name), values.map((value) => make('td', null, value)));
      }))));
  };
  listen(fill);
  return box;
};

const drawExplore = (root) => {
  const heading = make('h2');
  listen((what) => { if (what === 'problem') heading.textContent = `Every launch of ${state.problem.problem}, n = ${shownCount(state.problem.n)}`; });
  root.append(make('section', { id: 'explore' }, heading, drawBar(), make('div', { class: 'bench' }, drawFigures(), make('div', { class: 'aside' }, make('div', null, drawInspector()))), drawList()));
};
