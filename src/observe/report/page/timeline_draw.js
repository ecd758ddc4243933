/* Draws the part of the timeline in view. However many events there are, a lane costs some work a pixel: what is narrower
 * than a pixel is drawn as one with its neighbours, and the rest of the pixel is skipped by halving. */
const LANE = 17, ROW_HEAD = 18, ROW_GAP = 5, AXIS = 26, LETTER = 6.4, WIDE = 28;

function placeRows(t, laneHeight) {
  let y = AXIS;
  for (const row of t.rows) {
    row.y = y;
    y += ROW_HEAD + row.lanes.length * laneHeight + ROW_GAP;
  }
  return y + 4;
}

/* First event from index low that ends after. */
function firstAfter(ends, after, low) {
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

const colourOf = ({t, found, colours}, name) => (found && !found[name] ? colours.faint : colours.stages[t.stages[name]]);

/* What a pixel shows is its longest event; of very many, the first ones stand for all. */
const SAMPLED = 32;
function longest(lane, from, to) {
  let best = from;
  for (let i = from + 1; i < to; i++) if (lane.end[i] - lane.begin[i] > lane.end[best] - lane.begin[best]) best = i;
  return best;
}

function drawLane(draw, lane, y) {
  const {ctx, t, view, perPixel, width, found} = draw, high = draw.laneHeight - 2;
  let runFrom = -1, runTo = -1, runColour = '';
  const flush = () => {
    if (runFrom < 0) return;
    ctx.fillStyle = runColour;
    ctx.fillRect(runFrom, y, runTo - runFrom, high);
    draw.boxes++;
    runFrom = -1;
  };
  for (let i = firstAfter(lane.end, view.begin, 0); i < lane.count && lane.begin[i] < view.end;) {
    const name = lane.name[i], hit = !found || found[name];
    const x0 = Math.max(-2, (lane.begin[i] - view.begin) / perPixel), x1 = Math.min(width + 2, (lane.end[i] - view.begin) / perPixel);
    if (x1 - x0 < 1) {
      const px = Math.floor(x0), edge = view.begin + (px + 1) * perPixel;
      const next = firstAfter(lane.end, edge, i + 1), colour = colourOf(draw, lane.name[longest(lane, i, Math.min(next, i + SAMPLED))]);
      if (runFrom >= 0 && colour === runColour && px <= runTo) runTo = px + 1;
      else {
        flush();
        runFrom = px;
        runTo = px + 1;
        runColour = colour;
      }
      i = next;
      continue;
    }
    flush();
    ctx.fillStyle = colourOf(draw, name);
    ctx.fillRect(x0, y, Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 0.7 : 0)), high);
    draw.boxes++;
    if (x1 - x0 > WIDE && high > 11) drawName(draw, t.names[name], Math.max(0, x0), Math.min(width, x1), y, hit, t.stages[name]);
    i++;
  }
  flush();
}

function drawName(draw, name, x0, x1, y, hit, stage) {
  const room = Math.floor((x1 - x0 - 8) / LETTER);
  if (room < 2) return;
  draw.ctx.fillStyle = hit ? draw.inks[stage] : draw.colours.soft;
  draw.ctx.fillText(name.length <= room ? name : `${name.slice(0, room - 1)}…`, x0 + 4, y + draw.laneHeight - 6);
}

function drawAxis(draw) {
  const {ctx, view, width, colours, t, perPixel} = draw;
  ctx.fillStyle = colours.card;
  ctx.fillRect(0, 0, width, AXIS);
  for (const at of ticks(view.begin - t.begin, view.end - t.begin, Math.max(2, Math.floor(width / 110)))) {
    const x = Math.round((at + t.begin - view.begin) / perPixel) + 0.5;
    ctx.fillStyle = colours.line;
    ctx.fillRect(x, 0, 1, draw.height);
    ctx.fillStyle = colours.soft;
    const text = at < 0 ? '' : format(at, 'ns');
    if (x + text.length * LETTER < width) ctx.fillText(text, x + 4, 13);
  }
  ctx.fillStyle = colours.faint;
  ctx.fillRect(0, 19, width, 4);
  ctx.fillStyle = colours.accent;
  const all = t.end - t.begin || 1;
  ctx.fillRect(((view.begin - t.begin) / all) * width, 19, Math.max(3, ((view.end - view.begin) / all) * width), 4);
}

/* Letters on a colour: black or white, whichever reads better. */
function inkOn(colour) {
  const value = parseInt(colour.slice(1), 16), light = (value >> 16) * 0.3 + ((value >> 8) & 255) * 0.59 + (value & 255) * 0.11;
  return light > 128 ? '#111' : '#fff';
}

function drawTimeline(view) {
  const {canvas, t, colours} = view, ratio = window.devicePixelRatio || 1, width = view.width, height = view.height;
  const ctx = canvas.getContext('2d', {alpha: false});
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.font = '11px system-ui, sans-serif';
  ctx.fillStyle = colours.card;
  ctx.fillRect(0, 0, width, height);
  const draw = {ctx, t, view, colours, width, height, laneHeight: view.laneHeight, found: view.found, perPixel: (view.end - view.begin) / width, boxes: 0, inks: colours.stages.map(inkOn)};
  drawAxis(draw);
  for (const row of t.rows) {
    ctx.fillStyle = colours.soft;
    ctx.fillText(row.name, 5, row.y + 12);
    row.lanes.forEach((lane, i) => drawLane(draw, lane, row.y + ROW_HEAD + i * view.laneHeight));
  }
  drawPicked(draw);
  view.boxes = draw.boxes;
}

function drawPicked({ctx, view, perPixel, colours, laneHeight}) {
  for (const [one, wide] of [[view.over, 1], [view.picked, 2]]) {
    if (!one) continue;
    const {row, lane, index} = one, data = row.lanes[lane], x = (data.begin[index] - view.begin) / perPixel;
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = wide;
    ctx.strokeRect(x, row.y + ROW_HEAD + lane * laneHeight, Math.max(2, (data.end[index] - data.begin[index]) / perPixel), laneHeight - 2);
  }
}
