/* The timeline: zoom and move with w a s d, wheel and drag; search; click an event for its details. */
const timeline = {view: null};
const LEAST_VIEW = 200, STEP_ZOOM = 0.045, STEP_MOVE = 0.03, MANY_ROWS = 40;

function clampView(view) {
  const {t} = view, all = t.end - t.begin, span = Math.min(all, Math.max(LEAST_VIEW, view.end - view.begin));
  const begin = Math.max(t.begin, Math.min(t.end - span, (view.begin + view.end - span) / 2));
  view.begin = begin;
  view.end = begin + span;
}

function zoomAt(view, factor, share) {
  const span = view.end - view.begin, at = view.begin + span * share;
  view.begin = at - span * factor * share;
  view.end = view.begin + span * factor;
  clampView(view);
  redraw(view);
}

function moveBy(view, share) {
  const by = (view.end - view.begin) * share;
  view.begin += by;
  view.end += by;
  clampView(view);
  redraw(view);
}

function redraw(view) {
  if (view.waiting) return;
  view.waiting = true;
  requestAnimationFrame(() => {
    view.waiting = false;
    const began = performance.now();
    drawTimeline(view);
    view.frames.push(performance.now() - began);
    if (view.frames.length > 512) view.frames.shift();
  });
}

function eventAt(view, x, y) {
  const at = view.begin + (x / view.width) * (view.end - view.begin), slack = (view.end - view.begin) / view.width;
  for (const row of view.t.rows) {
    const lane = Math.floor((y - row.y - ROW_HEAD) / view.laneHeight), data = row.lanes[lane];
    if (lane < 0 || !data) continue;
    const index = firstAfter(data.end, at - slack, 0);
    if (index < data.count && data.begin[index] <= at + slack) return {row, lane, index};
  }
  return null;
}

function describe(view, one) {
  if (!one) return h('span', {class: 'soft'}, 'Point at an event for its name; click it to keep it here.');
  const data = one.row.lanes[one.lane], i = one.index, name = data.name[i], stage = view.t.stages[name];
  const inside = one.row.lanes.slice(0, one.lane).map((lane) => firstAfter(lane.end, data.begin[i], 0)).map((at, l) => view.t.names[one.row.lanes[l].name[at]]);
  return h('div', {class: 'row'}, stageChip(stage), h('b', null, view.t.names[name]), h('span', null, format(data.end[i] - data.begin[i], 'ns')),
    h('span', {class: 'soft'}, `from ${format(data.begin[i] - view.t.begin, 'ns')}, ${one.row.name}`),
    data.value[i] > 0 && h('span', {class: 'soft'}, `value ${format(data.value[i], 'count')}`), inside.length > 0 && h('span', {class: 'soft'}, `in ${inside.join(' › ')}`));
}

const samePlace = (a, b) => a === b || (a && b && a.row === b.row && a.lane === b.lane && a.index === b.index);

function pointer(view, event) {
  const box = view.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  view.mouse = x / view.width;
  if (view.drag) {
    view.moved = view.moved || Math.abs(x - view.drag) > 3;
    if (view.moved) moveBy(view, (view.drag - x) / view.width);
    if (view.moved) view.drag = x;
    return;
  }
  const over = eventAt(view, x, y);
  if (samePlace(over, view.over)) return;
  view.over = over;
  view.info.replaceChildren(describe(view, over || view.picked));
  redraw(view);
}

function listenPointer(view) {
  const {canvas} = view;
  canvas.addEventListener('pointermove', (event) => pointer(view, event));
  canvas.addEventListener('pointerdown', (event) => {
    view.drag = event.clientX - canvas.getBoundingClientRect().left || 0.01;
    view.moved = false;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointerup', (event) => {
    const box = canvas.getBoundingClientRect();
    if (!view.moved) pick(view, eventAt(view, event.clientX - box.left, event.clientY - box.top));
    view.drag = 0;
  });
  canvas.addEventListener('pointercancel', () => { view.drag = 0; });
  canvas.addEventListener('pointerleave', () => { view.over = null; redraw(view); });
  canvas.addEventListener('dblclick', () => view.picked && showSpan(view, view.picked.row.lanes[view.picked.lane].begin[view.picked.index], view.picked.row.lanes[view.picked.lane].end[view.picked.index]));
  /* The page scrolls as usual until the timeline has been clicked. */
  canvas.addEventListener('wheel', (event) => {
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) moveBy(view, event.deltaX / view.width);
    else zoomAt(view, Math.exp(event.deltaY * 0.0022), view.mouse);
  }, {passive: false});
}

function pick(view, one) {
  view.picked = one;
  view.info.replaceChildren(describe(view, one));
  redraw(view);
}

function showSpan(view, begin, end) {
  const edge = (end - begin) * 0.08;
  view.begin = begin - edge;
  view.end = end + edge;
  clampView(view);
  redraw(view);
}

/* Held keys move a little every frame. */
const MOVES = {w: [1 - STEP_ZOOM, 0], s: [1 + STEP_ZOOM, 0], a: [1, -STEP_MOVE], d: [1, STEP_MOVE], ArrowUp: [1 - STEP_ZOOM, 0], ArrowDown: [1 + STEP_ZOOM, 0], ArrowLeft: [1, -STEP_MOVE], ArrowRight: [1, STEP_MOVE]};

function listenKeys(view) {
  const held = new Set();
  const tick = () => {
    for (const key of held) {
      const [zoom, move] = MOVES[key];
      if (zoom !== 1) zoomAt(view, zoom, view.mouse);
      else moveBy(view, move);
    }
    if (held.size) requestAnimationFrame(tick);
  };
  view.canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'f' || event.key === '0') return showSpan(view, view.t.begin, view.t.end);
    if (!MOVES[event.key]) return;
    event.preventDefault();
    if (!held.size) requestAnimationFrame(tick);
    held.add(event.key);
  });
  view.canvas.addEventListener('keyup', (event) => held.delete(event.key));
  view.canvas.addEventListener('blur', () => held.clear());
}

/* Names that hold the text; what they took in all. */
function search(view, text) {
  const wanted = text.trim().toLowerCase(), t = view.t;
  view.found = wanted ? t.names.map((name, i) => name.toLowerCase().includes(wanted) || STAGES[t.stages[i]].toLowerCase().includes(wanted)) : null;
  view.hits = 0;
  let ns = 0;
  if (view.found) for (const row of t.rows) for (const lane of row.lanes) for (let i = 0; i < lane.count; i++) if (view.found[lane.name[i]]) {
    view.hits++;
    ns += lane.end[i] - lane.begin[i];
  }
  view.hitText.textContent = view.found ? `${format(view.hits, 'count')} events, ${format(ns, 'ns')} in all` : '';
  redraw(view);
}

/* The next event that was searched for, after the middle of the view or the one picked. */
function nextHit(view) {
  if (!view.found || !view.hits) return;
  const from = view.picked ? view.picked.row.lanes[view.picked.lane].begin[view.picked.index] : view.begin;
  let best = null, bestBegin = Infinity, first = null, firstBegin = Infinity;
  for (const row of view.t.rows) row.lanes.forEach((lane, l) => {
    for (let i = 0; i < lane.count; i++) {
      if (!view.found[lane.name[i]]) continue;
      if (lane.begin[i] < firstBegin) [first, firstBegin] = [{row, lane: l, index: i}, lane.begin[i]];
      if (lane.begin[i] > from && lane.begin[i] < bestBegin) [best, bestBegin] = [{row, lane: l, index: i}, lane.begin[i]];
    }
  });
  const one = best || first, data = one.row.lanes[one.lane], middle = (data.begin[one.index] + data.end[one.index]) / 2, half = (view.end - view.begin) / 2;
  view.begin = middle - half;
  view.end = middle + half;
  clampView(view);
  pick(view, one);
}

const timelineHasStep = (step) => Boolean(timeline.view && timeline.view.t.steps.has(step));
function timelineShowStep(step) {
  showSpan(timeline.view, ...timeline.view.t.steps.get(step));
  document.getElementById('timeline').scrollIntoView();
  timeline.view.canvas.focus({preventScroll: true});
}

function makeView(data) {
  const t = readTimeline(data), canvas = h('canvas', {tabindex: '0', role: 'application', 'aria-label': 'timeline: w and s zoom, a and d move, f shows all', 'aria-describedby': 'timeline-info'});
  indexSteps(t);
  const view = {t, canvas, begin: t.begin, end: t.end, mouse: 0.5, frames: [], found: null, hits: 0, width: 300, laneHeight: t.rows.length > MANY_ROWS ? 9 : LANE, colours: canvasColours()};
  view.height = placeRows(t, view.laneHeight);
  view.info = h('div', {class: 'picked', id: 'timeline-info', role: 'status'});
  view.info.append(describe(view, null));
  view.hitText = h('span', {class: 'soft small', id: 'timeline-hits', role: 'status'});
  listenPointer(view);
  listenKeys(view);
  new ResizeObserver(() => {
    view.width = Math.max(200, canvas.clientWidth);
    drawTimeline(view);
  }).observe(canvas);
  return view;
}

function rowTable(t) {
  const inRow = (row) => row.lanes[0].end.reduce((sum, end, i) => sum + end - row.lanes[0].begin[i], 0);
  return tableBehind('timeline-rows', [{title: 'thread', cell: (row) => row.name}, {title: 'events', number: true, cell: (row) => format(row.count, 'count')},
    {title: 'time in spans', number: true, cell: (row) => format(inRow(row), 'ns')}, {title: 'of the whole', number: true, cell: (row) => format(inRow(row) / (t.end - t.begin), 'share')}], t.rows);
}

function leftOutText(t) {
  return [t.late > 0 && h('p', {class: 'warn small'}, `The trace is longer than what is read of it: ${format(t.late, 'count')} later events are not here.`),
    t.cut && h('p', {class: 'warn small'}, 'The trace ends in the middle: its last events are missing.'),
    t.left_out > 0 && h('p', {class: 'warn small'}, `The ${format(t.count, 'count')} longest events are shown; ${format(t.left_out, 'count')} shorter ones were left out.`)];
}

/* A file beside this one, whatever its name looks like. */
const besideThis = (name) => `./${name.split('/').map(encodeURIComponent).join('/')}`;

function renderTimeline(data) {
  if (!data.timeline || !data.timeline.rows.length) return null;
  const view = timeline.view || (timeline.view = makeView(data.timeline)), {t} = view;
  if (!t.count) return null;
  const button = (text, label, act) => h('button', {type: 'button', class: 'tool', 'aria-label': label, onclick: act}, text);
  return h('section', {class: 'card', id: 'timeline'}, h('h2', null, 'Timeline'),
    h('p', {class: 'lead'}, `${format(t.count, 'count')} events of ${format(t.rows.length, 'count')} threads over ${format(t.end - t.begin, 'ns')}. `,
      data.trace_path && h('a', {href: besideThis(data.trace_path)}, 'The whole trace'), data.trace_path && ' opens in Perfetto, too.'),
    h('div', {class: 'tools'}, h('input', {type: 'search', id: 'timeline-search', placeholder: 'search names', 'aria-label': 'search the timeline', oninput: (e) => search(view, e.target.value), onkeydown: (e) => e.key === 'Enter' && nextHit(view)}),
      button('Next', 'next event found', () => nextHit(view)), button('+', 'zoom in', () => zoomAt(view, 0.5, 0.5)), button('−', 'zoom out', () => zoomAt(view, 2, 0.5)),
      button('◀', 'move left', () => moveBy(view, -0.3)), button('▶', 'move right', () => moveBy(view, 0.3)), button('All', 'show all', () => showSpan(view, t.begin, t.end)), view.hitText),
    h('div', {class: 'timeline'}, view.canvas), view.info,
    h('p', {class: 'keys small soft'}, 'Click into it, then ', h('kbd', null, 'w'), ' ', h('kbd', null, 's'), ' or the wheel zoom, ', h('kbd', null, 'a'), ' ', h('kbd', null, 'd'), ' or dragging moves, ', h('kbd', null, 'f'), ' shows all.'),
    legend(ORDER.filter((i) => t.stages.includes(i)).map((i) => [STAGES[i], stageColour(i)])), leftOutText(t), rowTable(t));
}
