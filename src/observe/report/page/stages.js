/* The eight stages: names and colours, the same in every image. Colours are Okabe and Ito's, safe for the colour-blind. */
const STAGES = ['the loop', 'S1 read', 'S2 preprocess', 'S3 host to device', 'S4 compute', 'S5 all-reduce',
  'S6 device to host', 'S7 output', 'S8 write'];
const COMPUTE = 4;

function stageNumber(stage) {
  if (typeof stage === 'number') return stage;
  const found = /^S([1-8])/.exec(stage || '');
  return found ? Number(found[1]) : 0;
}

const stageColour = (stage) => `var(--s${stage})`;
const stageChip = (stage) => h('span', {class: 'chip'}, swatch(stageColour(stage)), STAGES[stage]);

/* Colours for a canvas, which knows no variables. */
function canvasColours() {
  const style = getComputedStyle(document.documentElement), of = (name) => style.getPropertyValue(name).trim();
  return {stages: STAGES.map((_, i) => of(`--s${i}`)), ink: of('--ink'), soft: of('--soft'), line: of('--line'),
    card: of('--card'), faint: of('--faint'), accent: of('--accent'), bad: of('--bad')};
}
