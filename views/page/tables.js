'use strict';
// Tables that sort, filter and are saved; sections that are made when they are first opened.
// A cell's key: its number where it has one, else its text; nothing, and what is unknown, comes last either way.
const sortKey = (row, column) => {
  const cell = row.cells[column];
  if (!cell) return null;
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const text = cell.textContent.trim();
  return text === '\u2013' || text === '' || text.startsWith('unknown') ? null : text;
};
const compareKeys = (a, b) =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });
const sortTable = (table, header) => {
  const column = header.cellIndex;
  const down = header.getAttribute('aria-sort') === 'ascending';
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, key: sortKey(row, column) }));
  rows.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return down ? compareKeys(b.key, a.key) : compareKeys(a.key, b.key);
  });
  for (const other of header.parentNode.cells) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  body.append(...rows.map((item) => item.row));
};
// ---- what makes long tables short: constants constants once, a box that filters, bars in cells ----
const ROWS_FEW = 3;
const ROWS_MANY = 5;
const textOf = (cell) => cell ? cell.textContent.trim() : '';
// Columns, and parameters within cells, that are the same in all rows; heads of rows stay.
const hideConstants = (table, rows, note) => {
  const constants = [];
  const hidden = [];
  for (const header of table.tHead.rows[0].cells) {
    const cells = rows.map((row) => row.cells[header.cellIndex]);
    if (cells.some((cell) => !cell || cell.localName === 'th' || cell.querySelector('.set')) ||
      new Set(cells.map(textOf)).size > 1) continue;
    constants.push(`${textOf(header)}: ${textOf(cells[0])}`);
    hidden.push(header, ...cells);
  }
  const sets = rows.map((row) => [...row.querySelectorAll('.set > span')]);
  const counts = new Map();
  for (const span of sets.flat()) counts.set(textOf(span), (counts.get(textOf(span)) || 0) + 1);
  for (const [text, count] of counts) {
    if (count !== rows.length || !sets.every((spans) => spans.some((span) => textOf(span) === text))) continue;
    constants.push(text);
    hidden.push(...sets.flat().filter((span) => textOf(span) === text));
  }
  if (hidden.length === 0) return;
  const show = (isShown) => { for (const element of hidden) element.hidden = !isShown; };
  show(false);
  note.append(make('span', null, 'The same in all rows: ', constants.join(', '), '. '), make('button', {
    type: 'button', 'aria-pressed': 'false', onclick: (event) => {
      const isShown = event.target.getAttribute('aria-pressed') === 'false';
      event.target.setAttribute('aria-pressed', String(isShown));
      show(isShown);
    },
  }, 'show them'));
};
const addFilterBox = (rows, note) => {
  const count = make('output', { 'aria-live': 'polite' });
  const box = make('input', {
    type: 'search', placeholder: 'rows with \u2026', 'aria-label': 'Filter the rows', spellcheck: 'false', oninput: () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let kept = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        kept += row.hidden ? 0 : 1;
      }
      count.textContent = words.length > 0 ? ` ${kept} of ${rows.length} rows ` : ' ';
    },
  });
  note.append(box, count);
};
// Of columns of shares: nothing below 0 %, nothing above 100 %.
const addBars = (table, rows) => {
  for (const header of table.tHead.rows[0].cells) {
    const cells = rows.map((row) => row.cells[header.cellIndex]).filter((cell) => cell && /^[0-9.]+\s%$/.test(textOf(cell)));
    if (cells.length < ROWS_FEW || cells.some((cell) => parseFloat(textOf(cell)) > 100)) continue;
    for (const cell of cells) {
      cell.classList.add('bar');
      cell.style.setProperty('--share', `${parseFloat(textOf(cell))}%`);
    }
  }
};
// Throughput over the sizes of a problem, beside its name.
const addSparklines = (rows) => {
  const lines = new Map();
  for (const problem of state.data.problems)
    if (problem.winner) lines.set(problem.problem, [...(lines.get(problem.problem) || []), problem.amount / problem.winner.time_ns]);
  const seen = new Set();
  for (const row of rows) {
    const name = textOf(row.cells[0]);
    const line = lines.get(name);
    if (seen.has(name) || !line || line.length < ROWS_FEW) continue;
    seen.add(name);
    const most = Math.max(...line);
    row.cells[0].append(draw('svg', { class: 'spark', viewBox: '0 0 48 14', width: 48, height: 14, role: 'img', 'aria-label': 'throughput over the sizes' },
      draw('path', { d: 'M' + line.map((rate, k) => `${(2 + 44 * k / (line.length - 1)).toFixed(1)} ${(13 - 12 * rate / most).toFixed(1)}`).join('L') })));
  }
};
// The rows that are shown, numbers as they are.
const saveTable = (table, rows) => saveCsv(table.parentNode.getAttribute('aria-label') || 'table', [
  [...table.tHead.rows[0].cells].map(textOf),
  ...[...table.tBodies[0].rows].filter((row) => rows.includes(row) && !row.hidden).map((row) => [...row.cells].map((cell) => cell.dataset.v ?? textOf(cell).replace(/\s+/g, ' '))),
]);
const equip = (table) => {
  const rows = [...table.tBodies[0].rows];
  const note = make('div', { class: 'table-note' });
  if (rows.length >= ROWS_FEW) {
    addBars(table, rows);
    hideConstants(table, rows, note);
    if (table.closest('#winners')) addSparklines(rows);
  }
  if (rows.length > ROWS_MANY) {
    note.prepend(make('span'));
    addFilterBox(rows, note);
    note.append(make('button', { type: 'button', class: 'save', onclick: () => saveTable(table, rows) }, 'Save as CSV'));
    table.parentNode.classList.add('tall');
  }
  if (note.firstChild) table.parentNode.before(note);
  if (rows.length < 2) return;
  for (const header of table.tHead.rows[0].cells) {
    const button = make('button', { type: 'button', onclick: () => sortTable(table, header) }, ...header.childNodes);
    header.append(button);
  }
};
// Intervals stand beside their numbers where the table then fits its box, else below them.
const fit = (table) => {
  table.classList.add('lines');
  if (table.parentNode.scrollWidth > table.parentNode.clientWidth) table.classList.remove('lines');
};

// ---- folds: what is folded costs a page that is opened nothing ----
const unmade = new WeakMap(); // <details> -> the function that makes its content
const equipped = new Set();
const fold = (attributes, summary, content) => {
  const details = make('details', attributes, make('summary', null, summary));
  unmade.set(details, content);
  return details;
};
// Makes what is open below, and what that opens.
const reach = (root) => {
  const isSeen = (element) => !element.closest('details:not([open])');
  for (let found = true; found;) {
    const open = [root, ...root.querySelectorAll('details[open]')].filter((own) => unmade.has(own) && isSeen(own));
    found = open.length > 0;
    for (const details of open) {
      const content = unmade.get(details);
      unmade.delete(details);
      details.append(...[content()].flat(Infinity).filter(Boolean));
    }
  }
  for (const table of root.querySelectorAll('table.sorts')) {
    if (!isSeen(table)) continue;
    if (!equipped.has(table)) equip(table);
    equipped.add(table);
    if (table.offsetParent) fit(table);
  }
};
document.addEventListener('toggle', (event) => { if (event.target.open) reach(event.target); }, true);
addEventListener('resize', () => { for (const table of equipped) if (table.offsetParent) fit(table); });
// On paper everything is open, and afterwards as it was.
let opened = [];
addEventListener('beforeprint', () => {
  opened = [];
  for (let closed; (closed = [...document.querySelectorAll('details:not([open])')]).length > 0;) {
    opened.push(...closed);
    for (const details of closed) details.open = true;
    reach(document.body);
  }
});
addEventListener('afterprint', () => { for (const details of opened) details.open = false; });
// A link into a folded part opens it.
const reveal = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  for (let at = target; at; at = at.parentElement) if (at.localName === 'details') at.open = true;
  const own = target && target.querySelector(':scope > details.fold');
  if (own) own.open = true;
};

// ---- tables out of rows: columns are [label, kind, of(row)]; `of` gives a value, or a <td> ----
const KINDS = {
  count: shownCount, time: shownTime, percent: shownPercent, share: (share) => shownPercent(100 * share), rate: shownRate, number: (value) => String(+value.toPrecision(4)),
};
// "1.28 to 1.29 us" in small letters: a unit that both have is written once.
const interval = (low, high) => {
  const unit = low.replace(/^[\d.,-]+/, '');
  return make('small', null, `${high.endsWith(unit) ? low.slice(0, low.length - unit.length) : low} to ${high}`);
};
const numberCell = (value, shown, ...more) => make('td', { class: 'n', 'data-v': value }, shown, ...more);
const configurationOf = (key) => make('span', { class: 'set' }, key.split(' ').filter(Boolean).flatMap((word) => {
  const at = word.indexOf('=');
  return [at < 0 ? make('span', null, word) : make('span', null, make('i', null, word.slice(0, at)), ' ', make('b', null, word.slice(at + 1))), ' '];
}));
const cellFor = (kind, value) => {
  if (value instanceof Element) return value;
  if (kind === 'head') return make('th', { scope: 'row' }, value);
  const isKnown = value !== null && value !== undefined && value !== '';
  if (kind === 'text') return make('td', null, isKnown ? value : '\u2013');
  if (kind === 'configuration') return make('td', null, isKnown ? configurationOf(value) : '\u2013');
  return isKnown && Number.isFinite(value) ? numberCell(value, KINDS[kind](value)) : make('td', { class: 'n' }, '\u2013');
};
const makeTable = (name, columns, rows) => {
  const kept = columns.filter(Boolean);
  return make('div', { class: 'box', role: 'region', 'aria-label': name, tabindex: '0' }, make('table', { class: 'sorts' },
    make('thead', null, make('tr', null, kept.map(([label, kind]) => make('th', { scope: 'col', class: Object.hasOwn(KINDS, kind) ? 'n' : null }, label)))),
    make('tbody', null, rows.map((row) => make('tr', null, kept.map(([label, kind, of]) => put(cellFor(kind, of(row)), { 'data-label': label }, [])))))));
};
