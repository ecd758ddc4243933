/* The result in a sentence, and its numbers. */
const byFactor = (gain) => (gain >= 1 ? `${(1 + gain).toFixed(gain < 9 ? 1 : 0)}x` : `${(gain * 100).toFixed(gain < 0.0995 ? 1 : 0)} %`);

/* Only what the last measurement, where there is one, bears out is called faster. */
const isFaster = ({gain}) => page.derived.steps.length > 0 && (gain ? gain.low !== null && gain.low > 0 : page.derived.gain > 0);

/* "2.4x faster" */
function claim(data) {
  if (isFaster(data)) return `${byFactor(page.derived.gain)} faster`;
  return data.gain && data.gain.high !== null && data.gain.high < 0 ? 'Slower, measured at the end' : 'Not shown to be faster';
}

function sentence(data) {
  const tried = data.trials.length, kept = page.derived.steps.length, rate = (value) => format(value, 'rate'), took = about(data.seconds);
  const so = data.ended ? '' : 'So far: ', tail = `, ${took}.`;
  if (!data.base_rate) return data.ended ? `Nothing was measured${tail}` : 'Nothing is measured yet.';
  if (!tried) return `${so}${rate(data.base_rate)} ${perSecond()}; no change was tried${tail}`;
  if (!kept) return `${so}Nothing faster was found: it stays at ${rate(data.base_rate)} ${perSecond()}, with ${plural(tried, 'change')} tried${tail}`;
  const best = data.best_rate || data.base_rate * (1 + page.derived.gain);
  return `${so}${claim(data)}: ${rate(data.base_rate)} to ${rate(best)} ${perSecond()}, ${kept} of ${plural(tried, 'change')} kept${tail}`;
}

function sameLearning() {
  const learning = page.derived.steps.filter(({trial}) => trial.class === 'learning').length;
  if (!page.derived.steps.length) return null;
  if (learning) return h('p', {class: 'warn'}, `${plural(learning, 'kept change')} ${learning === 1 ? 'makes' : 'make'} it another training (marked `, classChip('learning'), '): compare the accuracy before you rely on the result.');
  return h('p', {class: 'soft'}, 'What is learnt stays the same: no kept change is more than a different rounding.');
}

function energyTile(data) {
  const {base_joules: was, best_joules: now} = data;
  if (!was && !now) return null;
  return tile(['joules a sample', was && now && was !== now ? [' (', format(now / was - 1, 'gain'), '); it was ', num('base_joules', 'digits')] : now ? '' : ', at the start'],
    now ? num('best_joules', 'digits') : num('base_joules', 'digits'));
}

function resultTiles(data) {
  const {gain} = page.derived, faster = isFaster(data);
  return h('div', {class: 'tiles'},
    data.base_rate && tile(`${perSecond()} at the start`, num('base_rate', 'rate')),
    page.derived.steps.length > 0 && data.best_rate && tile(`${perSecond()} now`, num('best_rate', 'rate')),
    faster && tile('takes now what took an hour', about(3600 / (1 + gain))),
    energyTile(data),
    data.seconds > 0 && tile(data.budget_s ? `for the search, of ${about(data.budget_s)} allowed` : 'for the search', num('seconds', 's')));
}

/* The gain in large: what one sees first. */
function factor(data, faster) {
  const {gain} = page.derived, range = data.gain && data.gain.low !== null && data.gain.high !== null;
  if (!data.base_rate) return h('div', {class: 'factor'}, h('b', null, '–'), h('span', {class: 'soft small'}, 'not measured'));
  if (!page.derived.steps.length || gain === null) return h('div', {class: 'factor'}, h('b', null, '1x'), h('span', {class: 'soft small'}, 'the start is best'));
  return h('div', {class: 'factor'}, h('b', {class: faster ? 'good' : null}, format(gain, 'gain')),
    h('span', {class: 'soft small'}, gain >= 1 ? 'the speed of the start' : 'speed against the start'),
    range && h('span', {class: 'soft small', title: '95 % interval'}, h('span', null, num('gain.low', 'gain'), ' to ', num('gain.high', 'gain'))));
}

function renderResult(data) {
  const faster = isFaster(data);
  return h('section', {class: `card verdict ${faster ? 'good' : 'fair'}`, id: 'result', 'aria-label': 'Result'}, factor(data, faster),
    h('div', null, !data.ended && h('span', {class: 'chip fair', id: 'open'}, 'the search has not ended'), h('p', {class: 'say', id: 'say'}, sentence(data)), sameLearning(),
    data.ended && h('p', {class: 'soft'}, 'Why it ended: ', data.ended), resultTiles(data)));
}
