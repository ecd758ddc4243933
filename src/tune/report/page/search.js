/* How far the numbers can be trusted, and what ran where. */
const middle = (values) => [...values].sort((a, b) => a - b)[Math.ceil(values.length / 2) - 1];

function noiseText(data) {
  const counts = data.trials.map((t) => t.observations).filter((count) => count > 0);
  return h('p', {class: 'lead'}, data.noise ? ['Compared with itself, a setting seems to gain or lose ', h('b', null, num('noise', 'share')),
    ` on this machine (standard deviation of a comparison): one alone cannot tell a change of less than about ${format(2 * data.noise, 'share')} from chance. `] : 'How much comparisons on this machine scatter is not known. ',
  `So each change is compared again and again with what was best, until its 95 % interval lies above or below ${format(data.least, 'share')}, the smallest gain worth keeping`,
  counts.length > 1 && `; half of the changes needed no more than ${plural(middle(counts), 'comparison')}`, '. The intervals hold however often one looks, so that ending early does not flatter a change.');
}

/* "2024-05-01T12:30:00Z" without what people do not read. */
const dateText = (text) => text.replace('T', ' ').replace(/(\.\d+)?Z$/, '');

function renderSearch(data) {
  return h('section', {class: 'card', id: 'search'}, h('h2', null, 'The search'), noiseText(data),
    h('dl', {class: 'facts'},
      data.subject && h('div', {class: 'wide'}, h('dt', null, isRecipe() ? 'data' : 'command'), h('dd', null, h('code', {id: 'subject'}, data.subject))),
      h('div', {class: 'wide'}, h('dt', null, 'why it ended'), h('dd', {id: 'ended'}, data.ended || 'It has not: it goes on, or was interrupted. The same command with --resume goes on from here.')),
      data.objective && fact('what counts', data.objective), data.started && fact('began (UTC)', dateText(data.started)), fact('time used', num('seconds', 's')), data.budget_s && fact('time allowed', num('budget_s', 's')),
      fact('smallest gain to keep', num('least', 'share')), fact('changes tried', withCommas(data.trials.length)), data.noise && fact('noise of one comparison', num('noise', 'share')),
      data.host && fact('machine', data.host), data.processor && fact('processor', data.processor), data.cores > 0 && fact('cores', num('cores', 'count')),
      data.version && fact('version of Stoker', data.version)));
}
