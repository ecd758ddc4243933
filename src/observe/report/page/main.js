/* Puts the sections together, follows a run that goes on, and lets tests look inside. */
const SECTIONS = [
  ['learning', 'Learning', renderLearning], ['verdict', 'Verdict', renderVerdict], ['curves', 'Curves', renderCurves], ['samples', 'Images', renderSamples], ['record', 'Record', renderRecord], ['fixes', 'What to do', renderFixes], ['speed', 'Speed', renderSpeed], ['stages', 'Stages', renderFlow],
  ['phases', 'Phases', renderPhases], ['breakdown', 'Step', renderBreakdown], ['what-if', 'What if', renderWhatIf], ['timeline', 'Timeline', renderTimeline], ['ops', 'Operations', renderOps],
  ['memory', 'Memory', renderMemory], ['resources', 'Resources', renderResources], ['warnings', 'Data quality', renderWarnings], ['run', 'Run', renderCard],
];
const POLL_MS = 1000;

const titleOf = (data) => data.title || [data.profile.run.model || data.profile.run.source || 'run', (data.profile.run.data || '').split('/').filter(Boolean).pop()].filter(Boolean).join(' on ');

/* How to find an element again in a section that was drawn anew. */
function placeOf(element) {
  const fold = element.closest('details');
  if (element.dataset.sort) return `[data-sort="${element.dataset.sort}"]`;
  return fold && element.matches('summary') ? `[data-unfold="${fold.dataset.unfold}"] > summary` : null;
}

/* A section in which somebody is typing, sliding or looking around is left as it is. */
function drawSections(data) {
  const main = document.getElementById('main'), shownIds = [], active = document.activeElement, place = placeOf(active);
  let before = null;
  for (const [id, title, render] of SECTIONS) {
    const old = document.getElementById(id), busy = old && old.contains(active) && active.matches('input, select, canvas');
    const now = busy ? old : render(data);
    if (old && now !== old) old.remove();
    if (now && now !== old) before ? before.after(now) : main.prepend(now);
    if (!now) continue;
    before = now;
    shownIds.push([id, title]);
  }
  if (place) main.querySelector(place)?.focus({preventScroll: true});
  document.getElementById('nav').replaceChildren(...shownIds.map(([id, title]) => h('a', {href: `#${id}`}, title)));
}

function draw(raw) {
  const data = settle(raw);
  if (data.simulation) data.simulation.steps = untable(data.simulation.steps);
  if (data.timeline && !timeline.view) timeline.view = makeView(data.timeline);
  document.getElementById('starting')?.remove();
  document.body.classList.toggle('learns', Boolean(data.learning));
  document.title = `Stoker: ${titleOf(data)}`;
  document.getElementById('title').textContent = titleOf(data);
  drawSections(data);
  document.getElementById('foot').textContent = `Made by ${['Stoker', data.profile.run.version].filter(Boolean).join(' ')}. ${page.live ? 'Served while training goes on.' : 'This file is complete: it loads nothing from anywhere.'}`;
}

/* A canvas knows no variables of the style. */
function recolour() {
  if (!timeline.view) return;
  timeline.view.colours = canvasColours();
  drawTimeline(timeline.view);
}

function showStart() {
  if (document.getElementById('starting')) return;
  document.getElementById('main').append(h('section', {class: 'card', id: 'starting'}, h('h2', null, 'The run is starting'),
    h('p', {class: 'lead'}, 'The data is looked at and the network compiled; what it learns and how fast stands here when the first steps are done.')));
}

async function poll() {
  page.live = true;
  const live = document.getElementById('live');
  live.hidden = false;
  try {
    const answer = await fetch('data.json', {cache: 'no-store'});
    const raw = answer.ok && !page.held ? await answer.json() : null;
    record.token = answer.headers.get('X-Stoker-Token') || record.token;
    if (raw && !page.held) draw(raw);
    live.className = 'live';
    live.textContent = answer.ok ? '● live' : answer.status === 401 ? 'this run asks for its token: open the address that it printed'
      : page.data ? 'asking for the state of now' : 'waiting for the run';
    if (answer.status === 503 && !page.data) showStart();
  } catch (failure) {
    const ended = page.data && page.data.learning && page.data.learning.state !== 'running';
    live.className = ended ? 'live' : 'live lost';
    live.textContent = ended ? 'the run has ended; this is its last state' : 'connection lost; this is the last state';
    if (ended && page.data.tracing) {
      delete page.data.tracing;
      drawSections(page.data);
    }
  }
  setTimeout(poll, POLL_MS);
}

function start() {
  const text = document.getElementById('data').textContent.trim();
  startTheme(recolour);
  /* What is being dragged is not replaced under the hand. */
  addEventListener('pointerdown', () => { page.held = true; });
  for (const end of ['pointerup', 'pointercancel', 'blur']) addEventListener(end, () => { page.held = false; });
  if (text) draw(JSON.parse(text));
  else if (location.protocol.startsWith('http')) poll();
  else document.getElementById('main').append(h('p', {class: 'card'}, 'There is no data in this page.'));
  window.stoker = {page, timeline, whatIf, ops, simulate, whatIfInit, csv: () => opsCsv(page.data)};
}

start();
