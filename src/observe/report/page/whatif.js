/* What if a stage were faster, or had more threads: the measured steps are simulated at every touch. */
const whatIf = {what: whatIfInit()};

function whatIfResult(model) {
  const was = simulate(model, whatIfInit()).rate, now = simulate(model, whatIf.what), rest = now.ns - now.parts.reduce((a, b) => a + b, 0);
  whatIf.rate = now.rate;
  const parts = ORDER.map((i) => [i, now.parts[i] + (i === 0 ? Math.max(0, rest) : 0)]).filter(([, ns]) => ns > now.ns / 500);
  return h('div', null, h('div', {class: 'result', role: 'status'},
    h('span', null, h('b', {id: 'what-if-rate'}, format(now.rate, 'rate')), ` ${perSecond()}`),
    h('span', {id: 'what-if-gain'}, was > 0 ? format(now.rate / was - 1, 'gain') : ''),
    h('span', {class: 'soft'}, 'as it was ', h('span', {id: 'what-if-was'}, format(was, 'rate')))),
  h('div', {class: 'strip', role: 'img', 'aria-label': 'parts of a step then'}, parts.map(([i, ns]) => h('i', {style: `flex:${ns};background:${stageColour(i)}`}))),
  h('ul', {class: 'legend'}, parts.map(([i, ns]) => h('li', null, swatch(stageColour(i)), `${STAGES[i]} ${format(ns / now.ns, 'share')}`))));
}

/* Stages that take time in the model: others have nothing to scale. */
function scalable(model) {
  const total = (get) => model.steps.reduce((sum, step) => sum + get(step), 0);
  return ORDER.filter((i) => i !== 0 && total((s) => s.own[i] + (i === READ ? s.read : i === PREPROCESS ? s.prepare : 0)) > 0);
}

function slider(id, name, range, get, set, text, update) {
  const out = h('output', {for: id}, text(get()));
  const input = h('input', {type: 'range', id, ...range, value: get(), oninput: () => {
    set(Number(input.value));
    out.textContent = text(get());
    update();
  }});
  return h('div', {class: 'slider'}, h('label', {for: id}, h('span', null, name), out), input);
}

function whatIfControls(model, update) {
  const {what} = whatIf, stages = scalable(model), most = Math.max(8, 2 * (model.cores || 0), 2 * model.helpers);
  const times = (v) => (v === 0 ? 'costs nothing' : v === 1 ? 'as it was' : `× ${v.toFixed(2)}`);
  return h('div', {class: 'sliders'},
    stages.map((i) => slider(`what-if-s${i}`, [swatch(stageColour(i)), STAGES[i]], {min: 0, max: 2, step: 0.05}, () => what.factor[i], (v) => { what.factor[i] = v; }, times, update)),
    slider('what-if-servers', 'input threads', {min: model.helpers > 0 ? 1 : 0, max: most, step: 1}, () => what.servers || model.helpers, (v) => { what.servers = v === model.helpers ? 0 : v; }, (v) => format(v, 'count'), update),
    model.threads > 1 && slider('what-if-threads', 'threads that compute', {min: 1, max: model.threads, step: 1}, () => what.threads || model.threads, (v) => { what.threads = v === model.threads ? 0 : v; }, (v) => format(v, 'count'), update),
    slider('what-if-buffer', 'batches ahead', {min: 1, max: MOST_BUFFER, step: 1}, () => what.buffer || Math.floor(model.buffer), (v) => { what.buffer = v === Math.floor(model.buffer) ? 0 : v; }, (v) => format(v, 'count'), update),
    stages.filter((i) => i > 5).map((i) => h('div', {class: 'slider'}, h('label', {class: 'check'},
      h('input', {type: 'checkbox', id: `what-if-apart${i}`, checked: what.apart[i], onchange: (e) => { what.apart[i] = e.target.checked; update(); }}), `${STAGES[i]} on a thread of its own`))));
}

function renderWhatIf({simulation: model}) {
  if (!model || !model.steps.length) return null;
  const result = h('div'), controls = h('div');
  const update = () => result.replaceChildren(whatIfResult(model));
  const build = () => { controls.replaceChildren(whatIfControls(model, update)); update(); };
  build();
  return h('section', {class: 'card', id: 'what-if'}, h('h2', null, 'What if'),
    h('p', {class: 'lead'}, 'Move a stage and the recorded steps are simulated, with their own ups and downs, queues and threads.'), result, controls,
    h('div', {class: 'tools', style: 'margin:.9rem 0 0'}, h('button', {type: 'button', class: 'tool', id: 'what-if-reset', onclick: () => { whatIf.what = whatIfInit(); build(); }}, 'As it was')));
}
