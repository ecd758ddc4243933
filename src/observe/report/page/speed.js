/* Throughput over the run, and the time of each step. */
const MARKS = [[1, 'first of a feed'], [2, 'checkpoint'], [4, 'metrics fetched'], [8, 'evaluation after it'], [16, 'operations recorded']];
const SLOW = 2, SLOW_SHOWN = 5;

const marksText = (marks) => MARKS.filter(([bit]) => marks & bit).map(([, text]) => text).join(', ') || '–';
const secondsOf = (ns) => ns / 1e9;

function rateChart(windows) {
  const xs = windows.map((w) => secondsOf(w.begin_ns + w.ns / 2)), ys = windows.map((w) => w.samples / secondsOf(w.ns || 1));
  const last = windows[windows.length - 1], now = page.data.diagnosis.samples_per_s.value;
  return h('div', null, h('h3', null, 'Samples a second'),
    chart({label: 'samples a second over the run', height: 210, x: {min: 0, max: secondsOf(last.begin_ns + last.ns), kind: 's'},
      y: {max: Math.max(...ys, now) * 1.12, kind: 'rate'}, series: [{name: 'samples/s', colour: 'var(--accent)', xs, ys, fill: true}],
      levels: now > 0 ? [{y: now, text: 'mean'}] : []}),
    tableBehind('rate', [{title: 'from', number: true, cell: (w) => format(w.begin_ns, 'ns')}, {title: 'steps', number: true, cell: (w) => format(w.steps, 'count')},
      {title: 'samples/s', number: true, cell: (w) => format(w.samples / secondsOf(w.ns || 1), 'rate')},
      {title: 'slowest step', number: true, cell: (w) => format(w.longest_ns, 'ns')}], windows));
}

/* A few extreme steps must not flatten the rest: they are drawn at the upper edge, and the table has them. */
function stepChart(steps) {
  const {p50, p95, p99, slowest} = page.derived, top = Math.min(slowest, Math.max(p99 * 1.6, p50 * 2)) * 1.05;
  const ns = steps.map((s) => s.ns), xs = steps.map((s) => s.step);
  return h('div', null, h('h3', null, 'Time of each step'),
    chart({label: 'time of each step', height: 210, x: {min: xs[0], max: xs[xs.length - 1], kind: 'count'}, y: {max: top, kind: 'ns'},
      series: [{name: 'step', colour: 'var(--s4)', xs, ys: ns, kind: 'points'}],
      levels: [{y: p50, text: 'p50'}, {y: p95, text: 'p95'}, {y: p99, text: 'p99'}]}),
    tableBehind('steps', [{title: 'step', number: true, cell: (s) => format(s.step, 'count')}, {title: 'time', number: true, cell: (s) => format(s.ns, 'ns')},
      {title: 'samples', number: true, cell: (s) => format(s.samples, 'count')}, {title: 'marks', cell: (s) => marksText(s.marks)}], steps));
}

function slowSteps(steps) {
  const slow = steps.map((s, i) => [s, i]).filter(([s, i]) => i >= firstMeasured(page.data.profile) && s.ns > page.derived.p50 * SLOW).sort((a, b) => b[0].ns - a[0].ns).slice(0, SLOW_SHOWN);
  if (!slow.length) return null;
  const worst = (s) => s.exposed_ns.indexOf(Math.max(...s.exposed_ns));
  return [h('h3', {class: 'part'}, `Slow steps: more than ${SLOW} times the median`), table([
    {title: 'step', number: true, cell: ([, i]) => num(`profile.step_list.${i}.step`, 'count')},
    {title: 'time', number: true, cell: ([, i]) => num(`profile.step_list.${i}.ns`, 'ns')},
    {title: 'most of it', cell: ([s]) => stageChip(worst(s))}, {title: 'marks', cell: ([s]) => marksText(s.marks)},
    {title: 'timeline', cell: ([s]) => (timelineHasStep(s.step) ? h('button', {type: 'button', class: 'tool', onclick: () => timelineShowStep(s.step)}, 'Show') : 'not recorded')}], slow)];
}

function renderSpeed({profile: p}) {
  if (!p.windows.length && !p.step_list.length) return null;
  const left = firstMeasured(p);
  return h('section', {class: 'card', id: 'speed'}, h('h2', null, 'Speed'),
    left > 0 && h('p', {class: 'lead'}, `Numbers are of the ${p.step_list.length - left} steps after warm-up, as those of the verdict and the stages; charts show all ${p.step_list.length}.`),
    h('div', {class: 'tiles'}, tile(perSecond(), num('diagnosis.samples_per_s.value', 'rate')),
      p.step_list.length > 0 && [tile('median step', derived('p50', 'ns')), tile('95 % of steps within', derived('p95', 'ns')),
        tile('99 % within', derived('p99', 'ns')), tile('slowest', derived('slowest', 'ns'))]),
    h('div', {class: 'columns'}, p.windows.length > 0 && rateChart(p.windows), p.step_list.length > 1 && stepChart(p.step_list)),
    slowSteps(p.step_list));
}
