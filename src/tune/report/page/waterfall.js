/* From the start to the result: a bar a kept change. */
const FLAT = 1.25, ROOM = 1.04;

/* Where the axis begins and ends. Small gains would be slivers on an axis from zero: it then begins further up, and says so. */
function axis(data, list) {
  const rates = [data.base_rate, data.best_rate, ...list.flatMap((s) => [s.from, s.to])].filter(Boolean);
  const bounds = list.flatMap((s) => [s.low, s.high]).filter(Boolean), low = Math.min(...rates), high = Math.max(...rates);
  const most = Math.min(Math.max(high, ...bounds), high * 1.5) * ROOM, span = most - low;
  const marks = low > 0 && high / low < FLAT ? ticks(Math.max(0, low - span), most, 5) : ticks(0, most, 5);
  const from = marks[0];
  return {from, to: most, marks, at: (rate) => Math.max(0, Math.min(100, ((rate - from) / (most - from)) * 100))};
}

const place = (ax, from, to) => `left:${ax.at(Math.min(from, to)).toFixed(2)}%;width:${(ax.at(Math.max(from, to)) - ax.at(Math.min(from, to))).toFixed(2)}%`;

/* Bounds beyond the edge are open: without an end. */
function whisker(ax, low, high) {
  if (low === null || high === null || low === undefined || high === undefined) return null;
  return h('i', {class: `whisker${high > ax.to ? ' open-right' : ''}${low < ax.from ? ' open-left' : ''}`, style: place(ax, low, high)});
}

function fallRow(ax, row) {
  return h('li', {class: `fall ${row.class || ''}`}, h('span', {class: 'what'}, row.number && h('span', {class: 'soft no'}, row.number), h('span', {class: 'name', title: row.title}, row.title)),
    h('span', {class: 'track', 'aria-hidden': 'true'}, ax.marks.map((mark) => h('i', {class: 'mark', style: `left:${ax.at(mark)}%`})),
      row.joint && h('i', {class: 'joint', style: `left:${ax.at(row.from)}%`}),
      h('i', {class: 'piece', style: `${place(ax, row.from, row.to)};background:${row.colour}`}), whisker(ax, row.low, row.high)),
    h('span', {class: 'gain'}, row.gain), h('span', {class: 'rate'}, row.rate));
}

const shortRate = (rate) => (rate >= 1e6 ? `${format(rate / 1e6, 'digits')} M` : rate >= 1000 ? withCommas(rate) : format(rate, 'digits'));
const fallStep = (ax, {trial, index, from, to, low, high}) => fallRow(ax, {number: trial.number, title: trial.title || trial.action, joint: true, from, to, low, high,
  colour: stageColour(trial.stage), gain: trial.gain ? num(`trials.${index}.gain.value`, 'gain') : '–', rate: format(to, 'rate')});

/* What the trials promise, and what the last measurement found, may differ: why is said. */
function together(data) {
  const {product} = page.derived, measured = data.gain ? data.gain.value : null;
  if (product === null || measured === null || page.derived.steps.length < 2) return null;
  const ratio = (1 + measured) / (1 + product);
  if (Math.abs(ratio - 1) < 0.03) return null;
  return h('p', {class: 'soft small'}, `One by one the changes make ${format(product, 'gain')}, together they measure ${format(measured, 'gain')}: `,
    ratio < 1 ? 'some help with the same thing, the machine was slower at the end, or a trial was lucky.' : 'some help each other, or the machine was faster at the end.', ' The last measurement counts.');
}

function fallRows(data, ax) {
  const list = page.derived.steps, whole = {from: ax.from, colour: 'var(--soft)'};
  const best = data.best_rate || null, bound = (key) => (data.gain && data.gain[key] !== null && data.base_rate ? data.base_rate * (1 + data.gain[key]) : null);
  return [fallRow(ax, {...whole, class: 'end', title: 'Start', to: data.base_rate, rate: num('base_rate', 'rate')}),
    list.map((step) => fallStep(ax, step)),
    best && fallRow(ax, {...whole, class: 'end', title: data.gain ? 'Result, measured against the start' : 'Result', to: best, low: bound('low'), high: bound('high'), gain: data.gain && num('gain.value', 'gain'), rate: num('best_rate', 'rate')})];
}

function renderWaterfall(data) {
  const list = page.derived.steps;
  if (!data.base_rate || !list.length) return null;
  const ax = axis(data, list), used = [...new Set(list.map(({trial}) => trial.stage))].sort();
  return h('section', {class: 'card', id: 'waterfall'}, h('h2', null, 'From the start to the result'),
    h('p', {class: 'lead'}, `What each kept change added to the ${perSecond()}, in the order in which they were found. The thin line is the 95 % interval of that change alone.`),
    h('ol', {class: 'falls'}, h('li', {class: 'fall head', 'aria-hidden': 'true'}, h('span', {class: 'what'}), h('span', {class: 'track'}), h('span', {class: 'gain'}, 'gain'), h('span', {class: 'rate'}, perSecond())),
      fallRows(data, ax),
      h('li', {class: 'fall axis', 'aria-hidden': 'true'}, h('span', {class: 'what'}), h('span', {class: 'track'}, ax.marks.map((mark) => h('span', {class: 'mark', style: `left:${ax.at(mark)}%`}, shortRate(mark)))), h('span', {class: 'gain'}), h('span', {class: 'rate'}))),
    legend(used.map((stage) => [stage ? `helps ${STAGES[stage]}` : 'no single stage', stageColour(stage)])),
    ax.from > 0 && h('p', {class: 'soft small'}, `The axis begins at ${format(ax.from, 'rate')}, not at zero: otherwise nothing could be seen.`), together(data));
}
