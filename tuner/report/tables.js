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
  for (const table of document.querySelectorAll('table.sorts')) {
    if (table.tBodies[0].rows.length < 2) continue;
    for (const header of table.tHead.rows[0].cells) {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener('click', () => sort(table, header));
    }
  }
  // On paper everything is open, and afterwards as it was.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    for (const details of opened) details.open = true;
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
