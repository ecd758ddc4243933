/* What the page shows: {title, trace_path, profile, diagnosis, timeline}. Long lists come as {keys, rows}. */
const page = {data: null, open: new Set(), live: false, held: false, colours: null};

function untable(list) {
  if (!list || !Array.isArray(list.keys)) return list || [];
  return list.rows.map((row) => Object.fromEntries(list.keys.map((key, i) => [key, row[i]])));
}

function settleStages(list) {
  for (const item of list)
    for (const key of ['stage', 'next']) if (key in item) item[key] = stageNumber(item[key]);
  return list;
}

function settle(data) {
  const p = data.profile, d = data.diagnosis;
  for (const key of ['step_list', 'windows', 'ops', 'resources', 'batches', 'inputs', 'input_ops', 'callbacks', 'memory', 'overhead', 'stages'])
    p[key] = untable(p[key]);
  for (const key of ['limits', 'rows', 'fixes', 'evidence', 'warnings', 'phases', 'findings']) d[key] = untable(d[key]);
  if (data.learning) for (const key of ['points', 'epoch_list']) data.learning[key] = untable(data.learning[key]);
  settleStages([d.limit, ...d.limits, ...d.rows, ...d.fixes, ...d.phases, ...p.inputs]);
  page.data = data;
  page.derived = derive(p);
  return data;
}

/* The smallest value that so much of the list does not exceed. */
const rank = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];

/* The place in the list from which on steps were measured: totals, verdict and the numbers here are of the same steps. */
const firstMeasured = (profile) => (profile.steps >= 1 && profile.steps < profile.step_list.length ? profile.step_list.length - profile.steps : 0);

function derive(profile) {
  const times = profile.step_list.slice(firstMeasured(profile)).map((step) => step.ns).sort((a, b) => a - b);
  const p = {p50: rank(times, 0.5), p95: rank(times, 0.95), p99: rank(times, 0.99), slowest: times[times.length - 1]};
  p.op_ns = profile.ops.reduce((sum, op) => sum + op.ns, 0);
  p.memory = profile.memory.reduce((sum, part) => sum + part.bytes, 0);
  return p;
}
const derived = (name, kind) => shown(`derived.${name}`, page.derived[name], kind);
