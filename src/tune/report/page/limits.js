/* Where the time of a sample goes, at the start and now. */
const LEAST_SHARE = 0.002, NAMED_SHARE = 0.045, ROOMY_SHARE = 0.15;

/* Shares by stage, the loop and what nobody claims last. */
function parts(limit) {
  const sum = limit.exposed.reduce((all, share) => all + Math.max(0, share || 0), 0), scale = sum > 1 ? 1 / sum : 1;
  const list = limit.exposed.map((share, stage) => ({stage, share: Math.max(0, share || 0) * scale}));
  list[0].share += Math.max(0, 1 - Math.min(1, sum));
  return [...list.slice(1), list[0]];
}

/* Both strips have the same scale of time, where rates are known: a shorter strip is a faster sample. */
function strip(title, limit, rate, longest) {
  const wide = rate && longest ? 1 / rate / longest : 1, head = h('div', {class: 'strip-head'}, h('h3', null, title), rate && h('span', {class: 'soft small'}, `${format(1e9 / rate, 'ns')} a ${(page.data.unit || 'samples').replace(/s$/, '')}`));
  if (!limit) return h('div', null, head, h('p', {class: 'unknown', style: `width:${(wide * 100).toFixed(2)}%`}, 'not known'));
  const all = parts(limit).filter(({share}) => share > LEAST_SHARE);
  return h('div', null, head,
    h('div', {class: 'strip', style: `width:${(wide * 100).toFixed(2)}%`, role: 'img', 'aria-label': all.map(({stage, share}) => `${STAGES[stage]} ${format(share, 'share')}`).join(', ')},
      all.map(({stage, share}) => h('i', {title: `${STAGES[stage]} ${format(share, 'share')}`, style: `flex:${share} 1 0;background:${stageColour(stage)}`},
        share * wide >= NAMED_SHARE && h('span', {class: share * wide < ROOMY_SHARE ? 'tight' : null}, `${Math.round(share * 100)} %`)))),
    limit.verdict && h('p', {class: 'small'}, limit.verdict));
}

function limitTable(data, both) {
  const time = (share, rate) => (rate ? format((share / rate) * 1e9, 'ns') : '–'), one = (limit, stage) => (limit ? parts(limit).find((p) => p.stage === stage).share : null);
  const sides = [['start', data.limit_base, data.base_rate], ['result', data.limit_best, data.best_rate]].filter(([, limit]) => limit);
  return table([{title: 'stage', cell: (stage) => [swatch(stageColour(stage)), STAGES[stage]]},
    ...sides.flatMap(([name, limit, rate]) => [{title: `${name}: share`, number: true, cell: (stage) => format(one(limit, stage), 'share')},
      {title: 'time a sample', number: true, cell: (stage) => time(one(limit, stage), rate)}])], both);
}

function renderLimits(data) {
  if (!data.limit_base && !data.limit_best) return null;
  const longest = data.base_rate && data.best_rate ? Math.max(1 / data.base_rate, 1 / data.best_rate) : null;
  const used = [...STAGES.keys()].slice(1).concat(0).filter((stage) => [data.limit_base, data.limit_best].some((limit) => limit && parts(limit).find((p) => p.stage === stage).share > LEAST_SHARE));
  return h('section', {class: 'card', id: 'limits'}, h('h2', null, 'What holds it back'),
    h('p', {class: 'lead'}, 'Where the time goes in which training waits for a stage or is in it. What runs beside it costs nothing and is not shown. ',
      longest && 'The strips have the same scale of time: the shorter, the faster.'),
    h('div', {class: 'strips'}, strip('At the start', data.limit_base, data.base_rate, longest), (data.limit_best || page.derived.steps.length > 0) && strip('Now', data.limit_best, data.best_rate, longest)),
    legend(used.map((stage) => [STAGES[stage], stageColour(stage)])), unfold('limits', 'Table', () => limitTable(data, used)));
}
