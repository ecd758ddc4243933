/* What machine and process used, all over the same time: pointing into one chart points into all. */
const RESOURCES = [
  {title: 'Training', kind: 'rate', of: [['samples/s', 'rate']]},
  {title: 'Processor', kind: 'share', of: [['whole machine', 'cpu'], ['waiting for disks', 'iowait']], most: 1},
  {title: 'Cores of this run', kind: 'number', of: [['cores', 'own_cores']]},
  {title: 'Memory', kind: 'bytes', of: [['machine', 'memory_used'], ['this run', 'own_memory'], ['page cache', 'page_cache'], ['swap', 'swap_used']]},
  {title: 'Disks', kind: 'bytes_s', of: [['read', 'disk_read'], ['written', 'disk_write'], ['read by this run', 'own_read'], ['written by this run', 'own_write']]},
  {title: 'Busiest disk', kind: 'share', of: [['busy', 'disk_busy']], most: 1},
  {title: 'Disk requests a second', kind: 'number', of: [['reads', 'disk_reads'], ['writes', 'disk_writes']]},
  {title: 'Network', kind: 'bytes_s', of: [['in', 'net_in'], ['out', 'net_out']]},
  {title: 'Context switches a second', kind: 'number', of: [['switches', 'switches']]},
];
const GPU = [
  {title: 'use', kind: 'share', of: [['kernels running', 'utilisation'], ['memory moving', 'memory_utilisation']], most: 1}, {title: 'memory', kind: 'bytes', of: [['used', 'memory_used']]},
  {title: 'power', kind: 'watts', of: [['power', 'watts']]}, {title: 'temperature', kind: 'celsius', of: [['temperature', 'celsius']]}, {title: 'PCIe', kind: 'bytes_s', of: [['in', 'pcie_in'], ['out', 'pcie_out']]},
];
const LINE_COLOURS = ['var(--s1)', 'var(--s7)', 'var(--s4)', 'var(--s5)'];

function resourceChart(spec, samples, get, key, group) {
  const series = spec.of.map(([name, field], i) => ({name, field, colour: LINE_COLOURS[i], ys: samples.map((r) => get(r, field))})).filter((one) => one.ys.some((v) => v > 0));
  if (!series.length) return null;
  const xs = samples.map((r) => r.seconds), top = Math.max(...series.flatMap((one) => one.ys.filter(known))), max = spec.most || top * 1.18 || 1;
  series.forEach((one) => { one.xs = xs; });
  return h('div', null, h('h3', null, spec.title), chart({label: spec.title, height: 130, x: {min: xs[0], max: xs[xs.length - 1], kind: 's'}, y: {max, kind: spec.kind}, series, group}),
    series.length > 1 && legend(series.map((one) => [one.name, one.colour])),
    tableBehind(key, [{title: 'at', number: true, cell: (r) => format(r.seconds, 's')}, ...series.map((one) => ({title: one.name, number: true, cell: (r) => format(get(r, one.field), spec.kind)}))], samples));
}

function renderResources({profile: p}) {
  if (p.resources.length < 2) return null;
  const group = [], charts = RESOURCES.map((spec, i) => resourceChart(spec, p.resources, (r, field) => r[field], `resource${i}`, group));
  (p.machine.gpus || []).forEach((gpu, g) => GPU.forEach((spec, i) => charts.push(resourceChart({...spec, title: `GPU ${g}: ${spec.title}`}, p.resources, (r, field) => (r.gpus[g] ? r.gpus[g][field] : -1), `gpu${g}.${i}`, group))));
  return h('section', {class: 'card long', id: 'resources'}, h('h2', null, 'What the machine did'),
    h('p', {class: 'lead'}, 'All charts have the same time axis. GPU use is the share of time in which any kernel ran, not how much of the GPU it filled.'), h('div', {class: 'small-charts'}, charts));
}
