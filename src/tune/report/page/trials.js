/* All that was tried: sorted, filtered by what became of it, prediction beside measurement. */
const DECISIONS = {
  kept: ['good', 'shown to be faster'], 'no gain': ['', 'shown to gain less than is asked for'], slower: ['bad', 'shown to be slower'],
  undecided: ['fair', 'not shown either way in the time a trial has: taken back'], refused: ['fair', 'faster, but it changes what is learnt by more than it may'],
  failed: ['bad', 'it could not run'],
};
const view = {filter: 'dropped', sort: 'number', down: false};
const decisionChip = (name) => h('span', {class: `chip ${(DECISIONS[name] || [''])[0]}`}, name);

const matches = (trial) => view.filter === 'all' || (view.filter === 'dropped' ? !isKept(trial) : trial.decision === view.filter);
const valueOf = (gain) => (gain ? gain.value : null);
const SORTS = {number: (t) => t.number, title: (t) => t.title || t.action, decision: (t) => t.decision, predicted: (t) => valueOf(t.predicted), gain: (t) => valueOf(t.gain),
  observations: (t) => t.observations, seconds: (t) => t.seconds};

/* What is not known comes last, either way. */
function compare(a, b) {
  const x = SORTS[view.sort](a), y = SORTS[view.sort](b);
  if (x === null || y === null) return (x === null) - (y === null);
  return (typeof x === 'string' ? x.localeCompare(y) : x - y) * (view.down ? -1 : 1);
}

/* Gains on one scale for all rows, zero in it: prediction as a ring, measurement as a dot on its interval. Roots of gains are drawn:
 * else one large prediction would push all others together at zero. */
const MARKS = [-0.5, -0.1, -0.01, 0, 0.01, 0.1, 0.5, 1, 4], CLOSEST = 13;
const root = (gain) => Math.sign(gain) * Math.sqrt(Math.abs(gain));

function gainScale(trials) {
  const seen = trials.flatMap((t) => [valueOf(t.predicted), valueOf(t.gain), t.gain && t.gain.low, t.gain && t.gain.high]).filter((v) => v !== null);
  const low = root(Math.max(-0.6, Math.min(-0.02, ...seen))) * 1.1, high = root(Math.min(5, Math.max(0.05, ...seen))) * 1.1;
  const at = (gain) => Math.max(0, Math.min(100, ((root(gain) - low) / (high - low)) * 100));
  const marks = MARKS.filter((gain) => root(gain) > low && root(gain) < high);
  return {at, marks, named: marks.filter((gain) => gain === 0 || Math.abs(gain) >= 0.1 && Math.abs(at(gain) - at(0)) > CLOSEST)};
}

const onScale = (scale) => scale.marks.map((gain) => h('i', {class: gain ? 'mark' : 'mark zero', style: `left:${scale.at(gain)}%`}));
const plotHead = (scale) => [h('div', {class: 'key'}, '○ predicted ● measured'), h('div', {class: 'plot head'}, scale.named.map((gain) =>
  h('span', {style: `left:${scale.at(gain)}%`}, gain === 0 ? '0' : gain >= 1 ? `${1 + gain}x` : `${gain > 0 ? '+' : '−'}${Math.abs(gain * 100)} %`)))];

function gainPlot(trial, scale) {
  const {gain, predicted} = trial, {at} = scale;
  const low = gain && (gain.low === null ? 0 : at(gain.low)), high = gain && (gain.high === null ? 100 : at(gain.high));
  return h('div', {class: 'plot', 'aria-hidden': 'true'}, onScale(scale),
    gain && h('i', {class: 'line', style: `left:${low.toFixed(1)}%;width:${(high - low).toFixed(1)}%`}),
    predicted && h('i', {class: 'ring', style: `left:${at(predicted.value).toFixed(1)}%`}), gain && h('i', {class: `dot ${isKept(trial) ? 'good' : ''}`, style: `left:${at(gain.value).toFixed(1)}%`}));
}

const COLUMNS = [
  {key: 'number', title: '#', number: true, cell: (t) => t.number},
  {key: 'title', title: 'change', wide: true, cell: (t) => [h('b', null, t.title || t.action), settings(t.change, t.before), t.reason && h('p', {class: 'soft small'}, t.reason),
    h('p', {class: 'soft small'}, t.stage > 0 && [swatch(stageColour(t.stage)), STAGES[t.stage], ', '], t.class)]},
  {key: 'decision', title: 'decision', cell: (t) => decisionChip(t.decision)},
  {key: 'predicted', title: 'predicted', number: true, cell: (t, i) => (t.predicted ? num(`trials.${i}.predicted.value`, 'gain') : '–')},
  {key: 'gain', title: 'measured', number: true, cell: (t, i) => gainText(`trials.${i}.gain`, t.gain)},
  {plot: true},
  {key: 'observations', title: 'compared', number: true, cell: (t, i) => (t.observations ? [num(`trials.${i}.observations`, 'count'), ' ×'] : '–')},
  {key: 'seconds', title: 'took', number: true, cell: (t, i) => num(`trials.${i}.seconds`, 's')},
];

function heading(column, scale, again) {
  if (column.plot) return h('th', {scope: 'col'}, plotHead(scale));
  const turn = () => {
    view.down = view.sort === column.key ? !view.down : ['predicted', 'gain', 'observations', 'seconds'].includes(column.key);
    view.sort = column.key;
    again(`[data-sort="${column.key}"]`);
  };
  return h('th', {scope: 'col', class: column.number ? 'n' : null, 'aria-sort': view.sort === column.key ? (view.down ? 'descending' : 'ascending') : null},
    h('button', {type: 'button', 'data-sort': column.key, onclick: turn}, column.title));
}

function trialTable(data, again) {
  const rows = data.trials.map((trial, index) => [trial, index]).filter(([trial]) => matches(trial)).sort((a, b) => compare(a[0], b[0])), scale = gainScale(data.trials);
  if (!rows.length) return h('p', {class: 'soft'}, 'None.');
  return h('div', {class: 'scroll'}, h('table', {id: 'trial-table'}, h('thead', null, h('tr', null, COLUMNS.map((c) => heading(c, scale, again)))),
    h('tbody', null, rows.map(([trial, index]) => h('tr', null, COLUMNS.map((c) => h('td', {class: c.number ? 'n' : c.wide ? 'name' : null}, c.plot ? gainPlot(trial, scale) : c.cell(trial, index))))))));
}

function filters(data, again) {
  const count = (name) => data.trials.filter((t) => name === 'all' || (name === 'dropped' ? !isKept(t) : t.decision === name)).length;
  const names = ['dropped', 'all', ...Object.keys(DECISIONS)].filter((name) => name === 'dropped' || name === 'all' || count(name));
  return h('div', {class: 'tools', role: 'group', 'aria-label': 'Show'}, names.map((name) => h('button', {type: 'button', class: 'tool', 'data-filter': name, 'aria-pressed': String(view.filter === name),
    title: DECISIONS[name] ? DECISIONS[name][1] : null, onclick: () => { view.filter = name; again(`[data-filter="${name}"]`); }}, `${name} ${count(name)}`)));
}

function renderTrials(data) {
  const box = h('div'), used = Object.entries(DECISIONS).filter(([name]) => data.trials.some((t) => t.decision === name));
  if (!data.trials.length) return h('section', {class: 'card', id: 'trials'}, h('h2', null, 'What was tried'), h('p', {class: 'lead'}, 'Nothing was tried: ', data.ended || 'the search had not come so far.'));
  const draw = (focus) => {
    box.replaceChildren(filters(data, draw), trialTable(data, draw));
    if (focus) box.querySelector(focus)?.focus({preventScroll: true});
  };
  if (data.trials.every(isKept)) view.filter = 'all';
  draw();
  return h('section', {class: 'card long', id: 'trials'}, h('h2', null, 'What was tried'),
    h('p', {class: 'lead'}, used.map(([name, [, what]]) => [h('b', null, name), `: ${what}. `])), box);
}
