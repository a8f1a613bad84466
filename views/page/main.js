'use strict';
// Draws the page's data, and draws it anew when there is newer: render(JSON) is all that a page that is served needs.
let drawRest = null; // of an opened page: draws the part below the first screen, once that is seen
const render = (json) => {
  const page = document.getElementById('page');
  const head = document.getElementById('head');
  const foot = document.getElementById('foot');
  if (!json) { put(head, null, [make('p', { class: 'meta' }, 'Nothing is measured yet')]); return; }
  const before = state.problem && { ...state, part: state.problem.part };
  const open = [...document.querySelectorAll('details.fold[open]')].map((own) => own.parentNode.id);
  state.data = readData(json);
  listeners.length = 0;
  state.problem = null;
  equipped.clear();
  document.title = json.title;
  head.replaceChildren(make('h1', null, json.title));
  foot.replaceChildren();
  drawHead(head, foot);
  const root = make('div', { id: 'drawn' });
  const { problems } = state.data;
  page.replaceChildren(drawAnswer(), root, ...drawSections(open));
  if (problems.length === 0) return;
  const same = before && problems.find((other) => other.problem === before.problem.problem && other.n === before.problem.n &&
    other.part.setting === before.part.setting && other.part.experiment === before.part.experiment);
  const settings = settingsOf();
  const best = settings.length > 0 && bestGain(settings[0].winners);
  const first = same || (best ? best.problem : settings.length > 0 ? settings[0].winners.at(-1) : problems[0]);
  overview.setting = first.part.setting;
  const isRead = !before && readAddress(location.hash);
  drawOverview(root);
  if (!isRead) choose(first);
  else changed('problem');
  if (same) state.colourBy = before.colourBy; // the reader's choice stays
  const rest = () => {
    if (drawRest !== rest) return;
    drawRest = null;
    const already = listeners.length;
    drawExplore(root);
    for (const listener of listeners.slice(already)) listener('problem');
    showChosen();
    reach(page);
  };
  drawRest = rest;
  listen((what) => { if (what !== 'hover' && drawRest === null) { isAddressed = true; writeAddress(); } });
  if (before) rest();
  else requestAnimationFrame(() => setTimeout(rest));
};
addEventListener('beforeprint', () => { if (drawRest) drawRest(); });
addEventListener('hashchange', () => { if (state.data && readAddress(location.hash)) changed('problem'); else reveal(); });
// Escape lets go, wherever the reader is; in a field it first leaves that.
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !state.problem) return;
  if (event.target.localName === 'input' && event.target.value !== '') { event.target.value = ''; return; }
  hover(null);
  if (state.filters.length + state.brushes.size > 0) clearSelection();
});

(() => {
  const block = document.getElementById('data');
  if (!block) return;
  render(JSON.parse(block.textContent));
  reveal();
  let width = innerWidth;
  addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; if (state.problem) changed('colour'); } });
})();
