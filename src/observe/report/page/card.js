/* The card of the run: what ran, on what, and what watching it cost. */
const LEVELS = ['counters', 'stages', 'operations', 'kernels'];

function overheadFacts(p) {
  return p.overhead.map((o, i) => o.measured && fact(`cost of watching, level ${i} (${LEVELS[i]})`,
    shown(`profile.overhead.${i}.share`, o.share, 'gain'),
    h('span', {class: 'soft small'}, ' (', shown(`profile.overhead.${i}.low`, o.low, 'gain'), ' to ', shown(`profile.overhead.${i}.high`, o.high, 'gain'), ')')));
}

const FACTS = [
  ['model', 'profile.run.model', 'text'], ['backend', 'profile.run.backend', 'text'], ['precision', 'profile.run.precision', 'text'],
  ['batch', 'profile.run.batch', 'count'], ['image size', 'profile.run.size', 'count'], ['classes', 'profile.run.classes', 'count'],
  ['parameters', 'profile.run.parameters', 'count'], ['seed', 'profile.run.seed', 'count'], ['compute threads', 'profile.run.threads', 'count'],
  ['input threads', 'profile.run.input_threads', 'count'], ['start to end of first step', 'profile.run.startup_s', 's'],
  ['steps measured', 'profile.steps', 'count'], ['samples measured', 'profile.samples', 'count'], ['time measured', 'profile.measured_ns', 'ns'],
  ['evaluation, apart', 'profile.evaluation_ns', 'ns'], ['recorded by', 'profile.run.source', 'text'], ['version', 'profile.run.version', 'text'],
];
const MACHINE = [
  ['host', 'profile.machine.host', 'text'], ['processor', 'profile.machine.cpu', 'text'], ['kernel', 'profile.machine.kernel', 'text'],
  ['cores for this run', 'profile.machine.cores', 'count'], ['memory', 'profile.machine.memory', 'bytes'],
  ['peak compute', 'profile.limits.flops', 'flop_s'], ['memory reads', 'profile.limits.memory_bytes', 'bytes_s'],
  ['copies to the device', 'profile.limits.copy_bytes', 'bytes_s'], ['disk reads', 'profile.limits.disk_bytes', 'bytes_s'],
  ['network link', 'profile.limits.link_bytes', 'bytes_s'], ['starting one operation', 'profile.limits.launch_ns', 'ns'],
  ['GPUs seen by', 'profile.machine.gpu_source', 'text'],
];

function factList(list) {
  return list.filter(([, path]) => {
    const value = lookUp(page.data, path);
    return typeof value === 'number' ? value > 0 || (value === 0 && path.endsWith('seed')) : Boolean(value);
  }).map(([what, path, kind]) => fact(what, num(path, kind)));
}

function renderCard({profile: p}) {
  const began = p.run.unix_time > 0 && new Date(p.run.unix_time * 1000).toISOString().replace('T', ' ').slice(0, 19);
  return h('section', {class: 'card', id: 'run'}, h('h2', null, 'The run'),
    h('dl', {class: 'facts', style: 'margin-top:.75rem'},
      p.run.command && h('div', {class: 'wide'}, h('dt', null, 'command'), h('dd', null, h('code', {id: 'command'}, p.run.command))),
      p.run.data && h('div', {class: 'wide'}, h('dt', null, 'data'), h('dd', null, h('code', null, p.run.data))),
      p.run.inject && h('div', {class: 'wide'}, h('dt', null, 'faults that were injected'), h('dd', null, h('code', null, p.run.inject))),
      began && fact('began (UTC)', began), factList(FACTS), overheadFacts(p),
      p.trace_events > 0 && fact('trace', num('profile.trace_events', 'count'), ' events, ', num('profile.trace_dropped', 'count'), ' dropped')),
    h('h3', {class: 'part'}, 'The machine'), h('dl', {class: 'facts'}, factList(MACHINE),
      (p.machine.gpus || []).map((gpu, i) => fact(`GPU ${i}`, gpu.name, ', ', num(`profile.machine.gpus.${i}.memory`, 'bytes')))));
}
