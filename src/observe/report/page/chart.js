/* Charts over a common axis: lines, points, stacked areas. Drawn for the width there is, and again when that changes. */
const CHART = {left: 62, right: 8, levels: 44, top: 10, bottom: 20};

/* First index whose value is not below; values rise. */
function lowerBound(values, wanted) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Of thousands of points, the lowest and highest of each pixel: nothing that stands out is lost. */
function thin(xs, ys, place, width) {
  if (xs.length <= width * 2) return xs.map((_, i) => i);
  const kept = [];
  for (let i = 0; i < xs.length;) {
    const column = Math.floor(place(xs[i]));
    let low = i, high = i;
    for (; i < xs.length && Math.floor(place(xs[i])) === column; i++) {
      if (ys[i] < ys[low]) low = i;
      if (ys[i] > ys[high]) high = i;
    }
    kept.push(Math.min(low, high));
    if (low !== high) kept.push(Math.max(low, high));
  }
  return kept;
}

const path = (points) => points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/* spec: {label, height, x: {min, max, kind}, y: {min, max, kind}, series: [{name, colour, xs, ys, kind: 'line'|'points'|'stack',
 * fill, faint, dots}], levels: [{y, text}], group}. Charts of a group share the cursor. */
function chart(spec) {
  const box = h('div', {class: 'chart', 'data-chart': spec.label}), view = {box, spec, width: 0};
  const observer = new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width > 0 && width !== view.width) {
      view.width = width;
      drawChart(view);
    }
  });
  observer.observe(box);
  box.addEventListener('pointermove', (event) => pointAt(view, event));
  box.addEventListener('pointerleave', () => (spec.group || [view]).forEach(hideCursor));
  if (spec.group) spec.group.push(view);
  return box;
}

/* Levels have their names beside the chart. */
const rightOf = (spec) => (spec.levels && spec.levels.length ? CHART.levels : CHART.right);

function scales(view) {
  const {spec} = view, {x, y} = spec, right = view.width - rightOf(spec), inner = right - CHART.left;
  const height = spec.height || 180, tall = height - CHART.top - CHART.bottom;
  const x0 = x.min, x1 = x.max > x.min ? x.max : x.min + 1, y0 = y.min || 0, y1 = y.max > y0 ? y.max : y0 + 1;
  return {height, inner, right, x: (v) => CHART.left + ((v - x0) / (x1 - x0)) * inner,
    y: (v) => CHART.top + tall - ((v - y0) / (y1 - y0)) * tall, back: (px) => x0 + ((px - CHART.left) / inner) * (x1 - x0)};
}

function drawAxes(view, s, root) {
  const {spec, width} = view;
  for (const at of ticks(spec.y.min || 0, spec.y.max, s.height >= 200 ? 4 : 3)) {
    if (at > spec.y.max * 1.001) continue;
    const y = Math.round(s.y(at)) + 0.5;
    root.append(svg('line', {class: 'grid', x1: CHART.left, x2: s.right, y1: y, y2: y}));
    root.append(svg('text', {x: CHART.left - 7, y: y + 4, 'text-anchor': 'end'}, format(at, spec.y.kind)));
  }
  const marks = ticks(spec.x.min, spec.x.max, Math.max(3, Math.floor(width / 130)));
  let end = -1e9;
  for (const at of marks) {
    const text = format(at, spec.x.kind), half = text.length * 3.2;
    const x = Math.min(s.x(at), width - half - 2);
    if (x - half < end + 8) continue;
    end = x + half;
    root.append(svg('text', {x: x.toFixed(1), y: s.height - 4, 'text-anchor': 'middle'}, text));
  }
}

function drawSeries(view, s, root) {
  let base = null;
  for (const one of view.spec.series) {
    const {xs, ys} = one;
    if (one.kind === 'stack') {
      const from = base || xs.map(() => 0), to = ys.map((v, i) => from[i] + v), all = xs.map((_, i) => i);
      const up = all.map((i) => [s.x(xs[i]), s.y(to[i])]), down = all.map((i) => [s.x(xs[i]), s.y(from[i])]).reverse();
      if (ys.some((v) => v > 0)) root.append(svg('path', {d: `${path([...up, ...down])}Z`, style: `fill:${one.colour}`}));
      base = to;
    } else {
      const few = thin(xs, ys, s.x, s.inner).filter((i) => ys[i] !== null && ys[i] >= 0), points = few.map((i) => [s.x(xs[i]), s.y(Math.max(view.spec.y.min || 0, Math.min(ys[i], view.spec.y.max)))]);
      if (!points.length) continue;
      const ground = s.y(view.spec.y.min || 0).toFixed(1);
      if (one.fill) root.append(svg('path', {style: `fill:${one.colour};opacity:.14`,
        d: `${path(points)}L${points[points.length - 1][0].toFixed(1)} ${ground}L${points[0][0].toFixed(1)} ${ground}Z`}));
      if (one.kind === 'points') root.append(svg('path', {style: `stroke:${one.colour};stroke-width:3.4;stroke-linecap:round;fill:none;opacity:.62`,
        d: points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h.01`).join('')}));
      else root.append(svg('path', {d: path(points), style: `fill:none;stroke:${one.colour};stroke-linejoin:round;${one.faint ? 'stroke-width:1;opacity:.32' : 'stroke-width:1.8'}`}));
      if (one.dots) root.append(...points.map(([x, y]) => svg('circle', {cx: x.toFixed(1), cy: y.toFixed(1), r: 2.4, style: `fill:${one.colour}`})));
    }
  }
}

function drawLevels(view, s, root) {
  let last = 1e9;
  for (const level of (view.spec.levels || []).slice().sort((a, b) => a.y - b.y)) {
    if (level.y > view.spec.y.max) continue;
    const y = s.y(level.y), text = Math.min(y + 4, last - 13);
    last = text;
    root.append(svg('line', {x1: CHART.left, x2: s.right + 4, y1: y, y2: y, style: 'stroke:var(--ink);stroke-width:1;stroke-dasharray:4 4'}));
    root.append(svg('text', {x: s.right + 8, y: text}, level.text));
  }
}

function drawChart(view) {
  const s = scales(view), root = svg('svg', {viewBox: `0 0 ${view.width} ${s.height}`, role: 'img', 'aria-label': view.spec.label});
  drawAxes(view, s, root);
  drawSeries(view, s, root);
  drawLevels(view, s, root);
  view.scale = s;
  view.cursor = svg('line', {class: 'cursor', y1: CHART.top, y2: s.height - CHART.bottom, visibility: 'hidden'});
  root.append(view.cursor);
  view.tip = h('div', {class: 'tip', hidden: true});
  view.box.replaceChildren(root, view.tip);
}

function hideCursor(view) {
  if (!view.cursor) return;
  view.cursor.setAttribute('visibility', 'hidden');
  view.tip.hidden = true;
}

function pointAt(view, event) {
  if (!view.scale) return;
  const at = view.scale.back(event.clientX - view.box.getBoundingClientRect().left);
  (view.spec.group || [view]).forEach((one) => showCursor(one, at));
}

/* Series may have points of their own. */
function nearest(xs, at) {
  const i = Math.min(lowerBound(xs, at), xs.length - 1);
  return i > 0 && at - xs[i - 1] < xs[i] - at ? i - 1 : i;
}

function showCursor(view, at) {
  const {spec, scale} = view, first = spec.series[0];
  if (!scale || !first || !first.xs.length) return;
  const i = nearest(first.xs, at);
  const x = scale.x(first.xs[i]);
  view.cursor.setAttribute('x1', x);
  view.cursor.setAttribute('x2', x);
  view.cursor.setAttribute('visibility', 'visible');
  view.tip.replaceChildren(h('div', {class: 'soft'}, format(first.xs[i], spec.x.kind)), ...spec.series.filter((one) => !one.quiet || one.ys[i] > 0)
    .map((one) => h('div', null, swatch(one.colour), `${one.name} ${format(one.ys[one.xs === first.xs ? i : nearest(one.xs, at)], spec.y.kind)}`)));
  view.tip.hidden = false;
  const room = view.box.clientWidth - view.tip.offsetWidth;
  view.tip.style.left = `${Math.max(0, Math.min(room, x < view.width / 2 ? x + 12 : x - view.tip.offsetWidth - 12))}px`;
}
