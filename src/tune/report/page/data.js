/* What the page shows: the report of a search as the library writes it; what is not known is null. */
const page = {data: null, open: new Set()};

const isKept = (trial) => trial.decision === 'kept';
const perSecond = () => `${page.data.unit || 'samples'}/s`;
const isRecipe = () => page.data.kind === 'recipe';
const plural = (count, one, many) => `${withCommas(count)} ${count === 1 ? one : many || `${one}s`}`;

/* Short for a sentence: "14 min". */
function about(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/* Kept changes with the rate that each led to: its measured gain on top of those before it. The machine drifts between trials, so rates
 * of two trials do not compare, but gains do. */
function steps(data) {
  let rate = data.base_rate;
  return data.trials.map((trial, index) => ({trial, index})).filter(({trial}) => isKept(trial)).map((step) => {
    const {gain} = step.trial, from = rate;
    if (!from || !gain) return {...step, from, to: from};
    rate = from * (1 + gain.value);
    return {...step, from, to: rate, low: gain.low === null ? null : from * (1 + gain.low), high: gain.high === null ? null : from * (1 + gain.high)};
  });
}

/* The gain of the result over the start: as it was measured at the end, else what the kept changes make together. */
function settle(data) {
  for (const trial of data.trials) trial.stage = stageNumber(trial.stage);
  page.data = data;
  const kept = steps(data), last = kept[kept.length - 1];
  page.derived = {steps: kept, product: last && last.to && data.base_rate ? last.to / data.base_rate - 1 : null};
  page.derived.gain = data.gain ? data.gain.value : page.derived.product;
  return data;
}

/* A gain with its interval. Where that is open, the number is a first impression. */
function gainText(path, gain) {
  if (!gain) return h('span', {class: 'soft'}, '–');
  const open = gain.low === null || gain.high === null;
  return [open && h('span', {class: 'soft'}, 'about '), h('b', null, num(`${path}.value`, 'gain')),
    !open && h('span', {class: 'soft small range'}, ' ', num(`${path}.low`, 'gain'), ' to ', num(`${path}.high`, 'gain'))];
}

const CLASSES = {exact: 'learns the same bits', equal: 'learns from the same samples by the same mathematics, up to rounding',
  learning: 'is another training: compare the accuracy'};
const classChip = (kind) => h('span', {class: `chip ${kind === 'learning' ? 'fair' : ''}`, title: `${kind}: ${CLASSES[kind] || ''}`}, kind);

/* The loop itself is nothing that a change helps. */
const helped = (stage) => stage > 0 && stageChip(stage);

/* "data.batch: 32 → 64" */
function settings(change, before) {
  return h('ul', {class: 'settings'}, Object.entries(change).map(([key, value]) => h('li', null, h('code', null, key, ': '),
    before[key] === undefined ? h('span', {class: 'soft small'}, 'as it was') : h('code', {class: 'was'}, before[key] || '""'), ' → ', h('code', {class: 'now'}, value || '""'))));
}
