/* Where a step goes: the mean step, and how that changed over the run. */
const ORDER = [1, 2, 3, 4, 5, 6, 7, 8, 0];

function meanStep(p) {
  const used = ORDER.filter((i) => p.stages[i].exposed_ns > 0), all = p.measured_ns || 1, steps = p.steps || 1;
  return h('div', null, h('h3', null, 'The mean step'),
    h('div', {class: 'strip', role: 'img', 'aria-label': 'parts of the mean step'}, used.map((i) => h('i', {title: `${STAGES[i]} ${format(p.stages[i].exposed_ns / all, 'share')}`, style: `flex:${p.stages[i].exposed_ns};background:${stageColour(i)}`}))),
    table([{title: 'stage', cell: (i) => [swatch(stageColour(i)), STAGES[i]]},
      {title: 'of a step', number: true, cell: (i) => shown(`derived.share.${i}`, p.stages[i].exposed_ns / all, 'share')},
      {title: 'time a step', number: true, cell: (i) => shown(`derived.mean.${i}`, p.stages[i].exposed_ns / steps, 'ns')}], used));
}

function breakdownChart(windows, used) {
  const xs = windows.flatMap((w) => [w.begin_ns / 1e9, (w.begin_ns + w.ns) / 1e9]);
  const series = used.map((i) => ({name: STAGES[i], colour: stageColour(i), xs, kind: 'stack', quiet: true,
    ys: windows.flatMap((w) => [w.exposed_ns[i] / (w.steps || 1), w.exposed_ns[i] / (w.steps || 1)])}));
  const heights = windows.map((w) => w.exposed_ns.reduce((a, b) => a + b, 0) / (w.steps || 1)).sort((a, b) => a - b);
  return h('div', null, h('h3', null, 'Time a step, over the run'),
    chart({label: 'time a step by stage over the run', height: 230, x: {min: 0, max: xs[xs.length - 1], kind: 's'}, y: {max: heights[heights.length - 1] * 1.08, kind: 'ns'}, series}),
    legend(used.map((i) => [STAGES[i], stageColour(i)])),
    tableBehind('breakdown', [{title: 'from', number: true, cell: (w) => format(w.begin_ns, 'ns')},
      ...used.map((i) => ({title: STAGES[i], number: true, cell: (w) => format(w.exposed_ns[i] / (w.steps || 1), 'ns')}))], windows));
}

function renderBreakdown({profile: p}) {
  if (!(p.measured_ns > 0)) return null;
  const used = ORDER.filter((i) => p.windows.some((w) => w.exposed_ns[i] > 0));
  return h('section', {class: 'card', id: 'breakdown'}, h('h2', null, 'Where a step goes'),
    h('p', {class: 'lead'}, 'The training thread\u2019s time without gaps: what happens beside it is not in this image.'),
    h('div', {class: 'columns'}, meanStep(p), p.windows.length > 0 && breakdownChart(p.windows, used)));
}
