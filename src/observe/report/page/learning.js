/* How the run learns: where it is, what is left, the best so far, and its curves. */
const STATE_LIGHT = {running: 'good', done: 'good', 'stopped early': 'fair', interrupted: 'fair', failed: 'bad'};
const SMOOTH_PARTS = 25, SMOOTH_FEWEST = 10;

/* As stk_chart_smooth does it: means that fade with the distance back. */
function smooth(ys) {
  const span = ys.length / SMOOTH_PARTS, keep = ys.length < SMOOTH_FEWEST || span <= 1 ? 0 : (span - 1) / (span + 1);
  let sum = 0, weight = 0;
  return ys.map((y) => {
    if (y === null) return null;
    sum = sum * keep + y;
    weight = weight * keep + 1;
    return sum / weight;
  });
}

function learningTiles(l) {
  const running = l.state === 'running', best = l.best;
  return h('div', {class: 'tiles'},
    tile('epoch', num('learning.epoch', 'count'), h('span', {class: 'soft small'}, ' of ', num('learning.epochs', 'count'))),
    tile('step', num('learning.step', 'count'), h('span', {class: 'soft small'}, ' of ', num('learning.steps', 'count'))),
    running ? tile('left, about', num('learning.seconds_left', 's')) : tile('time', num('learning.seconds', 's')),
    tile('loss, training', num('learning.last.loss', 'digits')),
    tile('accuracy, training', num('learning.last.accuracy', 'share')),
    best && tile(`best validation, epoch ${format(best.epoch, 'digits')}`, num('learning.best.validation_accuracy', 'share')),
    tile('learning rate', num('learning.last.learning_rate', 'digits')));
}

function renderLearning({learning: l}) {
  if (!l) return null;
  const share = l.steps > 0 ? l.step / l.steps : 0;
  return h('section', {class: 'card learning', id: 'learning', 'aria-label': 'Learning'},
    h('div', {class: 'row'}, h('h2', null, 'Learning'), h('span', {class: `chip ${STATE_LIGHT[l.state] || ''}`, id: 'learning-state'}, l.state)),
    h('div', {class: 'progress', role: 'progressbar', 'aria-valuenow': Math.round(share * 100), 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': 'steps done'}, bar([share, 'var(--accent)'])),
    l.last ? learningTiles(l) : h('p', {class: 'soft', style: 'margin-top:1rem'}, 'No report yet: loss and accuracy come with the first.'));
}

/* Where most values are: a spike at the start must not flatten the rest. */
function topOf(list, most) {
  const values = list.flat().filter((v) => v !== null).sort((a, b) => a - b);
  return Math.min(most, (values.length ? rank(values, 0.99) : 1) * 1.12);
}

/* From 0, unless that would leave half of the chart empty. */
function bottomOf(list, top) {
  const values = list.flat().filter((v) => v !== null).sort((a, b) => a - b), low = values.length ? rank(values, 0.01) : 0;
  return low > top / 2 ? low - (top - low) * 0.1 : 0;
}

function curve(spec, points, epochs) {
  const xs = points.map((p) => p.epoch), raw = points.map((p) => p[spec.training]), even = smooth(raw);
  const judged = epochs.filter((e) => spec.validation && e[spec.validation] !== null), ys = judged.map((e) => e[spec.validation]);
  const series = [{name: 'as measured', colour: 'var(--accent)', xs, ys: raw, faint: true}, {name: 'training', colour: 'var(--accent)', xs, ys: even}];
  if (judged.length) series.push({name: 'validation', colour: 'var(--s7)', xs: judged.map((e) => e.epoch), ys, dots: true});
  const top = topOf([even, raw, ys], spec.most), best = page.data.learning.best, levels = spec.best && best ? [{y: best.validation_accuracy, text: 'best'}] : [];
  return h('div', null, h('h3', null, spec.title),
    chart({label: spec.title, height: 220, x: {min: 0, max: Math.max(...xs, xs.length ? 0 : 1), kind: 'digits'}, y: {min: bottomOf([even, raw, ys], top), max: top, kind: spec.kind},
      series: spec.plain ? [{...series[1], ys: raw}] : series, levels}),
    !spec.plain && legend([['training, smoothed', 'var(--accent)'], ...(judged.length ? [['validation', 'var(--s7)']] : [])]),
    tableBehind(`curve.${spec.training}`, [{title: 'step', number: true, cell: (p) => format(p.step, 'count')}, {title: 'epoch', number: true, cell: (p) => format(p.epoch, 'digits')},
      {title: 'training', number: true, cell: (p) => format(p[spec.training], spec.kind)}], points));
}

const CURVES = [
  {title: 'Loss', training: 'loss', validation: 'validation_loss', kind: 'digits', most: Infinity},
  {title: 'Accuracy', training: 'accuracy', validation: 'validation_accuracy', kind: 'share', most: 1, best: true},
  {title: 'Learning rate', training: 'learning_rate', kind: 'digits', most: Infinity, plain: true},
];

function epochTable(epochs) {
  return tableBehind('epochs', [{title: 'epoch', number: true, cell: (e) => format(e.epoch, 'digits')}, {title: 'step', number: true, cell: (e) => format(e.step, 'count')},
    {title: 'loss', number: true, cell: (e) => format(e.loss, 'digits')}, {title: 'accuracy', number: true, cell: (e) => format(e.accuracy, 'share')},
    {title: 'validation loss', number: true, cell: (e) => format(e.validation_loss, 'digits')}, {title: 'validation accuracy', number: true, cell: (e) => format(e.validation_accuracy, 'share')},
    {title: 'at', number: true, cell: (e) => format(e.seconds, 's')}], epochs);
}

function renderCurves({learning: l}) {
  if (!l || l.points.length < 2) return null;
  return h('section', {class: 'card', id: 'curves'}, h('h2', null, 'Learning curves'),
    h('p', {class: 'lead'}, 'By epoch. Training is smoothed, with each report faintly behind it; epochs in the table are means over all their samples.'),
    h('div', {class: 'small-charts three'}, CURVES.map((spec) => curve(spec, l.points, l.epoch_list))),
    l.epoch_list.length > 0 && h('div', null, h('h3', {class: 'part'}, 'Epochs'), epochTable(l.epoch_list)));
}
