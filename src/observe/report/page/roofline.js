/* The roofline: how much an operation computes for each byte it moves, and how fast it is against both limits. */
const ROOF_HEIGHT = 320, ROOF_LEFT = 88, ROOF_BOTTOM = 34, ROOF_DECADES = 5;

function roofPoints(data) {
  return opRows(data).filter((op) => op.flop_s > 0 && op.bytes > 0 && op.flops > 0).map((op) => ({...op, x: Math.log10(op.flops / op.bytes), y: Math.log10(op.flop_s)}));
}

function roofScale(points, limits, width) {
  const ridge = Math.log10(limits.flops / limits.memory_bytes), xs = points.map((p) => p.x), ys = points.map((p) => p.y);
  const x0 = Math.floor(Math.min(...xs, ridge - 1)), x1 = Math.ceil(Math.max(...xs, ridge + 1)), y1 = Math.max(...ys, Math.log10(limits.flops)) + 0.35, y0 = Math.max(Math.floor(y1 - ROOF_DECADES), Math.floor(Math.min(...ys, y1 - 2)));
  return {x0, x1, y0, y1, ridge, x: (v) => ROOF_LEFT + ((v - x0) / (x1 - x0)) * (width - ROOF_LEFT - 8), y: (v) => ROOF_HEIGHT - ROOF_BOTTOM - ((Math.max(v, y0) - y0) / (y1 - y0)) * (ROOF_HEIGHT - ROOF_BOTTOM - 14)};
}

function roofAxes(s, root, width) {
  const every = Math.ceil((s.x1 - s.x0) / Math.max(2, width / 70));
  for (let at = s.x0; at <= s.x1; at += every) {
    const x = s.x(at);
    root.append(svg('line', {class: 'grid', x1: x, x2: x, y1: 14, y2: ROOF_HEIGHT - ROOF_BOTTOM}));
    root.append(svg('text', {x: Math.min(x, width - 20), y: ROOF_HEIGHT - ROOF_BOTTOM + 14, 'text-anchor': 'middle'}, at < 0 ? (10 ** at).toFixed(-at) : withCommas(10 ** at)));
  }
  for (let at = s.y0 + 1; at < s.y1 - 0.5; at++) {
    root.append(svg('line', {class: 'grid', x1: ROOF_LEFT, x2: width - 8, y1: s.y(at), y2: s.y(at)}));
    root.append(svg('text', {x: ROOF_LEFT - 7, y: s.y(at) + 4, 'text-anchor': 'end'}, format(10 ** at, 'flop_s')));
  }
  root.append(svg('text', {x: (width + ROOF_LEFT) / 2, y: ROOF_HEIGHT - 4, 'text-anchor': 'middle'}, 'FLOP a byte'));
}

function drawRoof(box, data, width) {
  const {limits} = data.profile, points = roofPoints(data), s = roofScale(points, limits, width), root = svg('svg', {viewBox: `0 0 ${width} ${ROOF_HEIGHT}`, role: 'img', 'aria-label': 'roofline of the operations'});
  const roof = (x) => Math.min(Math.log10(limits.flops), x + Math.log10(limits.memory_bytes)), from = Math.max(s.x0, s.y0 - Math.log10(limits.memory_bytes)), tip = h('div', {class: 'tip', hidden: true});
  roofAxes(s, root, width);
  root.append(svg('path', {d: path([[s.x(from), s.y(roof(from))], [s.x(s.ridge), s.y(roof(s.ridge))], [s.x(s.x1), s.y(roof(s.x1))]]), style: 'fill:none;stroke:var(--ink);stroke-width:1.6'}));
  root.append(svg('text', {x: width - 8, y: s.y(roof(s.x1)) - 6, 'text-anchor': 'end'}, `compute ${format(limits.flops, 'flop_s')}`));
  const most = Math.max(...points.map((p) => p.share));
  for (const op of points) {
    root.append(svg('circle', {cx: s.x(op.x).toFixed(1), cy: s.y(op.y).toFixed(1), r: (3 + 11 * Math.sqrt(op.share / most)).toFixed(1), style: 'fill:var(--s4);opacity:.5;stroke:var(--s4)',
      onpointerenter: () => {
        tip.replaceChildren(h('b', null, op.name || op.operation), h('div', null, `${format(op.flop_s, 'flop_s')}, ${format(op.bytes_s, 'bytes_s')}`), h('div', null, `${format(op.of_peak, 'share')} of what is possible, ${format(op.share, 'share')} of the time`));
        tip.hidden = false;
        tip.style.left = `${Math.max(0, Math.min(width - tip.offsetWidth, s.x(op.x) + 12))}px`;
        tip.style.top = `${s.y(op.y)}px`;
      }, onpointerleave: () => { tip.hidden = true; }}));
  }
  box.replaceChildren(root, tip);
}

function roofline(data) {
  const {limits} = data.profile;
  if (!known(limits.flops) || !known(limits.memory_bytes) || !roofPoints(data).length) return h('p', {class: 'soft small', style: 'margin-top:.8rem'}, 'No roofline: the machine\u2019s peaks or the operations\u2019 sizes are not known.');
  const box = h('div', {class: 'chart', 'data-chart': 'roofline'});
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth > 0 && box.clientWidth !== width) drawRoof(box, data, (width = box.clientWidth));
  }).observe(box);
  return [h('h3', {class: 'part'}, 'Roofline'), h('p', {class: 'soft small'}, `A circle is an operation, its size the time it takes. On the slope (memory reads at ${format(limits.memory_bytes, 'bytes_s')}) memory limits, under the flat part arithmetic does; the further below, the more could be gained. The table above has the numbers.`), box];
}
