'use strict';
// Elements. What comes out of the data is put in as text, never as markup.
const put = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, of] of Object.entries(value)) element.style.setProperty(key, of);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};
const make = (tag, attributes, ...children) => put(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => put(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
// A number and its unit stay on one line; a name in C++ may be broken behind ::.
const unbroken = (text) => text.replace(/(\d) us\b/g, '$1 \u00b5s').replace(/(\d) (?=%|[nm]s\b|\u00b5s|GB|KiB|MiB)/g, '$1\u00a0');
const breakable = (name) => name.split(/(?<=::)/).flatMap((part, k) => k > 0 ? [make('wbr'), part] : [part]);
// <select> of pairs [value, label].
const choice = (label, options, chosen, change) => make('label', { class: 'choice' }, `${label} `,
  make('select', { onchange: (event) => change(event.target.value) },
    options.map(([value, text]) => make('option', { value, selected: value === chosen }, text))));

// ---- scales ----
const linear = (low, high, from, to) => (value) => from + (to - from) * (high === low ? 0.5 : (value - low) / (high - low));
const logarithmic = (low, high, from, to) => {
  const scale = linear(Math.log(low), Math.log(high), from, to);
  return (value) => scale(Math.log(value));
};
// Round numbers from low to high, about `wanted` of them.
const ticks = (low, high, wanted) => {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((of) => of * power).find((of) => of >= rough);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at++) found.push(Number((at * step).toPrecision(12)));
  return found;
};
const ratioTicks = (low, high) => [0.1, 0.2, 0.5, 0.8, 1, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000]
  .filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);

// Points as one path: zero-length strokes with round ends. Thousands cost as much as one.
const dots = (pairs) => pairs.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h.01`).join('');
