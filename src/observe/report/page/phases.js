/* Training, evaluating, checkpointing: what each takes of the run, and what limits it there. */
function renderPhases({diagnosis: d}) {
  if (!d.phases || d.phases.length < 2) return null;
  const colour = (phase) => (phase.stage ? stageColour(phase.stage) : stageColour(0));
  return h('section', {class: 'card', id: 'phases'}, h('h2', null, 'Phases'),
    h('p', {class: 'lead'}, 'What the training thread does over the run. A phase that takes little is not worth a fix, however slow it is.'),
    h('div', {class: 'strip', role: 'img', 'aria-label': 'shares of the phases'}, d.phases.map((p) => h('i', {style: `flex:${Math.max(0.002, p.share)};background:${colour(p)}`}))),
    table([{title: 'phase', cell: (p) => [swatch(colour(p)), p.name]},
      {title: 'of the run', number: true, cell: (_, i) => num(`diagnosis.phases.${i}.share`, 'share')},
      {title: 'time', number: true, cell: (_, i) => num(`diagnosis.phases.${i}.ns`, 'ns')},
      {title: 'times', number: true, cell: (_, i) => num(`diagnosis.phases.${i}.times`, 'count')}], d.phases),
    h('ul', {class: 'evidence'}, d.phases.map((p) => h('li', null, h('b', null, p.name), ': ', p.sentence))));
}
