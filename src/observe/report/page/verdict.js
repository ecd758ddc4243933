/* The verdict first: how well the device is fed, what holds it back, what to do and what that gains. */
const GOAL = 0.9, FAIR = 0.6;

const judged = () => page.data.diagnosis.samples_per_s.value > 0;

const MUCH = 0.25; /* a predicted gain that does not go with praise */
const predicted = (fix) => known(fix.samples_per_s.value) && !fix.at_most && !fix.supposed;
const bestGain = () => Math.max(0, ...page.data.diagnosis.fixes.filter(predicted).map((fix) => fix.gain));
const held = () => bestGain() >= MUCH || page.data.diagnosis.limit.cause === 'contention';
const light = (share) => (!judged() ? 'none' : share < FAIR ? 'bad' : share < GOAL ? 'fair' : held() ? 'slow' : 'good');
const LIGHT_TEXT = {none: 'not judged', good: 'well fed', slow: 'fed, but compute can be faster', fair: 'could be fed better', bad: 'starving'};
const LIGHT_COLOUR = {good: 'good', slow: 'fair', fair: 'fair', bad: 'bad', none: 'line'};
const perSecond = () => `${page.data.diagnosis.unit || 'samples'}/s`;

function arc(from, to, radius) {
  const at = (share) => {
    const angle = (share * 270 + 135) * (Math.PI / 180);
    return `${(84 + radius * Math.cos(angle)).toFixed(2)} ${(84 + radius * Math.sin(angle)).toFixed(2)}`;
  };
  return `M${at(from)}A${radius} ${radius} 0 ${(to - from) * 270 > 180 ? 1 : 0} 1 ${at(to)}`;
}

function gauge(share) {
  const style = (colour) => `fill:none;stroke-width:11;stroke:${colour}`, to = Math.max(0.002, Math.min(1, share || 0));
  return h('div', {class: 'gauge'}, svg('svg', {viewBox: '0 0 168 168', role: 'img', 'aria-label': 'share of a step that computes, against the goal of 90 %'},
    svg('path', {d: arc(0, 1, 76), style: style('var(--faint)')}),
    svg('path', {d: arc(0, to, 76), style: style(`var(--${LIGHT_COLOUR[light(share)]})`)}),
    svg('path', {d: arc(GOAL - 0.004, GOAL + 0.004, 76), style: 'fill:none;stroke-width:16;stroke:var(--ink)'}),
    svg('text', {x: 84, y: 88, 'text-anchor': 'middle', class: 'big', 'data-key': 'diagnosis.compute_share', 'data-kind': 'share'}, format(share, 'share')),
    svg('text', {x: 84, y: 110, 'text-anchor': 'middle', class: 'under'}, 'of a step computes'),
    svg('text', {x: 84, y: 152, 'text-anchor': 'middle', class: 'under'}, 'goal 90 %')));
}

const interval = (path, kind) => [' ', h('span', {class: 'soft small'}, '(', num(`${path}.low`, kind), ' to ', num(`${path}.high`, kind), ')')];

function verdictTiles(d) {
  const fine = d.limit.stage === COMPUTE;
  return h('div', {class: 'tiles'},
    tile(`${perSecond()} now`, num('diagnosis.samples_per_s.value', 'rate')),
    !fine && tile(`of a step lost to ${STAGES[d.limit.stage]}`, num('diagnosis.limit.share.value', 'share')),
    !fine && tile(`${perSecond()} without that; then ${STAGES[d.limit.next]} limits`, num('diagnosis.limit.if_removed.value', 'rate')),
    d.confidence > 0 && tile('of resampled runs say the same', num('diagnosis.confidence', 'share'))); /* a run that goes on is not resampled */
}

function renderVerdict({diagnosis: d}) {
  const how = light(d.compute_share), colour = how === 'none' ? how : LIGHT_COLOUR[how];
  return h('section', {class: `card verdict ${colour}`, id: 'verdict', 'aria-label': 'Verdict'}, gauge(d.compute_share),
    h('div', null, h('div', {class: 'row'}, stageChip(d.limit.stage), h('span', {class: 'chip', id: 'cause'}, d.limit.cause),
      h('span', {class: `chip ${colour}`}, LIGHT_TEXT[how])),
    h('p', {class: 'say', id: 'say'}, d.verdict || 'No verdict: there is too little to judge.'), verdictTiles(d),
    d.findings.map((f) => h('p', {class: 'warn finding'}, `${f.sentence}: ${f.advice}`)),
    d.warnings.length > 0 && h('p', {class: 'small', style: 'margin-top:.75rem'}, h('a', {href: '#warnings'}, d.warnings.length === 1 ? 'One thing' : `${d.warnings.length} things`, ' to know about this data'))));
}

const toType = (text) => text && h('div', {class: 'type'}, h('code', null, text), copyButton(text));

const fixItem = (fix, i) => h('li', {class: 'fix'},
  h('div', null, h('div', {class: 'gain'}, known(fix.samples_per_s.value) ? [fix.at_most && 'at most ', num(`diagnosis.fixes.${i}.gain`, 'gain')] : '?'),
    known(fix.samples_per_s.value) && !fix.at_most && h('div', {class: 'to'}, 'to ', num(`diagnosis.fixes.${i}.samples_per_s.value`, 'rate'), ` ${perSecond()}`,
      fix.samples_per_s.high > fix.samples_per_s.low && h('span', null, h('br'), num(`diagnosis.fixes.${i}.samples_per_s.low`, 'rate'), ' to ', num(`diagnosis.fixes.${i}.samples_per_s.high`, 'rate')))),
  h('div', null, h('h3', null, fix.title), h('p', {class: 'soft'}, fix.why),
    h('div', {class: 'row', style: 'margin-top:.35rem'}, stageChip(fix.stage), fix.changes_training && h('span', {class: 'chip fair'}, 'changes training')),
    toType(fix.command), toType(fix.recipe), toType(fix.code)));

function renderFixes({diagnosis: d}) {
  if (!judged()) return null;
  const others = d.limits.slice(1);
  return h('section', {class: 'card long', id: 'fixes'}, h('h2', null, 'What to do'),
    h('p', {class: 'lead'}, 'Gains are predicted by simulating the measured times without the obstacle, with their 95 % range.'),
    d.fixes.length ? h('ol', {class: 'fixes'}, d.fixes.map(fixItem)) : h('p', null, 'Nothing that would gain enough to be worth a change.'),
    others.length > 0 && [h('h3', {class: 'part'}, 'Also in the way'), h('ul', {class: 'evidence'}, others.map((limit, i) =>
      h('li', null, h('b', null, STAGES[limit.stage]), ' ', num(`diagnosis.limits.${i + 1}.share.value`, 'share'), ' of a step',
        interval(`diagnosis.limits.${i + 1}.share`, 'share'), '. ', limit.sentence)))],
    d.evidence.length > 0 && [h('h3', {class: 'part'}, 'Why we think so'), h('ul', {class: 'evidence', id: 'evidence'}, d.evidence.map((line) => h('li', null, line)))]);
}

function renderWarnings({diagnosis: d}) {
  if (!d.warnings.length) return null;
  return h('section', {class: 'card', id: 'warnings'}, h('h2', null, 'How good is this data?'),
    h('p', {class: 'lead'}, 'What to keep in mind when reading the numbers of this page.'), d.warnings.map((line) => h('p', {class: 'warn'}, line)));
}
