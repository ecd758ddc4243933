/* The events of the timeline. Each row is one text of numbers in base 64 digits, five bits a digit, the sixth says that more
 * follow: time since the event before began, duration, name, value. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const DIGIT = new Uint8Array(128);
for (let i = 0; i < 64; i++) DIGIT[DIGITS.charCodeAt(i)] = i;
const MOST_LANES = 8;

function readNumbers(text) {
  const out = [];
  let value = 0, scale = 1;
  for (let i = 0; i < text.length; i++) {
    const digit = DIGIT[text.charCodeAt(i)];
    value += (digit & 31) * scale;
    if (digit & 32) {
      scale *= 32;
    } else {
      out.push(value);
      value = 0;
      scale = 1;
    }
  }
  return out;
}

/* A span lies in the lane below the one that holds it. Events of a lane do not overlap, so that both their begins and
 * their ends rise and can be searched by halving. */
function laneOf(ends, begin, end) {
  let lane = ends.length;
  while (lane > 0 && ends[lane - 1] <= begin) lane--;
  ends.length = lane;
  ends.push(end);
  return lane;
}

function readRow(row, number) {
  const numbers = readNumbers(row.events), count = numbers.length / 4, lanes = [], ends = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    at += numbers[4 * i];
    const lane = Math.min(MOST_LANES - 1, laneOf(ends, at, at + numbers[4 * i + 1]));
    (lanes[lane] = lanes[lane] || []).push(at, numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]);
  }
  return {name: row.name, number, count, lanes: lanes.map(makeLane)};
}

function makeLane(flat) {
  const count = flat.length / 4, lane = {count, begin: new Float64Array(count), end: new Float64Array(count), name: new Uint32Array(count), value: new Float64Array(count)};
  for (let i = 0; i < count; i++) {
    lane.begin[i] = flat[4 * i];
    lane.end[i] = flat[4 * i] + flat[4 * i + 1];
    lane.name[i] = flat[4 * i + 2];
    lane.value[i] = flat[4 * i + 3];
  }
  return lane;
}

function readTimeline(timeline) {
  const rows = timeline.rows.map(readRow).filter((row) => row.count);
  let begin = Infinity, end = 0, count = 0;
  for (const row of rows) {
    count += row.count;
    for (const lane of row.lanes) {
      begin = Math.min(begin, lane.begin[0]);
      end = Math.max(end, lane.end[lane.count - 1]);
    }
  }
  return {rows, names: timeline.names, stages: timeline.stages, steps: new Map(), begin, end, count, left_out: timeline.left_out, late: timeline.late, cut: timeline.cut};
}

/* Where each step is, by its number. */
function indexSteps(t) {
  const step = t.names.indexOf('step');
  for (const row of t.rows)
    for (const lane of row.lanes)
      for (let i = 0; i < lane.count; i++)
        if (lane.name[i] === step && t.stages[step] === 0) t.steps.set(lane.value[i], [lane.begin[i], lane.end[i]]);
}
