/* A trace of the next steps, asked for while the run goes on. Only the page itself may: the server's token comes with the data. */
const record = {token: null, steps: '5', level: '2', said: ''};

const RECORD_TEXT = {
  idle: () => 'Every thread, every operation, each moment of the next steps. Training goes on as before.',
  waiting: () => 'Waiting for the next step …',
  recording: (t) => `Recording ${t.steps} steps from step ${withCommas(t.first_step)} on …`,
  writing: () => 'Writing the file …',
  done: (t) => `${t.path}: ${withCommas(t.events)} events of ${t.steps} steps from step ${withCommas(t.first_step)} on. It opens in ui.perfetto.dev; 'stoker trace gaps' says what it waits for.`,
  failed: (t) => `It could not be recorded: ${t.message}`,
};

function sayOfTrace(text) {
  record.said = text;
  if (page.data) drawSections(page.data);
}

async function askForTrace() {
  sayOfTrace('Asking …');
  try {
    const answer = await fetch(`trace?steps=${record.steps}&level=${record.level}`, {method: 'POST', headers: {'X-Stoker-Token': record.token || ''}});
    sayOfTrace(answer.ok ? '' : await answer.text());
  } catch (failure) {
    sayOfTrace('The run does not answer any more.');
  }
}

const choice = (key, label, options) => h('label', {class: 'small'}, `${label} `, h('select', {class: 'tool', 'data-sort': `record-${key}`, onchange: (event) => { record[key] = event.target.value; }},
  options.map(([value, text]) => h('option', {value, selected: record[key] === value}, text))));

function renderRecord({tracing: t}) {
  if (!t || !page.live) return null;
  const busy = ['waiting', 'recording', 'writing'].includes(t.state);
  return h('section', {class: 'card', id: 'record'}, h('h2', null, 'Record a trace'),
    h('div', {class: 'tools', style: 'margin-top:.6rem'}, choice('steps', 'steps', [['1', '1'], ['5', '5'], ['20', '20'], ['100', '100']]),
      choice('level', 'with', [['1', 'stages'], ['2', 'operations'], ['3', 'kernels of a GPU']]),
      h('button', {type: 'button', class: 'plain', id: 'record-ask', 'data-sort': 'record-ask', disabled: busy, onclick: askForTrace}, 'Record the next steps')),
    h('p', {class: 'small', id: 'record-state', role: 'status'}, record.said || RECORD_TEXT[t.state](t)));
}
