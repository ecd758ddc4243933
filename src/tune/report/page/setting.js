/* The result to take away: lines of a recipe, or assignments. */
const PLAIN_YAML = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/, PLAIN_WORD = /^[A-Za-z0-9_./:=@%+,-]+$/;

const yamlValue = (value) => (PLAIN_YAML.test(value) ? value : JSON.stringify(value));
const shellValue = (value) => (PLAIN_WORD.test(value) ? value : `'${value.replace(/'/g, "'\\''")}'`);

/* No keys of recipes: they stand for a pack that the search made. */
const isOfPack = (key) => key.startsWith('pack.');

function packNote(best) {
  const form = best['pack.form'], resize = best['pack.resize'];
  return isRecipe() && form ? h('p', {class: 'soft'}, 'The data is the pack ', h('code', null, `tune-data/${form}${resize ? `-${resize}` : ''}`), ' beside this page.') : null;
}

/* Sections in which keys follow each other; a key without one stands by itself. */
function yamlLines(setting) {
  const lines = [];
  let open = null;
  for (const [key, value] of Object.entries(setting)) {
    if (isOfPack(key)) continue;
    const dot = key.indexOf('.'), section = dot < 0 ? null : key.slice(0, dot);
    if (section !== null && section !== open) lines.push(`${section}:`);
    open = section;
    lines.push(`${section === null ? '' : '  '}${key.slice(dot + 1)}: ${yamlValue(value)}`);
  }
  return lines;
}

const settingText = (data) => (isRecipe() ? yamlLines(data.best) : Object.entries(data.best).map(([key, value]) => `${key}=${shellValue(value)}`)).join('\n');

function renderSetting(data) {
  if (!Object.keys(data.best).length) return null;
  const text = settingText(data);
  return h('section', {class: 'card', id: 'setting'}, h('h2', null, 'The setting to take'),
    h('p', {class: 'lead'}, isRecipe() ? 'These lines in the recipe; all else stays as it was. tuned.yaml beside this page has them in it already.' : 'These values in the program; all else stays as it was.'),
    text && h('div', {class: 'type block'}, h('code', {id: 'best'}, text), copyButton(text)), packNote(data.best));
}
