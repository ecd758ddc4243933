/* Numbers as people read them: three digits, decimal units, the same on the whole page and in the command. What is not
 * known is a dash. The names of the kinds stand in data-kind, for the tests. */
const threeDigits = (value) => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);

const withCommas = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');

function scaled(value, units) {
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit || value % 1 ? threeDigits(value) : value} ${units[unit]}`;
}

function nanoseconds(ns) {
  if (ns < 59.95e9) return scaled(ns, ['ns', 'µs', 'ms', 's']);
  const whole = Math.round(ns / 1e9), two = (n) => String(Math.floor(n)).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h ${two((whole % 3600) / 60)}m`;
}

const FORMATS = {
  ns: nanoseconds,
  s: (value) => nanoseconds(value * 1e9),
  share: (value) => `${(value * 100).toFixed(1)} %`,
  rate: (value) => (value < 999.5 ? threeDigits(value) : withCommas(value)),
  number: (value) => (value < 999.5 ? threeDigits(value) : withCommas(value)),
  count: withCommas,
  digits: (value) => String(Number(value.toPrecision(3))),
  bytes: (value) => scaled(value, ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB']),
  bytes_s: (value) => scaled(value, ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s', 'PB/s']),
  flop: (value) => scaled(value, ['FLOP', 'kFLOP', 'MFLOP', 'GFLOP', 'TFLOP', 'PFLOP']),
  flop_s: (value) => scaled(value, ['FLOP/s', 'kFLOP/s', 'MFLOP/s', 'GFLOP/s', 'TFLOP/s', 'PFLOP/s']),
  watts: (value) => `${threeDigits(value)} W`,
  celsius: (value) => `${threeDigits(value)} °C`,
  text: String,
};

/* Gains may be losses; everything else that is negative is not known. */
function format(value, kind) {
  if (value === null || value === undefined || value === '' || Number.isNaN(value)) return '–';
  if (kind === 'gain' && value >= 1) return `${(1 + value).toFixed(value < 9 ? 1 : 0)}x`;
  if (kind === 'gain') return `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(Math.abs(value) < 0.9995 ? 1 : 0)} %`;
  if (typeof value === 'number' && value < 0) return '–';
  return value === 0 && kind !== 'share' ? '0' : FORMATS[kind](value);
}

/* Round numbers from low to high, about so many. */
function ticks(low, high, count) {
  const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const list = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step) list.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return list;
}
