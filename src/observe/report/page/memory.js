/* Memory: what holds it, how it went over the run, and how large a batch could be. */
function memoryParts(p) {
  const total = page.derived.memory;
  if (!total) return null;
  return h('div', null, h('h3', null, 'What holds the memory of the model'), table([
    {title: 'part', cell: (m) => m.name}, {title: 'bytes', number: true, cell: (_, i) => num(`profile.memory.${i}.bytes`, 'bytes')},
    {title: 'share', number: true, cell: (m, i) => shown(`derived.memory_share.${i}`, m.bytes / total, 'share')}, {title: '', cell: (m) => bar([m.bytes / total, 'var(--accent)'])}], p.memory));
}

function memoryOverTime(p) {
  const samples = p.resources.filter((r) => known(r.own_memory));
  if (samples.length < 2) return null;
  const xs = samples.map((r) => r.seconds), ys = samples.map((r) => r.own_memory);
  return h('div', null, h('h3', null, 'Memory of the process'), chart({label: 'memory of the process over the run', height: 190, x: {min: xs[0], max: xs[xs.length - 1], kind: 's'}, y: {max: Math.max(...ys) * 1.15, kind: 'bytes'},
    series: [{name: 'resident', colour: 'var(--s8)', xs, ys, fill: true}]}),
  tableBehind('memory', [{title: 'at', number: true, cell: (r) => format(r.seconds, 's')}, {title: 'resident', number: true, cell: (r) => format(r.own_memory, 'bytes')}], samples));
}

function batchChart(p) {
  if (p.batches.length < 2) return null;
  const list = p.batches.slice().sort((a, b) => a.batch - b.batch), xs = list.map((b) => b.batch), ys = list.map((b) => b.samples_per_s);
  return h('div', null, h('h3', null, 'Compute alone with other batches'), chart({label: 'samples a second by batch', height: 190, x: {min: 0, max: xs[xs.length - 1], kind: 'count'}, y: {max: Math.max(...ys) * 1.15, kind: 'rate'},
    series: [{name: 'samples/s', colour: 'var(--s4)', xs, ys}, {name: 'measured', colour: 'var(--s4)', xs, ys, kind: 'points', quiet: true}]}),
  table([{title: 'batch', number: true, cell: (b) => num(`profile.batches.${p.batches.indexOf(b)}.batch`, 'count')}, {title: 'samples/s', number: true, cell: (b) => num(`profile.batches.${p.batches.indexOf(b)}.samples_per_s`, 'rate')},
    {title: 'memory', number: true, cell: (b) => num(`profile.batches.${p.batches.indexOf(b)}.bytes`, 'bytes')}], list));
}

function renderMemory({profile: p}) {
  const parts = [memoryParts(p), memoryOverTime(p), batchChart(p)].filter(Boolean);
  if (!parts.length && !(p.largest_batch > 0)) return null;
  return h('section', {class: 'card', id: 'memory'}, h('h2', null, 'Memory'), h('div', {class: 'tiles'},
    known(p.variable_bytes) && tile('variables', num('profile.variable_bytes', 'bytes')), known(p.arena_bytes) && tile('working memory of a step', num('profile.arena_bytes', 'bytes')),
    p.largest_batch > 0 && tile('largest batch that fits', num('profile.largest_batch', 'count')), tile('batch now', num('profile.run.batch', 'count'))), h('div', {class: 'columns'}, parts));
}
