/* The recorded steps simulated under other conditions: the recursion of observe/diagnose/sim_run.c over the same model, so that
 * both give the same answer. */
const READ = 1, PREPROCESS = 2, READ_AHEAD = 4, APART_AHEAD = 2, MOST_BUFFER = 64;

const whatIfInit = () => ({factor: STAGES.map(() => 1), servers: 0, buffer: 0, apart: STAGES.map(() => false), threads: 0});

/* Threads that want each core, and those without one for each that prepares. */
const crowd = (m, threads, helpers) => (m.cores > 0 ? Math.max(1, (threads + helpers) / m.cores) : 1);
const tooMany = (m, threads, helpers) => (helpers > 0 ? Math.max(0, threads + helpers - m.cores) / helpers : 0);

/* What the input's threads take from compute goes with their work, and has a most. */
function computeFactor(m, what, threads, helpers) {
  const slower = (what.factor[COMPUTE] * m.threads) / threads, own = (1 - m.contention) * slower;
  if (!(m.contention > 0)) return slower;
  const then = crowd(m, threads, helpers), was = crowd(m, m.threads, m.helpers), seen = m.contention / (1 - m.contention) / (was - 1);
  const taken = (m.contention * what.factor[PREPROCESS] * tooMany(m, threads, helpers)) / tooMany(m, m.threads, m.helpers);
  return own + Math.min(taken, own * (then - 1) * Math.max(1, seen));
}

function beginRun(model, what) {
  const threads = what.threads > 0 ? what.threads : model.threads, helpers = what.servers > 0 ? what.servers : model.helpers;
  const buffer = Math.min(MOST_BUFFER, what.buffer > 0 ? what.buffer : model.buffer), share = model.contention > 0;
  return {model, what, helpers, buffer: buffer >= 1 ? Math.floor(buffer) : 1, index: 0,
    crowded: !share && helpers > model.helpers && model.cores > 0 && threads + helpers > model.cores,
    computeFactor: computeFactor(model, what, threads, helpers),
    beside: helpers / (share ? crowd(model, threads, helpers) : 1), together: (helpers + 1) / (share ? crowd(model, 1, helpers) : 1),
    read: 0, prepared: 0, end: 0, taken: new Float64Array(MOST_BUFFER), before: new Float64Array(READ_AHEAD),
    apart: STAGES.map(() => new Float64Array(APART_AHEAD)), sum: null, cores: 0};
}

function prepare(p, start, work) {
  const alone = p.helpers > 0 ? start + work / p.beside : Infinity;
  if (alone <= p.end) return alone;
  const from = Math.max(start, p.end), done = Math.max(0, p.end - start) * p.beside;
  return from + Math.max(0, work - done) / p.together;
}

function ownFactor(p, stage) {
  if (stage === READ || stage === PREPROCESS || p.what.apart[stage]) return 0;
  return stage === COMPUTE ? p.computeFactor : p.what.factor[stage];
}

function runApart(p, step) {
  for (let s = 0; s < STAGES.length; s++) {
    if (!p.what.apart[s]) continue;
    const behind = p.apart[s], slot = p.index % APART_AHEAD, begun = p.end;
    p.end = Math.max(p.end, behind[slot]);
    p.sum.parts[s] += p.end - begun;
    behind[slot] = Math.max(p.end, behind[(slot + 1) % APART_AHEAD]) + step.own[s] * p.what.factor[s];
  }
}

function runStep(p, step) {
  const m = p.model, work = step.prepare * m.prepare_scale * p.what.factor[PREPROCESS];
  const slot = p.index % p.buffer, ahead = p.index % READ_AHEAD, begun = p.end;
  let own = 0;
  for (let s = 0; s < STAGES.length; s++) {
    const ns = step.own[s] * ownFactor(p, s);
    own += ns;
    p.sum.parts[s] += ns;
  }
  p.read = (m.reads_inline && !(p.helpers > 0) ? p.end : Math.max(p.read, p.before[ahead])) + step.read * m.read_scale * p.what.factor[READ];
  const start = Math.max(p.prepared, p.read, p.taken[slot]);
  p.prepared = prepare(p, start, work);
  const got = Math.max(p.prepared, p.end);
  p.before[ahead] = p.prepared;
  p.taken[slot] = got;
  p.sum.parts[READ] += Math.max(0, start - p.end);
  p.sum.parts[PREPROCESS] += Math.max(0, got - Math.max(start, p.end));
  p.end = got + own;
  if (p.crowded) p.end = Math.max(p.end, begun + own + work / p.helpers);
  p.cores += work + step.own[COMPUTE] * (1 - m.contention) * p.what.factor[COMPUTE] * m.threads;
  runApart(p, step);
  p.sum.samples += step.samples;
  p.index++;
}

/* {rate, ns, samples, parts: the time of each stage that training feels}. */
function simulate(model, what) {
  const p = beginRun(model, what), steps = model.steps, clear = () => ({samples: 0, parts: STAGES.map(() => 0)});
  p.sum = clear();
  for (let i = steps.length - Math.min(2 * p.buffer, steps.length); i < steps.length; i++) runStep(p, steps[i]);
  const begun = p.end;
  p.sum = clear();
  p.cores = 0;
  for (const step of steps) runStep(p, step);
  let ns = p.end - begun;
  if (model.cores > 0) ns = Math.max(ns, (p.cores * model.core_scale) / model.cores);
  return {...p.sum, ns, rate: ns > 0 ? (p.sum.samples / ns) * 1e9 : 0};
}
