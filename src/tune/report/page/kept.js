/* The changes that stay, and what only a person can do. */
const joules = (value) => value.toPrecision(3);
const facts = (trial) => [`${plural(trial.observations, 'comparison')} in ${about(trial.seconds)}`,
  trial.predicted && `predicted ${format(trial.predicted.value, 'gain')}`,
  trial.joules_before && trial.joules_after && `${joules(trial.joules_before)} to ${joules(trial.joules_after)} joules a sample`].filter(Boolean).join('; ');

const keptItem = ({trial, index, from, to}) => h('li', {class: 'fix'},
  h('div', null, h('div', {class: 'gain'}, trial.gain ? num(`trials.${index}.gain.value`, 'gain') : '?'),
    trial.gain && trial.gain.low !== null && trial.gain.high !== null && h('div', {class: 'to'}, num(`trials.${index}.gain.low`, 'gain'), ' to ', num(`trials.${index}.gain.high`, 'gain')),
    from && to && h('div', {class: 'to'}, `to ${format(to, 'rate')}/s`)),
  h('div', null, h('h3', null, trial.title || trial.action), settings(trial.change, trial.before), trial.reason && h('p', {class: 'soft small'}, trial.reason),
    h('div', {class: 'row', style: 'margin-top:.35rem'}, helped(trial.stage), classChip(trial.class), h('span', {class: 'soft small'}, facts(trial)))));

function renderKept() {
  const list = page.derived.steps, used = Object.keys(CLASSES).filter((kind) => list.some(({trial}) => trial.class === kind));
  if (!list.length) return null;
  return h('section', {class: 'card long', id: 'kept'}, h('h2', null, 'What was kept'),
    h('p', {class: 'lead'}, 'Each was measured beside what was best until then. ', used.map((kind) => [h('b', null, kind), ` ${CLASSES[kind]}. `])),
    h('ol', {class: 'fixes'}, list.map(keptItem)));
}

function renderAdvice({advice}) {
  if (!advice.length) return null;
  return h('section', {class: 'card', id: 'advice'}, h('h2', null, 'What only you can do'),
    h('p', {class: 'lead'}, 'Not tried, as it needs a person, another machine or other data. Gains are predicted, not measured.'),
    h('ul', {class: 'fixes'}, advice.map((one, i) => h('li', {class: 'fix'}, h('div', {class: 'gain'}, one.gain ? num(`advice.${i}.gain.value`, 'gain') : h('span', {class: 'soft'}, '?')),
      h('div', null, h('p', null, one.text), !one.gain && h('p', {class: 'soft small'}, 'How much it gains cannot be predicted.'))))));
}
