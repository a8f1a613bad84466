// What a page of `tune report` looks like, as it is in its window: the body of a function, which test_browser.py runs in the page.
const keyOf = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
};

// Elements that reach out of the window, but for what scrolls in a box of its own.
const overflowing = (page, width) =>
  [...page.body.querySelectorAll('*')]
    .filter((element) => !element.closest('svg, .box > *'))
    .filter((element) => {
      const place = element.getBoundingClientRect();
      return place.width > 0 && (place.right > width + 0.5 || place.left < -0.5);
    })
    .map((element) => element.outerHTML.slice(0, 120));

// Heads of rows that are one short word, and yet stand on several lines.
const broken = (page) =>
  [...page.querySelectorAll('tbody th')]
    .filter((head) => /^\w{1,14}$/.test(head.textContent))
    .filter((head) => {
      const range = page.createRange();
      range.selectNodeContents(head);
      return new Set([...range.getClientRects()].map((place) => place.top)).size > 1;
    })
    .map((head) => head.textContent);

// Values beside their names that are squeezed to a letter or two a line.
const squeezed = (page) =>
  [...page.querySelectorAll('dd')]
    .filter((value) => value.getBoundingClientRect().width < 60)
    .map((value) => value.previousElementSibling.textContent + ': ' + value.textContent);

// Each numeric column of the winners, clicked twice; and a column of texts.
const sorting = (page) => {
  const table = page.querySelector('#winners table');
  const seen = [];
  for (const header of table.tHead.rows[0].cells) {
    if (header.hidden) continue;
    const button = header.querySelector('button');
    const column = header.cellIndex;
    const before = [...table.tBodies[0].rows].map((row) => row.textContent).sort().join('|');
    const orders = [];
    for (let click = 0; click < 2; click++) {
      button.focus();
      button.click();
      orders.push({
        sorted: header.getAttribute('aria-sort'),
        keys: [...table.tBodies[0].rows].map((row) => keyOf(row, column)),
        texts: [...table.tBodies[0].rows].map((row) => row.cells[column].textContent),
      });
    }
    const after = [...table.tBodies[0].rows].map((row) => row.textContent).sort().join('|');
    seen.push({
      label: button.textContent, focused: page.activeElement === button, kept: before === after,
      others: table.tHead.querySelectorAll('[aria-sort]').length, orders,
    });
  }
  return seen;
};

const colours = (page) => {
  const of = (element, name) => element ? page.defaultView.getComputedStyle(element)[name] : null;
  return {
    paper: of(page.body, 'backgroundColor'), ink: of(page.body, 'color'),
  };
};

const page = document;
const width = page.documentElement.clientWidth;
// Opens all folds, also nested ones, whose content is made then.
for (let closed; (closed = [...page.querySelectorAll('details:not([open])')]).length > 0;) {
  await Promise.all(closed.map((details) => new Promise((told) => {
    details.addEventListener('toggle', told, { once: true });
    details.open = true;
  })));
}
return {
  width, pageWidth: page.documentElement.scrollWidth,
  overflowing: overflowing(page, width), broken: broken(page), squeezed: squeezed(page),
  boxes: [...page.querySelectorAll('.box:not(.list)')].filter((box) => box.scrollWidth > box.clientWidth).length,
  colours: colours(page), sorting: sorting(page),
};
