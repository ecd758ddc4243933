/* Elements, and numbers that remember where in the data they come from. */
const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false && child !== '') element.append(child);
  return element;
}

const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const lookUp = (root, path) => path.split('.').reduce((at, key) => (at === null || at === undefined ? at : at[key]), root);

/* The value at a path of the data, formatted; the path stays with it. */
const num = (path, kind) => shown(path, lookUp(page.data, path), kind);
/* A value that was worked out here; the name says how. */
const shown = (key, value, kind) => h('span', {'data-key': key, 'data-kind': kind}, format(value, kind));

const known = (value) => typeof value === 'number' && value >= 0;

const tile = (what, ...value) => h('div', {class: 'tile'}, h('b', null, value), h('span', {class: 'what'}, what));
const fact = (what, ...value) => h('div', null, h('dt', null, what), h('dd', null, value));
const swatch = (colour) => h('span', {class: 'swatch', style: `background:${colour}`, 'aria-hidden': 'true'});

const legend = (items) => h('ul', {class: 'legend'}, items.map(([name, colour]) => h('li', null, swatch(colour), name)));

/* A bar of parts: [share of the whole, colour]. */
const bar = (...parts) => h('div', {class: 'bar', 'aria-hidden': 'true'},
  parts.map(([share, colour]) => h('i', {style: `width:${Math.max(0, Math.min(1, share || 0)) * 100}%;background:${colour}`})));

function copyButton(text) {
  const button = h('button', {type: 'button', class: 'plain', onclick: () => {
    navigator.clipboard?.writeText(text).then(() => { button.textContent = 'Copied'; }, () => { button.textContent = 'Select it'; });
  }}, 'Copy');
  return button;
}

/* Details that stay open when the page is drawn again; the content is made when it is first seen. */
function unfold(key, title, make) {
  const element = h('details', {'data-unfold': key}, h('summary', null, title));
  const show = () => {
    if (element.open) page.open.add(key);
    else page.open.delete(key);
    if (element.open && element.childElementCount === 1) element.append(make());
  };
  element.addEventListener('toggle', show);
  if (page.open.has(key)) {
    element.open = true;
    element.append(make());
  }
  return element;
}

/* columns: {title, cell(row, index), number}. */
function table(columns, rows, tall) {
  const head = h('tr', null, columns.map((c) => h('th', {scope: 'col', class: c.number ? 'n' : null}, c.title)));
  const body = rows.map((row, i) => h('tr', null,
    columns.map((c) => h('td', {class: c.number ? 'n' : c.wide ? 'name' : null}, c.cell(row, i)))));
  return h('div', {class: tall ? 'scroll tall' : 'scroll', tabindex: tall ? '0' : null},
    h('table', null, h('thead', null, head), h('tbody', null, body)));
}

/* The table behind a chart: at most some hundred rows, evenly taken, and it says so. */
const TABLE_ROWS = 400;
function tableBehind(key, columns, rows) {
  return unfold(key, 'Table', () => {
    const every = Math.ceil(rows.length / TABLE_ROWS), few = rows.filter((_, i) => i % every === 0);
    return h('div', null, every > 1 && h('p', {class: 'soft small'}, `Every ${every}th of ${withCommas(rows.length)} rows.`),
      table(columns, few, true));
  });
}
