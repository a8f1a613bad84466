'use strict';
// Draws the page's data, and draws it anew when there is newer: render(JSON) is all that a page that is served needs.
let drawRest = null; // of a page that was opened: what is below the first screen, after that is seen
const render = (json) => {
  const root = document.getElementById('drawn');
  const before = state.problem && { ...state, part: state.problem.part };
  if (!root || !json || json.parts.every((part) => part.problems.length === 0)) return;
  state.data = readData(json);
  listeners.length = 0;
  root.replaceChildren();
  state.problem = null;
  const same = before && state.data.problems.find((other) => other.problem === before.problem.problem && other.n === before.problem.n &&
    other.part.setting === before.part.setting && other.part.experiment === before.part.experiment);
  const telling = state.data.problems.find((other) => `${other.problem} ${other.n}` === root.dataset.telling && other.winner);
  overview.setting = (same || telling || state.data.problems[0]).part.setting;
  drawOverview(root);
  choose(same || telling || state.data.problems[0]);
  if (same) state.colourBy = before.colourBy; // what the reader had chosen stays
  const rest = () => {
    if (drawRest !== rest) return;
    drawRest = null;
    const first = listeners.length;
    drawExplore(root);
    for (const listener of listeners.slice(first)) listener('problem');
    showChosen();
  };
  drawRest = rest;
  if (before) rest();
  else requestAnimationFrame(() => setTimeout(rest));
};
addEventListener('beforeprint', () => { if (drawRest) drawRest(); });

(() => {
  const block = document.getElementById('data');
  if (!block) return;
  // The tables of all are one click away, not in the way; folded first, or they would be laid out.
  for (const details of document.querySelectorAll('details.fold[open]')) details.open = false;
  render(JSON.parse(block.textContent));
  let width = innerWidth;
  addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; changed('colour'); } });
})();
