/* What the network sees: a few images of a batch, and some of the validation data with what it takes them for. */
function sample(image) {
  const guess = image.predicted && h('span', {class: `guess ${image.right ? 'right' : 'wrong'}`}, `${image.right ? '✓' : '✗'} ${image.predicted} `, h('span', {class: 'soft'}, `${Math.round(image.probability * 100)} %`));
  return h('figure', {class: 'sample'}, h('img', {src: image.src, alt: image.label, loading: 'lazy'}), h('figcaption', null, h('span', null, image.label), guess));
}

function sampleSet(set, title, note) {
  if (!set || !set.images.length) return null;
  return h('div', null, h('h3', null, title), h('p', {class: 'soft small'}, note), h('div', {class: 'samples'}, set.images.map(sample)));
}

function renderSamples({learning: l}) {
  const training = l && sampleSet(l.training, 'It trains on', `The first images of the batch of step ${l.training ? withCommas(l.training.step) : ''}, as they are after augmentation.`);
  const validation = l && sampleSet(l.validation, 'It is judged by', `Some of the validation images, and what they were taken for at step ${l.validation ? withCommas(l.validation.step) : ''}.`);
  if (!training && !validation) return null;
  return h('section', {class: 'card', id: 'samples'}, h('h2', null, 'What the network sees'), h('div', {class: 'columns', style: 'margin-top:.75rem'}, validation, training));
}
