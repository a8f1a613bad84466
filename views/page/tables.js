'use strict';
(() => {
  // A cell's key: its number where it has one, else its text; nothing, and what is unknown, comes last either way.
  const key = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return null;
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim();
    return text === '\u2013' || text === '' || text.startsWith('unknown') ? null : text;
  };
  const compare = (a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b
      : String(a).localeCompare(String(b), 'en', { numeric: true });
  const sort = (table, header) => {
    const column = header.cellIndex;
    const down = header.getAttribute('aria-sort') === 'ascending';
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: key(row, column) }));
    rows.sort((a, b) => {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      return down ? compare(b.key, a.key) : compare(a.key, b.key);
    });
    for (const other of header.parentNode.cells) other.removeAttribute('aria-sort');
    header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    body.append(...rows.map((item) => item.row));
  };
  // ---- what makes long tables short: constants said once, a box that filters, bars in cells ----
  const ROWS_FEW = 3;
  const ROWS_MANY = 5;
  const textOf = (cell) => cell ? cell.textContent.trim() : '';
  // Columns, and parameters within cells, that are the same in all rows; heads of rows stay.
  const hideConstants = (table, rows, note) => {
    const said = [];
    const hidden = [];
    for (const header of table.tHead.rows[0].cells) {
      const cells = rows.map((row) => row.cells[header.cellIndex]);
      if (cells.some((cell) => !cell || cell.localName === 'th' || cell.querySelector('.set')) ||
        new Set(cells.map(textOf)).size > 1) continue;
      said.push(`${textOf(header)}: ${textOf(cells[0])}`);
      hidden.push(header, ...cells);
    }
    const sets = rows.map((row) => [...row.querySelectorAll('.set > span')]);
    const counts = new Map();
    for (const span of sets.flat()) counts.set(textOf(span), (counts.get(textOf(span)) || 0) + 1);
    for (const [text, count] of counts) {
      if (count !== rows.length || !sets.every((spans) => spans.some((span) => textOf(span) === text))) continue;
      said.push(text);
      hidden.push(...sets.flat().filter((span) => textOf(span) === text));
    }
    if (hidden.length === 0) return;
    const show = (isShown) => { for (const element of hidden) element.hidden = !isShown; };
    show(false);
    note.append(make('span', null, 'The same in all rows: ', said.join(', '), '. '), make('button', {
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
    const { data } = state;
    if (!data) return;
    const lines = new Map();
    for (const problem of data.problems)
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
      table.parentNode.classList.add('tall');
    }
    if (note.firstChild) table.parentNode.before(note);
    for (const set of table.querySelectorAll('td > .set')) {
      set.parentNode.title = set.parentNode.textContent.trim();
      set.parentNode.addEventListener('click', () => set.closest('tr').classList.toggle('whole'));
    }
    if (rows.length < 2) return;
    for (const header of table.tHead.rows[0].cells) {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener('click', () => sort(table, header));
    }
  };
  // One line a row where the table then fits its box, else with launches cut shorter, else as it comes.
  const fit = (table) => {
    for (const classes of ['lines', 'lines wide', '']) {
      table.className = `sorts ${classes}`;
      if (table.parentNode.scrollWidth <= table.parentNode.clientWidth) return;
    }
  };
  // What is folded costs a page that is opened nothing: it is made when it is first looked at.
  const equipped = new Set();
  const reach = (root) => {
    const seen = (name) => [...root.querySelectorAll(name)].filter((element) => !element.closest('details:not([open])'));
    for (const held of seen('#figures noscript')) held.outerHTML = held.textContent;
    for (const table of seen('table.sorts')) {
      if (!equipped.has(table)) equip(table);
      equipped.add(table);
      if (table.offsetParent) fit(table);
    }
  };
  document.addEventListener('toggle', (event) => { if (event.target.open) reach(event.target); }, true);
  reach(document);
  addEventListener('resize', () => { for (const table of equipped) if (table.offsetParent) fit(table); });
  // On paper everything is open, and afterwards as it was.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    for (const details of opened) details.open = true;
    reach(document);
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  });
  // A link into a folded part opens it.
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    for (let at = target; at; at = at.parentElement) if (at.localName === 'details') at.open = true;
    const fold = target && target.querySelector(':scope > details.fold');
    if (fold) fold.open = true;
  };
  addEventListener('hashchange', reveal);
  addEventListener('DOMContentLoaded', reveal);
})();
