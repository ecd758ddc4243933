/* The operations of a step: sorted, filtered, as CSV, and against what the machine can do at most. */
const ops = {sort: 'ns', down: true, filter: '', all: false};
const OPS_SHOWN = 15;

/* The least time the machine would need, by its arithmetic or its memory, and which of them it is. An operation of a few starts whose work takes less than one is under neither roof. */
const FEW_STARTS = 4, LEAST_START_NS = 1000;
function leastTime(op, limits, mean) {
  const math = known(limits.flops) && known(op.flops) ? (op.flops / limits.flops) * 1e9 : 0, memory = known(limits.memory_bytes) && known(op.bytes) ? (op.bytes / limits.memory_bytes) * 1e9 : 0;
  const least = Math.max(math, memory), start = Math.max(LEAST_START_NS, limits.launch_ns), starts = least < start && mean <= FEW_STARTS * start;
  return {least, roof: !known(limits.flops) || !known(limits.memory_bytes) || !mean ? '' : starts ? 'launch' : !least ? '' : math > memory ? 'math' : 'memory'};
}

function opRows({profile: p}) {
  return p.ops.map((op, index) => {
    const mean = op.runs ? op.ns / op.runs : 0, {least, roof} = leastTime(op, p.limits, mean);
    return {...op, index, mean, roof, share: page.derived.op_ns ? op.ns / page.derived.op_ns : 0, flop_s: mean && known(op.flops) ? (op.flops / mean) * 1e9 : -1,
      bytes_s: mean && known(op.bytes) ? (op.bytes / mean) * 1e9 : -1, of_peak: mean && least ? least / mean : -1};
  });
}

const OP_COLUMNS = [
  {key: 'operation', title: 'operation'}, {key: 'name', title: 'name'}, {key: 'kernel', title: 'kernel'}, {key: 'phase', title: 'phase'},
  {key: 'runs', title: 'runs', kind: 'count', path: true}, {key: 'ns', title: 'time', kind: 'ns', path: true}, {key: 'share', title: 'share', kind: 'share'},
  {key: 'mean', title: 'mean', kind: 'ns'}, {key: 'flop_s', title: 'FLOP/s', kind: 'flop_s'}, {key: 'bytes_s', title: 'bytes/s', kind: 'bytes_s'},
  {key: 'roof', title: 'roof'}, {key: 'of_peak', title: 'of roof', kind: 'share'},
];

function opsChosen(data) {
  const wanted = ops.filter.toLowerCase(), rows = opRows(data).filter((op) => !wanted || `${op.operation} ${op.name} ${op.kernel} ${op.phase}`.toLowerCase().includes(wanted));
  const by = (a, b) => (typeof a[ops.sort] === 'string' ? a[ops.sort].localeCompare(b[ops.sort]) : a[ops.sort] - b[ops.sort]);
  return rows.sort((a, b) => (ops.down ? by(b, a) : by(a, b)));
}

/* A cell that begins like a formula would be run by a spreadsheet: it gets a quote in front. */
const csvCell = (value) => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};
function opsCsv(data) {
  const keys = ['operation', 'name', 'kernel', 'phase', 'runs', 'ns', 'share', 'mean', 'flops', 'bytes', 'flop_s', 'bytes_s', 'roof', 'of_peak'];
  return [keys.join(','), ...opsChosen(data).map((op) => keys.map((key) => csvCell(op[key] === -1 ? '' : op[key])).join(','))].join('\r\n') + '\r\n';
}

function download(name, text) {
  const link = h('a', {href: URL.createObjectURL(new Blob([text], {type: 'text/csv'})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* Long names may break after their punctuation. */
const breakable = (text) => text.split(/(?<=[_.:/])/).flatMap((part) => [part, h('wbr')]);

function opCell(op, c) {
  if (!c.kind) return breakable(op[c.key]);
  return shown(c.path ? `profile.ops.${op.index}.${c.key}` : `derived.op.${op.index}.${c.key}`, op[c.key], c.kind);
}

function opTable(data, again) {
  const rows = opsChosen(data), few = ops.all ? rows : rows.slice(0, OPS_SHOWN);
  const head = OP_COLUMNS.map((c) => h('th', {scope: 'col', class: c.kind ? 'n' : null, 'aria-sort': ops.sort === c.key ? (ops.down ? 'descending' : 'ascending') : null},
    h('button', {type: 'button', 'data-sort': c.key, onclick: () => {
      ops.down = ops.sort === c.key ? !ops.down : Boolean(c.kind);
      ops.sort = c.key;
      again(c.key);
    }}, c.title)));
  return [h('div', {class: 'scroll', tabindex: '0'}, h('table', {id: 'op-table'}, h('thead', null, h('tr', null, head)),
    h('tbody', null, few.map((op) => h('tr', null, OP_COLUMNS.map((c) => h('td', {class: c.kind ? 'n' : 'name'}, opCell(op, c)))))))),
  h('p', {class: 'row soft small', style: 'margin-top:.5rem'}, h('span', {id: 'op-count'}, `${format(few.length, 'count')} of ${format(data.profile.ops.length, 'count')} operations`),
    few.length < rows.length && h('button', {type: 'button', class: 'tool', onclick: () => { ops.all = true; again(); }}, 'Show all'))];
}

function renderOps(data) {
  if (!data.profile.ops.length) return null;
  const place = h('div'), again = (focus) => {
    place.replaceChildren(...opTable(data, again));
    if (focus) place.querySelector(`[data-sort="${focus}"]`).focus();
  };
  again();
  return h('section', {class: 'card long', id: 'ops'}, h('h2', null, 'Operations'),
    h('p', {class: 'lead'}, 'Time in each operation of a step. The last columns compare with the least time this machine could need: what bounds it (arithmetic, memory, or only the start of the operation), and how near it is; 100 % is the roofline.'),
    h('div', {class: 'tools'}, h('input', {type: 'search', id: 'op-filter', placeholder: 'filter', 'aria-label': 'filter operations', value: ops.filter, oninput: (e) => { ops.filter = e.target.value; again(); }}),
      h('button', {type: 'button', class: 'tool', id: 'op-csv', onclick: () => download('operations.csv', opsCsv(data))}, 'CSV')),
    place, roofline(data));
}
