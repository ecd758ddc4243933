/* The eight stages in a row, with what each can do, how busy it is, and the queues between them. */
const arrow = () => svg('svg', {width: 18, height: 12, viewBox: '0 0 18 12', 'aria-hidden': 'true'},
  svg('path', {d: 'M0 6h14M10 2l5 4-5 4', style: 'fill:none;stroke:currentColor;stroke-width:1.8'}));

/* The queue behind a stage: that of its last part, nearest to the consumer. */
const queueOf = (inputs, stage) => inputs.findIndex((input) => input.stage === stage && input.has_queue);

function link(inputs, stage) {
  const at = stage < 3 ? queueOf(inputs, stage) : -1;
  if (at < 0) return h('div', {class: 'link'}, arrow());
  const q = inputs[at], full = q.queue_capacity > 0 ? q.queue_mean / q.queue_capacity : 0;
  const text = `queue: ${format(q.queue_mean, 'number')} of ${format(q.queue_capacity, 'number')} on average; empty ${format(q.queue_empty, 'share')}, full ${format(q.queue_full, 'share')} of the time`;
  return h('div', {class: 'link', title: text, role: 'img', 'aria-label': text},
    h('div', {class: 'queue', style: `--fill:${full * 100}%`}, h('i', {style: `height:${full * 100}%`})), arrow());
}

/* Busy, waiting for input, waiting for somebody to take its results. */
function threadBar(stage) {
  const parts = [stage.busy_ns, stage.starved_ns, stage.blocked_ns].map((ns) => Math.max(0, ns || 0)), all = parts[0] + parts[1] + parts[2];
  if (!all || !(stage.servers > 0)) return null;
  return [h('dt', null, 'threads busy'), h('dd', null, format(parts[0] / all, 'share'), bar([parts[0] / all, 'var(--good)'], [parts[1] / all, 'var(--line)'], [parts[2] / all, 'var(--fair)']))];
}

function stageBox(data, stage) {
  const {profile: p, diagnosis: d} = data, at = d.rows.findIndex((row) => row.stage === stage), row = d.rows[at], one = p.stages[stage];
  const share = p.measured_ns > 0 ? one.exposed_ns / p.measured_ns : 0, limit = d.limit.stage === stage, used = one.exposed_ns > 0 || one.items > 0 || one.busy_ns > 0;
  return h('div', {class: `stage${limit ? ' limit' : ''}${limit && stage === COMPUTE ? ' fine' : ''}${used ? '' : ' idle'}`, style: `border-top-color:${stageColour(stage)}`},
    h('div', {class: 'tag'}, limit ? (stage === COMPUTE ? 'as it should be' : 'the limit') : ''),
    h('h3', null, STAGES[stage]),
    used ? h('dl', null,
      h('div', null, h('dt', null, 'of a step'), h('dd', null, shown(`derived.share.${stage}`, share, 'share'), bar([share, stageColour(stage)]))),
      row && known(row.samples_per_s) && h('div', null, h('dt', null, `most ${perSecond()}`), h('dd', null, num(`diagnosis.rows.${at}.samples_per_s`, 'rate'))),
      row && known(row.utilisation) && h('div', null, h('dt', null, 'used'), h('dd', null, num(`diagnosis.rows.${at}.utilisation`, 'share'), bar([row.utilisation, 'var(--accent)']))),
      h('div', null, threadBar(one)))
      : h('p', {class: 'soft small'}, 'not used'));
}

function resourceTable(d) {
  const rows = d.rows.map((row, i) => [row, i]).filter(([row]) => row.stage === 0);
  if (!rows.length) return null;
  return [h('h3', {class: 'part'}, 'What the stages share'), table([
    {title: 'resource', cell: ([row]) => [row.name, row.binding ? h('span', {class: 'chip bad', style: 'margin-left:.5rem'}, 'binding') : '']},
    {title: `allows ${perSecond()}`, number: true, cell: ([, i]) => num(`diagnosis.rows.${i}.samples_per_s`, 'rate')},
    {title: 'used', number: true, cell: ([, i]) => num(`diagnosis.rows.${i}.utilisation`, 'share')},
    {title: '', cell: ([row]) => bar([row.utilisation, 'var(--accent)'])}], rows)];
}

function stageTable(p) {
  const part = (key, kind) => ({title: key.replace('_ns', '').replace('_', ' '), number: true, cell: (_, i) => num(`profile.stages.${i}.${key}`, kind)});
  return tableBehind('flow', [{title: 'stage', cell: (_, i) => STAGES[i]}, part('exposed_ns', 'ns'), part('busy_ns', 'ns'), part('starved_ns', 'ns'), part('blocked_ns', 'ns'),
    part('items', 'count'), part('bytes', 'bytes'), part('servers', 'number'), part('cpu_ns', 'ns'), part('runnable_ns', 'ns'), part('io_ns', 'ns')], p.stages);
}

function inputTable(p) {
  if (!p.inputs.length) return null;
  const part = (title, key, kind) => ({title, number: true, cell: (_, i) => num(`profile.inputs.${i}.${key}`, kind)});
  return [h('h3', {class: 'part'}, 'Inside the input'), p.input_limit && h('p', {class: 'soft'}, p.input_limit), table([
    {title: 'part, nearest to training first', wide: true, cell: (input) => h('span', {style: `padding-left:${Math.min(8, input.depth) * 0.8}rem`}, swatch(stageColour(input.stage)), input.name)},
    part('items', 'items', 'count'), part('busy', 'busy_ns', 'ns'), part('starved', 'starved_ns', 'ns'), part('blocked', 'blocked_ns', 'ns'),
    {title: 'queue', number: true, cell: (input, i) => (input.has_queue ? [num(`profile.inputs.${i}.queue_mean`, 'number'), ' / ', num(`profile.inputs.${i}.queue_capacity`, 'number')] : '')},
    {title: 'empty', number: true, cell: (input, i) => (input.has_queue ? num(`profile.inputs.${i}.queue_empty`, 'share') : '')},
    {title: 'full', number: true, cell: (input, i) => (input.has_queue ? num(`profile.inputs.${i}.queue_full`, 'share') : '')}], p.inputs)];
}

/* What fused stages do, by name. */
function inputOpTable(p) {
  const sum = p.input_ops.reduce((all, op) => all + Math.max(0, op.busy_ns), 0);
  if (!(sum > 0)) return null;
  const order = p.input_ops.map((_, i) => i).sort((a, b) => p.input_ops[b].busy_ns - p.input_ops[a].busy_ns);
  return [h('h3', {class: 'part'}, 'Operations of the input'), table([
    {title: 'operation; what is done in one pass is joined by +', wide: true, cell: (i) => p.input_ops[i].name},
    {title: 'items', number: true, cell: (i) => num(`profile.input_ops.${i}.items`, 'count')},
    {title: 'busy', number: true, cell: (i) => num(`profile.input_ops.${i}.busy_ns`, 'ns')},
    {title: 'share', number: true, cell: (i) => format(p.input_ops[i].busy_ns / sum, 'share')},
    {title: '', cell: (i) => bar([p.input_ops[i].busy_ns / sum, stageColour(2)])}], order)];
}

function callbackTable(p) {
  if (!p.callbacks.length) return null;
  return [h('h3', {class: 'part'}, 'Callbacks'), table([
    {title: 'callback', wide: true, cell: (c) => [c.name, c.slow ? h('span', {class: 'chip bad', style: 'margin-left:.5rem'}, 'slow') : '']},
    {title: 'calls', number: true, cell: (_, i) => num(`profile.callbacks.${i}.calls`, 'count')},
    {title: 'time', number: true, cell: (_, i) => num(`profile.callbacks.${i}.ns`, 'ns')},
    {title: 'where', cell: (c) => (c.on_training_thread ? 'in the way of training' : 'beside it')}], p.callbacks)];
}

function renderFlow(data) {
  return h('section', {class: 'card', id: 'stages'}, h('h2', null, 'The eight stages'),
    h('p', {class: 'lead'}, 'From storage to storage. Only time that the training thread spends waiting for a stage, or in it, costs anything: its share of a step. The bars between are queues: full before the stage that limits, empty after it.'),
    h('ol', {class: 'flow'}, STAGES.slice(1).map((_, i) => h('li', null, stageBox(data, i + 1), i < 7 ? link(data.profile.inputs, i + 1) : h('div', {class: 'link end'})))),
    stageTable(data.profile), resourceTable(data.diagnosis), inputTable(data.profile), inputOpTable(data.profile), callbackTable(data.profile));
}
